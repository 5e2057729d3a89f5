/**
 * Keeps the secret with which `remit listen` signs the events that it forwards, so that a receiver is configured only once.
 * Each account and mode has a secret of its own, in a private file.
 */
import { randomBytes } from 'node:crypto';
import { CommandError } from './command.ts';
import { readPrivateFile, writePrivateFile } from './private-files.ts';

/**
 * Returns the kept secret. Creates it if it does not exist. Starts at the same time get the same secret.
 * @param accountKey identifies the account and the mode
 * @param renews whether a new secret replaces the kept one
 */
export async function keepListenSecret(accountKey: string, renews: boolean): Promise<string> {
  const file = `listen-secrets/${accountKey}`;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  if (await writePrivateFile(file, `${secret}\n`, renews)) return secret;
  const kept = (await readPrivateFile(file))?.trim() ?? '';
  if (/^whsec_[A-Za-z0-9+/=]{32,}$/.test(kept)) return kept;
  throw new CommandError('The kept secret is damaged. Add --new-secret to replace it.');
}
