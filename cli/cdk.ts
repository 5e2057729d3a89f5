/** Runs the CDK's command line for the deployment commands. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import { settingText } from '../infra/setting-values.ts';
import { CommandError } from './command.ts';
import { describeError } from './error-text.ts';

const program = join(repositoryRoot, 'node_modules', '.bin', 'cdk');

/**
 * Runs `cdk` with these arguments in this terminal.
 * @param env the environment of the process
 * @throws CommandError if `cdk` fails; it has already printed the reason
 */
export async function runCdk(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  const child = spawn(program, args, { cwd: repositoryRoot, env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CommandError(`cdk ${args[0]} failed. See its output above.`);
}

/**
 * Runs `cdk` with these arguments, shows its output and returns it.
 * @throws CommandError if `cdk` fails; it has already printed the reason
 */
export async function readCdk(args: readonly string[]): Promise<string> {
  const colors = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(program, args, {
    cwd: repositoryRoot,
    env: { ...process.env, ...colors },
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      chunks.push(text);
      process.stderr.write(text);
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new CommandError(`cdk ${args[0]} failed. See its output above.`);
  return chunks.join('');
}

/** Converts settings to `--context` arguments of `cdk`. Undefined settings are skipped. */
export function contextArguments(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : ['--context', `${name}=${settingText(value)}`],
  );
}

/** Waits for `work`. If it fails, prints the error on standard error and sets the exit code. */
export async function exitWithOutcome(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
