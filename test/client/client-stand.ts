/** The service with a proxy in front of it that the client under test goes through, and what tests of it say often. */
import { Remit, type RemitOptions } from '../../client/src/remit.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';

export interface ClientStand {
  readonly stack: Stack;
  readonly proxy: FlakyProxy;
  /** A client of `account`, or of a fresh one. */
  client(account?: TestAccount, options?: Partial<RemitOptions>): Promise<Remit>;
  close(): Promise<void>;
}

/** What an invoice is created of. */
export const body = {
  customerId: 'cust_1',
  amount: 2500,
  currency: 'USD',
  description: 'Website design',
} as const;

export async function startClientStand(): Promise<ClientStand> {
  const stack = await startTestStack();
  const proxy = await startFlakyProxy(stack.baseUrl);
  return {
    stack,
    proxy,
    client: async (account, options) => {
      const { apiKey } = (account ?? (await newAccount(stack.baseUrl))).test;
      return new Remit({ apiKey, baseUrl: proxy.baseUrl, ...options });
    },
    close: async () => {
      await proxy.close();
      await stack.close();
    },
  };
}

/** What a call throws; itself throws if that is nothing. */
export async function thrownBy(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('It has not failed.');
}

/** All items of a list. */
export async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
