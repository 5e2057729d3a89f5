/** Starts the service behind an unreliable proxy for tests of the client, and provides helpers for these tests. */
import { Remit, type RemitOptions } from '../../client/src/remit.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';

export interface ClientFixture {
  readonly stack: Stack;
  readonly proxy: FlakyProxy;
  /** Creates a client of `account`, or of a new account. */
  createClient(account?: TestAccount, options?: Partial<RemitOptions>): Promise<Remit>;
  close(): Promise<void>;
}

/** The body of a request that creates an invoice. */
export const body = {
  customerId: 'cust_1',
  amount: 2500,
  currency: 'USD',
  description: 'Website design',
} as const;

export async function startClientFixture(): Promise<ClientFixture> {
  const stack = await startTestStack();
  const proxy = await startFlakyProxy(stack.baseUrl);
  return {
    stack,
    proxy,
    createClient: async (account, options) => {
      const { apiKey } = (account ?? (await newAccount(stack.baseUrl))).test;
      return new Remit({ apiKey, baseUrl: proxy.baseUrl, ...options });
    },
    close: async () => {
      await proxy.close();
      await stack.close();
    },
  };
}

/** Returns what the call throws. Throws an error if the call succeeds. */
export async function catchError(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('The call succeeded although it should fail.');
}

/** Reads all items of a list. */
export async function readAll<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
