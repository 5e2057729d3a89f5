/**
 * Keeps the entries of API keys in an account state in line with the items of the keys, and signs them. `key-store.ts` decides
 * which keys to create and to revoke.
 */
import { areSameRights, isKeyOf, rightsOfItem } from '../auth/key-rights.ts';
import { isMadeBy, isSigned } from '../auth/key-signature.ts';
import { keyFaultOf, readKeyItem } from '../auth/store.ts';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { accountStateAttributes } from '../store/account-state.ts';
import {
  apiKeyEntries,
  changeApiKeyEntries,
  isClosed,
  readAccountState,
  writeLastUse,
} from '../store/account-state-keys.ts';
import { tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import type { Instant } from '../time.ts';
import { AccountClosedError, maxUsableKeys } from './account.ts';
import { readKeyItems } from './key-items.ts';
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

/** Whether a key counts against the limit of usable keys: it is usable, and no other key has replaced it. */
export const countsAgainstLimit = (item: Item, at: Instant): boolean =>
  item.replacedBy === undefined && !keyFaultOf(item, at);

/**
 * Brings the entries of the account state in line with the items of the keys, and signs them: the usable keys that have an
 * entry, the keys that replace one of these, and the one to add. So a new key becomes usable in the same write that limits
 * the key that it replaces, also if the roll over was interrupted. Tries again until a read shows that all are in line. So
 * after the last of several changes at once, no entry is what an earlier one of them read.
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
    const usable = await readUsableItems(owner, hashes, at);
    if (remove !== undefined) usable.delete(remove);
    const counted = [...usable.values()].filter((item) => countsAgainstLimit(item, at)).length;
    if (add !== undefined && !entries[add] && counted > maxUsableKeys)
      return new ApiError('key_limit_reached');
    const after = Object.fromEntries([...usable].map(([hash, item]) => [hash, rightsOfItem(item)]));
    const removed = Object.keys(entries).filter((hash) => !after[hash]);
    await saveLastUse(owner, before, removed);
    const put = Object.entries(after).filter(
      ([hash, rights]) => !entries[hash] || !areSameRights(entries[hash], rights),
    );
    const signature = signer?.sign(owner, after);
    const signed = before[accountStateAttributes.keySignature] as Uint8Array | undefined;
    const isSignatureCurrent = !signature || (signed && Buffer.compare(signature, signed) === 0);
    if (put.length === 0 && removed.length === 0 && isSignatureCurrent) return undefined;
    await changeApiKeyEntries(owner, { before, put: Object.fromEntries(put), remove: removed, signature });
  }
}

/**
 * Reads the items of the keys that are neither revoked nor expired, by hash: of those with these hashes, and of the keys that
 * replace them.
 */
async function readUsableItems(
  owner: Owner,
  hashes: Iterable<string>,
  at: Instant,
): Promise<Map<string, Item>> {
  const read = new Map<string, Item | undefined>();
  for (let missing = [...hashes]; missing.length > 0; ) {
    const items = await Promise.all(missing.map(readKeyItem));
    for (const [index, hash] of missing.entries()) read.set(hash, items[index]);
    const replacements = items.flatMap((item) => (item?.replacedBy as string | undefined) ?? []);
    missing = replacements.filter((hash) => !read.has(hash));
  }
  const isUsable = (item: Item) => isKeyOf(owner, item) && !keyFaultOf(item, at);
  return new Map([...read].flatMap(([hash, item]) => (item && isUsable(item) ? [[hash, item]] : [])));
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
