/**
 * The account that `npm start` comes with: made once, and kept as long as its keys work.
 */
import type { Mode } from '../../shared/ids.ts';
import type { Stack } from './stack.ts';

/** An account with its keys, as `.local/stack.json` keeps it. */
export interface SeededAccount {
  readonly accountId: string;
  readonly plan: string;
  readonly keys: { readonly test: string; readonly live: string };
}

const accountName = 'Local';

/**
 * Returns `earlier` if both of its keys still open the API. If `.local/stack.json` was lost or damaged, the account
 * of an earlier start gets new keys; if there is none, a new enterprise account is made.
 */
export async function seed(stack: Stack, earlier: SeededAccount | undefined): Promise<SeededAccount> {
  if (
    earlier &&
    (await works(stack.baseUrl, earlier.keys.test)) &&
    (await works(stack.baseUrl, earlier.keys.live))
  ) {
    return earlier;
  }
  const { createAccount, listAccounts } = await import('../../shared/accounts/store.ts');
  const known = (await listAccounts()).find(({ name }) => name === accountName);
  if (known) {
    const keys = {
      test: await freshKey(known.accountId, 'test'),
      live: await freshKey(known.accountId, 'live'),
    };
    return { accountId: known.accountId, plan: known.plan, keys };
  }
  const { accountId, plan, keys } = await createAccount({ name: accountName, plan: 'enterprise' });
  return { accountId, plan, keys: { test: keys.test, live: keys.live } };
}

/** A new key in place of those that earlier starts have lost. */
async function freshKey(account: string, mode: Mode): Promise<string> {
  const { createKey, listKeys, revokeKey } = await import('../../shared/accounts/key-store.ts');
  const owner = { account, mode };
  const lost = (await listKeys(owner)).filter(
    ({ name, revokedAt }) => name === 'Default' && revokedAt === undefined,
  );
  for (const { keyId } of lost) await revokeKey(owner, keyId);
  return (await createKey({ owner, name: 'Default' })).value;
}

/** Asked through the API, which alone decides: a key of another table, or of another secret, is refused with 401. */
async function works(baseUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/invoices?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status !== 401;
}
