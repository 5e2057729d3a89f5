/** The CDK's command line, as the commands of this folder call it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import { CommandError } from './command.ts';

/**
 * Runs `cdk` with these words, in this terminal, in the environment `env`.
 * @throws CommandError if it fails; it has said why by then
 */
export async function runCdk(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const program = join(repositoryRoot, 'node_modules', '.bin', 'cdk');
  const child = spawn(program, words, { cwd: repositoryRoot, env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CommandError(`cdk ${words[0]} has failed.`);
}

/** Settings, by their names in the context, as words of `cdk`; those that are undefined are left out. */
export function contextWords(settings: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : ['--context', `${name}=${value}`],
  );
}

/** Ends a program with what `work` comes to: its failure on standard error, and in the exit code. */
export async function endWith(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
