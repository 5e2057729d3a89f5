/** Creates an account with records in most states through the API, and edits its items in the table. */
import { expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from './api.ts';
import { cardPaymentBody, cards } from './pay.ts';
import type { TestItem, TestTable } from './table.ts';
import { untilRelayed } from './until-relayed.ts';
import { waitUntil } from './wait-until.ts';

export interface BusyAccount {
  readonly owner: Owner;
  readonly api: Api;
  /** Waits until the refunds are processed and the outbox is empty. */
  waitUntilQuiescent(): Promise<void>;
  /** Returns all records of a resource, oldest first. */
  records(prefix: 'inv_' | 'pay_' | 'ref_'): Promise<TestItem[]>;
}

/** Posts the body and returns the created resource. */
async function create(api: Api, path: string, body: object): Promise<TestItem> {
  const { status, json } = await api.post(path, body);
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json;
}

/**
 * Creates four invoices of two customers: one that is pending, one that was paid offline and partly refunded, one that
 * was paid by card after a declined card, and one that is cancelled. Their sequence numbers are in this order.
 */
export async function newBusyAccount(stack: Stack, table: TestTable): Promise<BusyAccount> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner: Owner = { account: accountId, mode: 'test' };
  const ids: string[] = [];
  for (const customerId of ['cust_1', 'cust_1', 'cust_2', 'cust_2']) {
    ids.push((await create(api, '/api/invoices', invoiceBody({ customerId }))).id);
  }
  const [, offline = '', byCard = '', cancelled] = ids;
  const payment = await create(api, '/api/payments', { invoiceId: offline, method: 'offline' });
  await create(api, '/api/payments', cardPaymentBody(byCard, cards.declined));
  await create(api, '/api/payments', cardPaymentBody(byCard, cards.completes));
  expect((await api.delete(`/api/invoices/${cancelled}`)).status).toBe(200);
  for (const amount of [500, 700]) await create(api, '/api/refunds', { paymentId: payment.id, amount });
  const records = async (prefix: string) => {
    const found = await table.all(prefix);
    return found.filter(({ account }) => account === accountId).sort((a, b) => a.seq - b.seq);
  };
  const waitUntilQuiescent = async () => {
    // A list of the account. A scan for its records reads the whole table.
    await waitUntil('refunds are processed', async () => {
      const { data } = (await api.get('/api/refunds?limit=100')).json;
      return data.every(({ status }: TestItem) => status === 'processed');
    });
    await untilRelayed(table, `${accountId}#test`);
  };
  await waitUntilQuiescent();
  return { owner, api, waitUntilQuiescent, records };
}

/** Changes fields of an item directly in the table. */
export async function overwriteItem(table: TestTable, { pk, sk }: TestItem, fields: TestItem): Promise<void> {
  await table.put({ ...(await table.get({ pk, sk })), ...fields });
}

/** Adds a sequence number to a set of the first index page of a list, or removes it. */
export async function editIndexPage(
  table: TestTable,
  {
    owner,
    resource,
    filterKey = '',
  }: { owner: Owner; resource: 'invoice' | 'payment' | 'refund'; filterKey?: string },
  set: string,
  seq: number,
  operation: 'add' | 'remove',
): Promise<void> {
  const key = tableKeys.indexPage(owner, resource, filterKey, 0);
  const page = (await table.get(key)) ?? key;
  const others = [...((page as TestItem)[set] ?? [])].filter(([low]: Uint8Array) => low !== seq);
  const numbers = operation === 'add' ? [...others, Uint8Array.of(seq)] : others;
  await table.put({ ...page, [set]: numbers.length > 0 ? new Set(numbers) : undefined });
}
