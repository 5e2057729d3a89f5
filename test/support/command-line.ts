/** Runs the command line as a person or a script does: each command is a process of its own. */
import { execFile } from 'node:child_process';
import { expect } from '@jest/globals';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command against the stack that the environment names; `extra` is added to the environment. */
export function run(
  program: string,
  words: readonly string[],
  extra: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  return execute(process.execPath, ['cli/remit.ts', program, ...words], extra);
}

/** What a command prints under `--json`; it must succeed without a word on standard error. */
export async function runJson(program: string, words: readonly string[], extra: NodeJS.ProcessEnv = {}) {
  const { code, out, error } = await run(program, [...words, '--json'], extra);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
}

/**
 * Runs a command on a terminal of its own, by `script` of util-linux; what it writes is all in `out`. Of the
 * environment it gets only `extra` and where to find programs: Node takes colours away for CI and TERM=dumb, too.
 * @param talk after the first text was shown, the second one is typed, and so on
 */
export function runOnTerminal(
  command: readonly string[],
  {
    columns,
    talk = [],
    extra = {},
  }: { columns: number; talk?: readonly string[]; extra?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  const quoted = [process.execPath, 'cli/remit.ts', ...command].map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${columns}; exec ${quoted}`;
  const words = ['--quiet', '--return', '--command', line, '/dev/null'];
  return start('script', words, { PATH: process.env.PATH, TERM: 'xterm-256color', ...extra }, talk);
}

/** Runs any program; `extra` is added to the environment. */
export function execute(file: string, words: readonly string[], extra: NodeJS.ProcessEnv): Promise<Outcome> {
  // Jest's environment is a copy, which a child process gets only if it is handed to it.
  return start(file, words, { ...process.env, FORCE_COLOR: undefined, ...extra });
}

function start(
  file: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  talk: readonly string[] = [],
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(file, [...words], { env }, (failure, out, error) =>
      resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, out, error }),
    );
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
