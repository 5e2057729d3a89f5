/** The terminal, if there is one: what it can show, what is going on, and questions to the person in front of it. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './command.ts';
import type { Paper } from './table.ts';

/** What standard output can show. */
export function paper(): Paper {
  const { stdout } = process;
  if (!stdout.isTTY) return { width: undefined, colours: false };
  // Some terminals do not know their width, and say 0.
  return { width: stdout.columns || undefined, colours: stdout.hasColors() };
}

/** Whether somebody is there to be asked: questions stand on standard error, answers come from standard input. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Asks a question and returns the answer. What is typed to a hidden one is not shown.
 * @throws CommandError if it is ended by Ctrl-C or Ctrl-D
 */
export async function ask(question: string, { hidden = false } = {}): Promise<string> {
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const output = hidden ? nowhere : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true, prompt: question });
  // Not before: until here the terminal itself shows what is typed.
  if (hidden) process.stderr.write(question);
  lines.prompt();
  const ended = Promise.withResolvers<string>();
  lines.once('SIGINT', () => lines.close());
  lines.once('close', () => ended.reject(new CommandError(`${hidden ? '' : '\n'}Nothing was done.`)));
  try {
    lines.once('line', ended.resolve);
    return (await ended.promise).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}

const clearLine = '\r\u001b[K';
let isShown = false;

/** Tells what takes so long, in a line that the next one replaces. Only a terminal is told. */
export function showProgress(text: string): void {
  const { stderr } = process;
  if (!stderr.isTTY) return;
  stderr.write(`${clearLine}${text.slice(0, stderr.columns - 1)}`);
  isShown = true;
}

/** Before anything else is written. */
export function endProgress(): void {
  if (isShown) process.stderr.write(clearLine);
  isShown = false;
}
