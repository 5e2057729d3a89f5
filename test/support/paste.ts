/** Pastes commands of the documentation into an interactive shell, as a reader does. */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryRoot } from '../../infra/local/handler.ts';

/** Interactive shells without the settings of their user, which read from standard input and without an editor. */
const interactive = {
  bash: ['--noprofile', '--norc', '--noediting', '-i'],
  zsh: ['-f', '+Z', '+o', 'prompt_sp', '-i'],
};

export type ShellName = keyof typeof interactive;

/** Whether the shell is installed. */
export const isInstalled = (program: string) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Returns the shell commands of a document, or of the section with the heading `heading`: one text for each block. */
export function shellBlocks(file: string, heading?: string): string[] {
  const document = readFileSync(join(repositoryRoot, file), 'utf8');
  const section = heading ? document.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] : document;
  return [...(section ?? '').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
}

export interface Pasted {
  /** What the commands printed on standard output. */
  readonly out: string;
  /** The method, the path and the status of each request of curl, in order. */
  readonly requests: readonly string[];
  /** What else was on standard error, without prompts: the errors of the shell and of the commands. */
  readonly errors: string;
}

/**
 * Sends the lines to an interactive shell, and waits until it has run them all.
 *
 * The shell has no terminal, so it takes its input from the pipe. A setting of curl makes it print the status of each answer.
 * @param options where the shell starts, and the variables that it has besides those of this process
 */
export async function paste(
  shell: ShellName,
  lines: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Pasted> {
  const home = await mkdtemp(join(tmpdir(), 'remit-shell-'));
  try {
    await writeFile(
      join(home, '.curlrc'),
      'silent\nwrite-out = "%{stderr}REQUEST %{method} %{url} %{http_code}\\n"\n',
    );
    const started: SpawnOptions = {
      cwd,
      detached: true,
      env: {
        ...process.env,
        HOME: home,
        CURL_HOME: home,
        PS1: '',
        PS2: '',
        TERM: 'dumb',
        ...env,
      },
      stdio: 'pipe',
    };
    const child = spawn(shell, interactive[shell], started);
    if (!child.stdin || !child.stdout || !child.stderr) throw new Error('The shell has no pipes.');
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    child.stdin.end(`${lines}\nexit\n`);
    await once(child, 'exit');
    const [out, error] = await printed;
    const others = error.split('\n').filter((line) => !line.startsWith('REQUEST '));
    const noise =
      /^$|^exit$|^(ba|z)sh: (cannot set terminal process group|can't set tty pgrp|no job control)/;
    return {
      out,
      requests: [...error.matchAll(/^REQUEST (.*)$/gm)].map(([, request = '']) =>
        request.replace(/https?:\/\/[^/]+/, ''),
      ),
      errors: others.filter((line) => !noise.test(line)).join('\n'),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
