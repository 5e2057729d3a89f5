/**
 * Keeps the entries of API keys in an account state in line with the items of the keys, and signs them. `key-store.ts` decides
 * which keys to create and to revoke.
 */
import { areSameRights, isKeyOf, rightsOfItem } from '../auth/key-rights.ts';
import { isMadeBy, isSigned } from '../auth/key-signature.ts';
import { keyFaultOf, readKeyItem } from '../auth/store.ts';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { type ApiKeyEntry, accountStateAttributes } from '../store/account-state.ts';
import {
  apiKeyEntries,
  changeApiKeyEntries,
  isClosed,
  readAccountState,
  writeLastUse,
} from '../store/account-state-keys.ts';
import { tableKeys } from '../store/keys.ts';
import { queryAll } from '../store/query-pages.ts';
import type { Item } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import { AccountClosedError, maxUsableKeys } from './account.ts';
import { keySigner } from './key-signer.ts';

/**
 * Signs the API keys of an account and mode, if they are not signed by the current signer.
 * @returns whether they had to be signed
 * @throws Error if this process does not know the key signing secret
 */
export async function signKeys(owner: Owner, at: Instant): Promise<boolean> {
  const signer = await keySigner();
  if (!signer) throw new Error('The key signing secret is unknown. Deploy this release first.');
  const before = await readAccountState(owner);
  const signature = before[accountStateAttributes.keySignature] as Uint8Array | undefined;
  if (isClosed(before)) return false;
  const isOfSigner = signature && isMadeBy(signature, signer.publicKey);
  if (isOfSigner && isSigned(owner, apiKeyEntries(before), signature, [signer.publicKey])) return false;
  await correctEntries(owner, at);
  return true;
}

/** Brings the entries of an account and mode in line with the items of its keys, and signs them. */
export async function correctEntries(owner: Owner, at: Instant): Promise<void> {
  await changeEntries(owner, at, {});
}

/** Returns `key_limit_reached` if the mode has no room for another key. */
export function limitError(accountState: Item, at: Instant): Error | undefined {
  const usable = Object.values(apiKeyEntries(accountState)).filter(({ e }) => !isExpired(e, at));
  return usable.length < maxUsableKeys ? undefined : new ApiError('key_limit_reached');
}

const isExpired = (seconds: number | undefined, at: Instant) =>
  seconds !== undefined && seconds <= toSeconds(at);

/**
 * Brings the entries of the account state in line with the items of the keys, and signs them: the usable keys that have an
 * entry, and the one to add. Tries again after conflicting writes.
 * @returns an error if the key to add is rejected
 */
export async function changeEntries(
  owner: Owner,
  at: Instant,
  { add, remove }: { readonly add?: string; readonly remove?: string },
): Promise<Error | undefined> {
  const signer = await keySigner();
  for (;;) {
    const before = await readAccountState(owner);
    if (isClosed(before)) return add === undefined ? undefined : new AccountClosedError(owner.account);
    const entries = apiKeyEntries(before);
    if (!signer && before[accountStateAttributes.keySignature])
      throw new Error(
        'The API keys of this deployment are signed. Set KEY_SIGNING_SECRET_ARN to the ARN of its key signing secret.',
      );
    const hashes = new Set([...Object.keys(entries), ...(add === undefined ? [] : [add])]);
    if (remove !== undefined) hashes.delete(remove);
    const after = await usableEntries(owner, hashes, at);
    if (add !== undefined && !entries[add] && Object.keys(after).length > maxUsableKeys)
      return new ApiError('key_limit_reached');
    const removed = Object.keys(entries).filter((hash) => !after[hash]);
    await saveLastUse(owner, before, removed);
    const put = Object.entries(after).filter(
      ([hash, rights]) => !entries[hash] || !areSameRights(entries[hash], rights),
    );
    const signature = signer?.sign(owner, after);
    if (
      await changeApiKeyEntries(owner, { before, put: Object.fromEntries(put), remove: removed, signature })
    )
      return undefined;
  }
}

/** Returns the entries of the keys that exist and are neither revoked nor expired, as their items say. */
async function usableEntries(
  owner: Owner,
  hashes: ReadonlySet<string>,
  at: Instant,
): Promise<Record<string, ApiKeyEntry>> {
  const items = await Promise.all([...hashes].map(async (hash) => [hash, await readKeyItem(hash)] as const));
  const usable = items.filter(([, item]) => item && isKeyOf(owner, item) && !keyFaultOf(item, at));
  return Object.fromEntries(usable.map(([hash, item]) => [hash, rightsOfItem(item as Item)]));
}

/** Reads the items in the account's list of keys, oldest first. */
export function readKeyItems(owner: Owner): Promise<Item[]> {
  return queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': tableKeys.accountState(owner).pk, ':prefix': 'KEY#' },
  });
}

/** Copies the last use of keys to the account's list, before their entries are removed from the account state. */
export async function saveLastUse(
  owner: Owner,
  accountState: Item,
  hashes: readonly string[],
): Promise<void> {
  const entries = apiKeyEntries(accountState);
  const lastUses = new Map(hashes.map((hash) => [hash, entries[hash]?.u]));
  const items = (await readKeyItems(owner)).filter((item) => lastUses.get(String(item.hash)) !== undefined);
  await Promise.all(
    items.map((item) =>
      writeLastUse(
        tableKeys.accountKey(owner, item.createdAt as Instant, String(item.keyId)),
        lastUses.get(String(item.hash)) as number,
      ),
    ),
  );
}
