/**
 * Creates the file that replaces the Secrets Manager secret on a local stack. Only its owner can read it.
 */
import { randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from './start-error.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Creates the file with a new secret as version 1. Keeps an existing file.
 * @throws StartError if the file exists but contains no valid secret
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
      `${file} is damaged. Restore it from a backup, or start with empty data: npm start -- --fresh.`,
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
