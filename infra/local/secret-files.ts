/**
 * Creates the files that replace the Secrets Manager secrets on a local stack. Only their owner can read them. The files
 * are in one directory, so the path of the deployment secret's file is enough to find all of them.
 */
import { randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from './start-error.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const newRoot = () => Array.from({ length: 64 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The environment variables that name the files. */
export const secretFileNames = [
  'DEPLOYMENT_SECRET_FILE',
  'WEBHOOK_SECRET_FILE',
  'KEY_SECRET_FILE',
  'PROVIDER_SECRET_FILE',
  'AUDIT_SECRET_FILE',
  'SIGNING_SECRET_FILE',
] as const;

/** Returns the values of these variables. */
export function secretFileVariables(
  deploymentSecretFile: string,
): Readonly<Record<(typeof secretFileNames)[number], string>> {
  const directory = dirname(deploymentSecretFile);
  return {
    DEPLOYMENT_SECRET_FILE: deploymentSecretFile,
    WEBHOOK_SECRET_FILE: join(directory, 'webhook-secret.json'),
    KEY_SECRET_FILE: join(directory, 'key-secret.json'),
    PROVIDER_SECRET_FILE: join(directory, 'provider-secret.json'),
    AUDIT_SECRET_FILE: join(directory, 'audit-secret.json'),
    SIGNING_SECRET_FILE: join(directory, 'signing-secret.json'),
  };
}

/**
 * Creates the files with new secrets. Keeps existing files.
 * @throws StartError if a file exists but contains no valid secret
 */
export async function ensureSecretFiles(deploymentSecretFile: string): Promise<void> {
  const files = secretFileVariables(deploymentSecretFile);
  await mkdir(dirname(deploymentSecretFile), { recursive: true, mode: 0o700 });
  await ensureFile(files.DEPLOYMENT_SECRET_FILE, '1');
  await ensureFile(files.WEBHOOK_SECRET_FILE, 'w1');
  await ensureFile(files.KEY_SECRET_FILE, 'k1');
  await ensureFile(files.PROVIDER_SECRET_FILE, 'p1');
  await ensureFile(files.AUDIT_SECRET_FILE, 'a1');
  await ensureFile(files.SIGNING_SECRET_FILE, 's1');
}

/** Creates the file of one secret with its first version, unless it exists. */
async function ensureFile(file: string, version: string): Promise<void> {
  try {
    const content = { current: version, [version]: newRoot() };
    await writeFile(file, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 });
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
    return typeof secret[secret.current] === 'string';
  } catch {
    return false;
  }
}
