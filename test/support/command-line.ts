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
 * Runs a command on a terminal of its own, by `script` of util-linux; what it writes is all in `out`.
 * @param talk after the first text was shown, the second one is typed, and so on
 */
export function runOnTerminal(
  words: readonly string[],
  {
    columns,
    talk = [],
    extra = {},
  }: { columns: number; talk?: readonly string[]; extra?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  const command = [process.execPath, 'cli/remit.ts', ...words].map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${columns}; exec ${command}`;
  return execute('script', ['--quiet', '--return', '--command', line, '/dev/null'], extra, talk);
}

/** Runs any program. */
export function execute(
  file: string,
  words: readonly string[],
  extra: NodeJS.ProcessEnv,
  talk: readonly string[] = [],
): Promise<Outcome> {
  return new Promise((resolve) => {
    // Jest's environment is a copy, which a child process gets only if it is handed to it.
    const options = { env: { ...process.env, FORCE_COLOR: undefined, ...extra } };
    const child = execFile(file, [...words], options, (failure, out, error) =>
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
