/**
 * The account that `npm start` comes with: made once, and kept as long as its keys work.
 */
import type { Stack } from './stack.ts';

/** An account with its keys, as `.local/stack.json` keeps it. */
export interface SeededAccount {
  readonly accountId: string;
  readonly plan: string;
  readonly keys: { readonly test: string; readonly live: string };
}

/** Returns `earlier` if both of its keys still open the API, else a new enterprise account. */
export async function seed(stack: Stack, earlier: SeededAccount | undefined): Promise<SeededAccount> {
  if (
    earlier &&
    (await works(stack.baseUrl, earlier.keys.test)) &&
    (await works(stack.baseUrl, earlier.keys.live))
  ) {
    return earlier;
  }
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { accountId, plan, keys } = await createAccount({ name: 'Local', plan: 'enterprise' });
  return { accountId, plan, keys: { test: keys.test, live: keys.live } };
}

/** Asked through the API, which alone decides: a key of another table, or of another secret, is refused with 401. */
async function works(baseUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/invoices?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status !== 401;
}
