/** Uses the terminal, if there is one: reads its capabilities, asks questions and shows progress. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './command.ts';
import type { TerminalCapabilities } from './table.ts';

/** Returns the capabilities of standard output. */
export function terminalCapabilities(): TerminalCapabilities {
  const { stdout } = process;
  if (!stdout.isTTY) return { width: undefined, colors: false };
  // A terminal that does not know its width reports 0.
  return { width: stdout.columns || undefined, colors: stdout.hasColors() };
}

/** Checks whether a user can answer questions. Questions go to standard error; answers come from standard input. */
export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Asks a question and returns the answer.
 * @param hidden whether the terminal does not show what the user types
 * @throws CommandError if the user presses Ctrl-C or Ctrl-D
 */
export async function ask(question: string, { hidden = false } = {}): Promise<string> {
  const discard = new Writable({ write: (_, __, done) => done() });
  const output = hidden ? discard : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true, prompt: question });
  // The question must not appear earlier: until now the terminal itself shows what the user types.
  if (hidden) process.stderr.write(question);
  lines.prompt();
  const answer = new Promise<string>((resolve, reject) => {
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () =>
      reject(new CommandError(`${hidden ? '' : '\n'}Canceled. Nothing was changed.`)),
    );
    lines.once('line', resolve);
  });
  try {
    return (await answer).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}

const clearLine = '\r\u001b[K';
let isShown = false;

/** Shows progress in one line, which the next call replaces. Does nothing if standard error is not a terminal. */
export function showProgress(text: string): void {
  const { stderr } = process;
  if (!stderr.isTTY) return;
  stderr.write(`${clearLine}${text.slice(0, stderr.columns - 1)}`);
  isShown = true;
}

/** Removes the progress line. Must be called before any other output. */
export function endProgress(): void {
  if (isShown) process.stderr.write(clearLine);
  isShown = false;
}
