/** Runs the command line as a person or a script does: each command is a process of its own. */
import { execFile } from 'node:child_process';
import { expect } from '@jest/globals';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export type Program = 'accounts' | 'keys';

/** Runs a command against the stack that the environment names; `extra` is added to the environment. */
export function run(
  program: Program,
  words: readonly string[],
  extra: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    // Jest's environment is a copy, which a child process gets only if it is handed to it.
    const options = { env: { ...process.env, ...extra } };
    execFile(process.execPath, [`cli/${program}.ts`, ...words], options, (failure, out, error) =>
      resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, out, error }),
    );
  });
}

/** What a command prints under `--json`; it must succeed without a word on standard error. */
export async function runJson(program: Program, words: readonly string[]) {
  const { code, out, error } = await run(program, [...words, '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
}
