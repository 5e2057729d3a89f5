/** Runs the command line as users and scripts do: each command in its own process. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';

/** The configuration folder of commands under test. The folder of the developer may have profiles. */
export const testConfigFolder = join(tmpdir(), `remit-test-config-${process.pid}`);

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command against the stack that the environment selects. `extra` is added to the environment. */
export function run(group: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return execute(process.execPath, ['cli/remit.ts', group, ...args], extra);
}

let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which takes a hundredth of the time.
 * - It accesses the table of the stack of this process, because a process connects to one table only. The line that names the
 *   table is left out, because only the first command prints it.
 * - A function of the stack may see a change at once that it sees later in a deployment, because both are in one process. So tests of
 *   when a change has an effect run the command with `run`.
 */
export function runHere(group: string, args: readonly string[]): Promise<Outcome> {
  const outcome = lastRun.then(() => runProgramHere([group, ...args]));
  lastRun = outcome.catch(() => {});
  return outcome;
}

async function runProgramHere(args: readonly string[]): Promise<Outcome> {
  const [{ commands }, { runProgram }] = await Promise.all([
    import('../../cli/commands.ts'),
    import('../../cli/program.ts'),
  ]);
  const { stdout, stderr, exitCode } = process;
  const [writeOut, writeError, listeners] = [stdout.write, stderr.write, stdout.listeners('error')];
  const outcome = { out: '', error: '' };
  const collect = (stream: keyof typeof outcome) =>
    ((text: string) => {
      outcome[stream] += text;
      return true;
    }) as typeof writeOut;
  [stdout.write, stderr.write] = [collect('out'), collect('error')];
  process.exitCode = undefined;
  try {
    await runProgram(commands, args, { version: '' });
    const error = outcome.error.replace(/^Table \S+ at \S+\.\n/, '');
    return { ...outcome, error, code: Number(process.exitCode ?? 0) };
  } finally {
    [stdout.write, stderr.write] = [writeOut, writeError];
    process.exitCode = exitCode;
    for (const listener of stdout.listeners('error'))
      if (!listeners.includes(listener)) stdout.off('error', listener as () => void);
  }
}

/** Returns what a command in this process prints with `--json`. The command must succeed and print nothing on standard error. */
export async function runJsonHere(group: string, args: readonly string[]) {
  const { code, out, error } = await runHere(group, [...args, '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
}

/** The commands that access the table. They begin with a line on standard error that names the table. */
const tableGroups = [
  'accounts',
  'keys',
  'users',
  'reconcile',
  'timers',
  'maintenance',
  'deployment',
  'erase',
  'audit',
  'secrets',
  'providers',
];

/** Returns the line on standard error that names the table of `stack`. */
export const tableLineOf = ({ tableName, dynamodbEndpoint }: Stack) =>
  `Table ${tableName} at ${dynamodbEndpoint}.\n`;

/**
 * Returns what a command prints with `--json`. The command must succeed. On standard error, it must print nothing, or
 * only the line that names the table.
 */
export async function runJson(group: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}) {
  const { code, out, error } = await run(group, [...args, '--json'], extra);
  const expected = tableGroups.includes(group) ? /^Table [^\n]+\.\n$/ : /^$/;
  expect({ code, error }).toEqual({ code: 0, error: expect.stringMatching(expected) });
  return JSON.parse(out);
}

/**
 * Runs a command on its own terminal, with `script` of util-linux. All of its output is in `out`. It inherits only PATH,
 * because variables such as CI and TERM=dumb make Node disable colors.
 * @param talk pairs of texts: when the first is shown, the second is typed
 */
export function runOnTerminal(
  command: readonly string[],
  {
    columns,
    talk = [],
    extra = {},
  }: { columns: number; talk?: readonly string[]; extra?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  const quoted = [process.execPath, 'cli/remit.ts', ...command].map((argument) => `'${argument}'`).join(' ');
  const line = `stty cols ${columns}; exec ${quoted}`;
  const args = ['--quiet', '--return', '--command', line, '/dev/null'];
  return startProcess('script', args, { PATH: process.env.PATH, TERM: 'xterm-256color', ...extra }, { talk });
}

interface Conversation {
  /** Pairs of texts: when the first is shown, the second is typed. */
  readonly talk?: readonly string[];
  /** The whole standard input. */
  readonly input?: string;
}

/** Runs a program. `extra` is added to the environment. */
export function execute(
  file: string,
  args: readonly string[],
  extra: NodeJS.ProcessEnv,
  options: Conversation = {},
): Promise<Outcome> {
  // Jest's environment is a copy: a child process inherits it only if it is passed explicitly.
  return startProcess(file, args, { ...process.env, FORCE_COLOR: undefined, ...extra }, options);
}

function startProcess(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { talk = [], input }: Conversation,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      { env: { XDG_CONFIG_HOME: testConfigFolder, ...env } },
      (failure, out, error) =>
        resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, out, error }),
    );
    if (input !== undefined) child.stdin?.end(input);
    let shown = '';
    let next = 0;
    child.stdout?.on('data', (chunk) => {
      shown += chunk;
      const [question, answer] = talk.slice(next);
      if (question === undefined || !shown.includes(question)) return;
      child.stdin?.write(answer);
      next += 2;
    });
  });
}
