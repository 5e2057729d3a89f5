/** An account in which a bit of everything has happened, through the API; and its records as the table has them. */
import { expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import { keys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from './api.ts';
import { cardBody, cards } from './pay.ts';
import type { TestItem, TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

export interface BusyAccount {
  readonly owner: Owner;
  readonly api: Api;
  /** Nothing of it waits to be published. */
  atRest(): Promise<void>;
  /** All records of a resource, oldest first. */
  records(prefix: 'inv_' | 'pay_' | 'ref_'): Promise<TestItem[]>;
}

/** Posts, and returns what was created. */
async function created(api: Api, path: string, body: object): Promise<TestItem> {
  const { status, json } = await api.post(path, body);
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json;
}

/**
 * In the order of their numbers: an invoice that is pending, one that was paid outside and partly refunded, one that was
 * paid by card after a first card was declined, a cancelled one; of two customers.
 */
export async function newBusyAccount(stack: Stack, table: TestTable): Promise<BusyAccount> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner: Owner = { account: accountId, mode: 'test' };
  const ids: string[] = [];
  for (const customerId of ['cust_1', 'cust_1', 'cust_2', 'cust_2']) {
    ids.push((await created(api, '/api/invoices', invoiceBody({ customerId }))).id);
  }
  const [, outside = '', byCard = '', cancelled] = ids;
  const payment = await created(api, '/api/payments', { invoiceId: outside, method: 'offline' });
  await created(api, '/api/payments', cardBody(byCard, cards.declined));
  await created(api, '/api/payments', cardBody(byCard, cards.completes));
  expect((await api.delete(`/api/invoices/${cancelled}`)).status).toBe(200);
  for (const amount of [500, 700]) await created(api, '/api/refunds', { paymentId: payment.id, amount });
  const records = async (prefix: string) => {
    const found = await table.all(prefix);
    return found.filter(({ account }) => account === accountId).sort((a, b) => a.seq - b.seq);
  };
  const atRest = async () => {
    await waitUntil('refunds are processed', async () =>
      (await records('ref_')).every(({ status }) => status === 'processed'),
    );
    await waitUntil(
      'the outbox is empty',
      async () => (await table.outboxOf(`${accountId}#test`)).length === 0,
    );
  };
  await atRest();
  return { owner, api, atRest, records };
}

/** Changes an item behind the service's back. */
export async function tamper(table: TestTable, { pk, sk }: TestItem, fields: TestItem): Promise<void> {
  await table.put({ ...(await table.get({ pk, sk })), ...fields });
}

/** Takes a number out of a set of an index page, or puts it in. */
export async function tamperPage(
  table: TestTable,
  {
    owner,
    resource,
    dimension = '',
  }: { owner: Owner; resource: 'invoice' | 'payment' | 'refund'; dimension?: string },
  set: string,
  seq: number,
  deed: 'add' | 'remove',
): Promise<void> {
  const key = keys.indexPage(owner, resource, dimension, 0);
  const page = (await table.get(key)) ?? key;
  const others = [...((page as TestItem)[set] ?? [])].filter(([low]: Uint8Array) => low !== seq);
  const numbers = deed === 'add' ? [...others, Uint8Array.of(seq)] : others;
  await table.put({ ...page, [set]: numbers.length > 0 ? new Set(numbers) : undefined });
}
