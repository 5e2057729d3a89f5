/**
 * The local stand-in for the deployment's secret in Secrets Manager: a file that only its owner may read.
 */
import { randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from './start-error.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Makes the file with a fresh secret as its version 1, unless it exists.
 * @throws StartError if it exists and holds no secret
 */
export async function ensureDeploymentSecret(file: string): Promise<void> {
  const secret = Array.from({ length: 64 }, () => alphabet[randomInt(alphabet.length)]).join('');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${JSON.stringify({ current: '1', 1: secret })}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isSecret(await readFile(file, 'utf8'))) return;
    throw new StartError(
      `${file} is damaged: put it back from a copy, or begin anew with npm start -- --fresh.`,
    );
  }
}

function isSecret(text: string): boolean {
  try {
    const secret = JSON.parse(text);
    return typeof secret[1] === 'string' && typeof secret[secret.current] === 'string';
  } catch {
    return false;
  }
}
