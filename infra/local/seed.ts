/**
 * Provides the account of `npm start`. It is created once and reused while its keys are valid.
 */
import type { Mode } from '../../shared/base/ids.ts';
import type { Stack } from './stack.ts';

/** An account with its keys, as in `.local/stack.json`. */
export interface SeededAccount {
  readonly accountId: string;
  readonly plan: string;
  readonly keys: { readonly test: string; readonly live: string };
}

const accountName = 'Local';
const displayName = 'Local shop';

/**
 * Returns the account to use.
 *
 * - It is `previous` if the API accepts both of its keys.
 * - If `.local/stack.json` was lost or damaged, the account of an earlier start gets new keys.
 * - Without such an account, a new one with the enterprise plan is created.
 */
export async function seed(stack: Stack, previous: SeededAccount | undefined): Promise<SeededAccount> {
  if (
    previous &&
    (await isAccepted(stack.baseUrl, previous.keys.test)) &&
    (await isAccepted(stack.baseUrl, previous.keys.live))
  ) {
    return previous;
  }
  const { createAccount, listAccounts } = await import('../../shared/domain/accounts/account-store.ts');
  const known = (await listAccounts()).find(({ name }) => name === accountName);
  if (known) {
    const keys = {
      test: await replaceKey(known.accountId, 'test'),
      live: await replaceKey(known.accountId, 'live'),
    };
    return { accountId: known.accountId, plan: known.plan, keys };
  }
  const { accountId, plan, keys } = await createAccount({
    name: accountName,
    plan: 'enterprise',
    displayName,
  });
  return { accountId, plan, keys: { test: keys.test, live: keys.live } };
}

/** Creates a key. Revokes the default keys of earlier starts, whose values are lost. */
async function replaceKey(account: string, mode: Mode): Promise<string> {
  const { createKey, listKeys, revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account, mode };
  const lost = (await listKeys(owner)).filter(
    ({ name, revokedAt }) => name === 'Default' && revokedAt === undefined,
  );
  for (const { keyId } of lost) await revokeKey(owner, keyId);
  return (await createKey({ owner, name: 'Default' })).value;
}

/** Returns true if the API accepts the key. It returns 401 for keys of another table or another deployment secret. */
async function isAccepted(baseUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/invoices?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status !== 401;
}
