/**
 * What each request costs in capacity units, and what follows from it in the background: for invoices as they usually
 * are (an e-mail address, 100 characters of description, a payment URL of API Gateway's length), in an account that is
 * as full as can be (ten keys in its head, index pages that hold all of their numbers).
 */
import type { Stack } from '../../infra/local/stack.ts';
import { headAttributes } from '../../shared/store/heads.ts';
import { keys, pageSize } from '../../shared/store/keys.ts';
import type { OutboxItem } from '../../shared/store/outbox.ts';
import { setClock } from '../../shared/time.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from './api.ts';
import { stopClock, type TestClock } from './clock.ts';
import type { HttpResponse } from './http.ts';
import { type TestTable, tableOf } from './table.ts';
import { type CountedCall, countUnits } from './units.ts';

export interface PricedRequest {
  readonly name: string;
  readonly request: readonly CountedCall[];
  /** Of the consumer of the outbox; empty where nothing follows. */
  readonly background: readonly CountedCall[];
}

const body = invoiceBody({ customerId: 'accounts@example-company.com', description: 'd'.repeat(100) });
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Runs each request once, on a stack whose clock it stops and whose background it holds still. */
export async function priceRequests(stack: Stack): Promise<PricedRequest[]> {
  process.env.PAY_URL_BASE = 'https://abcde12345.execute-api.eu-central-1.amazonaws.com/prod/pay';
  const { clock, table } = await standStill(stack);
  const account = await newAccount(stack.baseUrl);
  await fillHead(stack, table, account);
  const counter = countUnits(stack);
  const price: Price = async (name, send) => {
    clock.advance(1_234);
    counter.take();
    const { status, text } = await send();
    if (status >= 400) throw new Error(`${name} was answered ${status}: ${text}`);
    const request = counter.take();
    await publishAll(table, clock.now());
    return { name, request, background: counter.take() };
  };
  try {
    return await priceEach(table, account.test, clock.now(), price);
  } finally {
    counter.remove();
    setClock();
    process.env.PAY_URL_BASE = stack.payUrlBase;
  }
}

/**
 * Stops the clock at a time whose digits are as many as those of most, and holds the background still. The minutes ahead
 * of this clock are open, however late it was by the real one when the stack was started.
 */
export async function standStill(stack: Stack): Promise<{ clock: TestClock; table: TestTable }> {
  const clock = stopClock(Date.parse('2026-11-21T11:35:17.123Z'));
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const table = tableOf(stack);
  await table.put({ ...keys.watermark, closed: 1, done: 1 });
  return { clock, table };
}

type Price = (name: string, send: () => Promise<HttpResponse>) => Promise<PricedRequest>;

async function priceEach(table: TestTable, api: Api, now: number, price: Price): Promise<PricedRequest[]> {
  const paths: string[] = [];
  for (let count = 0; count < 3; count++) {
    paths.push(`/api/invoices/${(await api.post('/api/invoices', body)).json.id}`);
  }
  const [first = '', second = '', third = ''] = paths;
  await publishAll(table, now);
  const list = await price('list, 3 rows of one page', () => api.get('/api/invoices'));
  await fillPages(table);
  const create = () => api.post('/api/invoices', body, underKey('create'));
  const due = { dueDate: '2027-02-03T04:05:06Z' };
  return [
    await price('create', () => api.post('/api/invoices', body)),
    await price('create, with key', create),
    await price('create, replayed', create),
    await price('update', () => api.patch(first, { amount: 260_000 })),
    await price('update, with key', () => api.patch(first, { amount: 270_000 }, underKey('update'))),
    await price('update of the due date, with key', () => api.patch(first, due, underKey('due'))),
    await price('update that changes nothing, with key', () => api.patch(first, due, underKey('same'))),
    await price('cancel', () => api.delete(second)),
    await price('cancel, with key', () => api.delete(third, underKey('cancel'))),
    await price('get', () => api.get(first)),
    list,
  ];
}

/** Ten keys, each with all that an entry of the head can have, and a hundred thousand invoices. */
async function fillHead({ baseUrl }: Stack, table: TestTable, { accountId }: TestAccount): Promise<void> {
  const { createKey } = await import('../../shared/accounts/key-store.ts');
  const owner = { account: accountId, mode: 'test' as const };
  const expiresAt = Date.parse('2031-12-31T23:59:59Z');
  for (let count = 1; count < 10; count++) {
    const { value } = await createKey({ owner, name: 'Key', permissions: ['invoices:read'], expiresAt });
    await apiOf(baseUrl, value).get('/api/invoices');
  }
  const head = await table.get(keys.head(owner));
  await table.put({ ...head, [headAttributes.seq.invoice]: 100_040 });
}

/** All numbers of each page are in as many sets as an invoice can pass through. */
async function fillPages(table: TestTable): Promise<void> {
  const all = new Set(Array.from({ length: pageSize }, (_, low) => Uint8Array.of(low)));
  for (const page of await table.all('INDEX#')) await table.put({ ...page, c: all, o: all, p: all });
}

async function publishAll(table: TestTable, now: number): Promise<void> {
  const { publish } = await import('../../shared/webhooks/publish.ts');
  for (const item of await table.all('OUTBOX#')) await publish(item as OutboxItem, now);
}
