/**
 * Counts the capacity units of each request and of the background work that follows from it.
 *
 * - The invoices are typical: an email address as customer, 100 characters of description, and a payment URL as long as
 *   that of API Gateway.
 * - The account is as full as possible: ten API keys in its account state, and index pages with all sequence numbers.
 */
import type { Stack } from '../../infra/local/stack.ts';
import { toTimestamp } from '../../shared/base/time.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { pageSize, tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from './api.ts';
import { type CountedCall, countUnits } from './capacity-units.ts';
import { setClock, stopClock, type TestClock } from './clock.ts';
import { invokeWorker, toQueueEvent } from './crashing-workers.ts';
import type { HttpResponse } from './http.ts';
import { inNewestVersion } from './newest-version.ts';
import { seededRandom } from './seeded-random.ts';
import { type TestTable, tableOf } from './table.ts';

export interface PricedRequest {
  readonly name: string;
  readonly request: readonly CountedCall[];
  /** The calls of the outbox consumer. Empty if the request writes no outbox item. */
  readonly background: readonly CountedCall[];
}

const dayMs = 24 * 60 * 60 * 1000;
const body = invoiceBody({ customerId: 'accounts@example-company.com', description: 'd'.repeat(100) });
const description =
  'Website design, hosting and support for one year, with two rounds of changes and a monthly report on it.';
const ownData = (number: string) => ({ reference: `INV-2026-${number}`, metadata: { orderId: '1047' } });
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Runs each request once, on a stack whose clock and background work it stops. */
export const priceRequests = (stack: Stack): Promise<PricedRequest[]> => priceWith(stack, priceEach);

/** About 300 bytes of metadata with three keys, as JSON, and a reference of 20 characters. */
const typicalOwnData = (number: string) => ({
  reference: `INV-2026-00000000-${number}`,
  metadata: {
    costCenter: 'cc-4471-marketing',
    note: 'Website relaunch for the office in Thimphu, phase 2, with hosting and support until March, as agreed by mail. Karma Wangchuk approved it on 2026-11-20, and the second approval of the board is pending.',
    session: '7f3d2c1e-9a4b-4c55-8f6e-1b2a3c4d5e6f',
  },
});

/**
 * Creates an invoice with typical metadata and a reference, and one without, for descriptions of 40 and 100 characters. All
 * with an idempotency key.
 */
export const priceOwnData = (stack: Stack): Promise<PricedRequest[]> =>
  priceWith(stack, async (table, api, now, price) => {
    await api.post('/api/invoices', body);
    await relayOutbox(table, now);
    await fillPages(table);
    const priced: PricedRequest[] = [];
    for (const [index, characters] of [40, 100].entries()) {
      for (const [name, own] of [
        ['without', {}],
        ['with', typicalOwnData(`${index + 1}0`)],
      ] as const) {
        const sent = { ...body, ...own, description: description.slice(0, characters) };
        const key = `${name}, ${characters} characters`;
        const create = () => inNewestVersion(api).post('/api/invoices', sent, underKey(key));
        priced.push(await price(key, create), await price(`${key}, replayed`, create));
      }
    }
    return priced;
  });

/** Creates invoices with random descriptions of the maximum length, of one byte and of four bytes for each character. */
export const priceLongDescriptions = (stack: Stack): Promise<PricedRequest[]> =>
  priceWith(stack, async (table, api, now, price) => {
    await api.post('/api/invoices', body);
    await relayOutbox(table, now);
    await fillPages(table);
    const create = (name: string, first: string, count: number) =>
      price(name, () => {
        const random = seededRandom(name);
        const start = first.codePointAt(0) ?? 0;
        const letters = Array.from({ length: 5_000 }, () => start + random.integer(0, count - 1));
        const long = { ...body, description: String.fromCodePoint(...letters) };
        return api.post('/api/invoices', long, underKey(name));
      });
    return [await create('letters', 'a', 26), await create('emoji', '🐀', 64)];
  });

/** Creates an invoice with three lines, of an account with a seller profile and of one without, and reads it. */
export const priceDocuments = (stack: Stack): Promise<PricedRequest[]> =>
  priceWith(stack, async (table, api, now, price, accountId) => {
    const line = { description: 'Hosting, one year', quantity: '1', unitAmount: 20_000, tax: 'bt_gst_5' };
    const charged = { ...body, amount: undefined, currency: 'BTN', lines: [line, line, line] };
    const newest = inNewestVersion(api);
    await newest.post('/api/invoices', charged);
    await relayOutbox(table, now);
    await fillPages(table);
    const create = (name: string) => price(name, () => newest.post('/api/invoices', charged, underKey(name)));
    const plain = await create('without a seller');
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(accountId, {
      legalName: 'Druk Web Design Private Limited',
      address: { line1: 'Norzin Lam 12', city: 'Thimphu', postalCode: '11001', country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    });
    await relayOutbox(table, now);
    await create('first of the series');
    const documented = await create('with a seller');
    const { id } = (await newest.get('/api/invoices?limit=1')).json.data[0];
    return [
      plain,
      documented,
      await price('get', () => newest.get(`/api/invoices/${id}`)),
      await price('documents of an invoice', () => newest.get(`/api/invoices/${id}/documents`)),
      await price('offline payment', () => api.post('/api/payments', { invoiceId: id, method: 'offline' })),
    ];
  });

/** Creates an invoice that is due in a month, of an account with a plan of reminders and of one without. */
export const priceReminders = (stack: Stack): Promise<PricedRequest[]> =>
  priceWith(stack, async (table, api, now, price, accountId) => {
    await api.post('/api/invoices', body);
    await relayOutbox(table, now);
    await fillPages(table);
    const create = (name: string) => price(name, () => api.post('/api/invoices', body, underKey(name)));
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    const plain = await create('without a plan');
    await updateSettings(accountId, { mailReminders: '-3, 0' });
    const planned = await create('with a plan');
    await updateSettings(accountId, { mailReminders: null });
    return [plain, planned, await create('with a plan that has ended')];
  });

/** Creates an invoice without a key, and lets a schedule make the same one. The lease of its timer, which the sweep makes, is left out. */
export const priceSchedules = (stack: Stack): Promise<PricedRequest[]> =>
  priceWith(stack, async (table, api, now, price) => {
    await api.post('/api/invoices', body);
    const schedule = { every: { n: 1, unit: 'month' }, startOn: '2099-01-31', count: 1200, dueInDays: 30 };
    const { json } = await api.post('/api/schedules', { ...schedule, invoice: body });
    await relayOutbox(table, now);
    await fillPages(table);
    const item = await table.get(tableKeys.record(json.id));
    await table.put({ ...item, nextAt: now });
    const timer = { reference: json.id, kind: 'overdue', due: now, minute: 1 };
    return [
      await price('create', () => api.post('/api/invoices', body)),
      await price('occurrence', async () => {
        const failed = await invokeWorker(json.id, 'functions/background/overdue.ts', toQueueEvent(timer));
        return { status: failed ? 500 : 200, text: '' } as HttpResponse;
      }),
    ];
  });

async function priceWith(stack: Stack, priceAll: PriceAll): Promise<PricedRequest[]> {
  process.env.PAY_URL_BASE = 'https://abcde12345.execute-api.eu-central-1.amazonaws.com/prod/pay';
  const { clock, table } = await freezeStack(stack);
  const account = await newAccount(stack.baseUrl);
  await fillAccountState(stack, table, account);
  const counter = countUnits(stack);
  const price: Price = async (name, send) => {
    clock.advance(1_234);
    counter.take();
    const { status, text } = await send();
    if (status >= 400) throw new Error(`${name} returned ${status}: ${text}.`);
    const request = counter.take();
    await relayOutbox(table, clock.now());
    return { name, request, background: counter.take() };
  };
  try {
    return await priceAll(table, account.test, clock.now(), price, account.accountId);
  } finally {
    counter.remove();
    setClock();
    process.env.PAY_URL_BASE = stack.payUrlBase;
  }
}

/**
 * Stops the clock today, at a time with a typical number of digits, and pauses the background work. An earlier day would
 * not do, because DynamoDB deletes items whose time to live has ended on its own clock. Resets the watermark, so that all
 * minutes after this time are open, although the stack may have been started later.
 */
export async function freezeStack(stack: Stack): Promise<{ clock: TestClock; table: TestTable }> {
  const clock = stopClock(new Date().setUTCHours(11, 35, 17, 123));
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const table = tableOf(stack);
  await table.put({ ...tableKeys.watermark, closed: 1, done: 1 });
  return { clock, table };
}

type Price = (name: string, send: () => Promise<HttpResponse>) => Promise<PricedRequest>;
type PriceAll = (
  ...[table, api, now, price, accountId]: [TestTable, Api, number, Price, string]
) => Promise<PricedRequest[]>;

async function priceEach(table: TestTable, api: Api, now: number, price: Price): Promise<PricedRequest[]> {
  const paths: string[] = [];
  for (let count = 0; count < 3; count++) {
    paths.push(`/api/invoices/${(await api.post('/api/invoices', body)).json.id}`);
  }
  const [first = '', second = '', third = ''] = paths;
  await relayOutbox(table, now);
  const list = await price('list, 3 rows of one page', () => api.get('/api/invoices'));
  await fillPages(table);
  const create = () => api.post('/api/invoices', body, underKey('create'));
  const due = { dueDate: `${toTimestamp(now + 70 * dayMs).slice(0, 10)}T04:05:06Z` };
  return [
    await price('create', () => api.post('/api/invoices', body)),
    await price('create, with key', create),
    await price('create, replayed', create),
    await price('create, with key, reference and metadata', () =>
      inNewestVersion(api).post('/api/invoices', { ...body, ...ownData('0042') }, underKey('own data')),
    ),
    await price('create, with key, reference, metadata and 40 characters', () => {
      const short = { ...body, ...ownData('0043'), description: 'd'.repeat(40) };
      return inNewestVersion(api).post('/api/invoices', short, underKey('short'));
    }),
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

/** Fills the account state: ten API keys with all optional attributes, and a hundred thousand invoices. */
async function fillAccountState(
  { baseUrl }: Stack,
  table: TestTable,
  { accountId }: TestAccount,
): Promise<void> {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account: accountId, mode: 'test' as const };
  const expiresAt = Date.parse('2031-12-31T23:59:59Z');
  for (let count = 1; count < 10; count++) {
    const { value } = await createKey({ owner, name: 'Key', permissions: ['invoices:read'], expiresAt });
    await apiOf(baseUrl, value).get('/api/invoices');
  }
  const accountState = await table.get(tableKeys.accountState(owner));
  await table.put({ ...accountState, [accountStateAttributes.seq.invoice]: 100_040 });
}

/** Fills each index page: each sequence number is in as many sets as an invoice can be in. */
async function fillPages(table: TestTable): Promise<void> {
  const all = new Set(Array.from({ length: pageSize }, (_, low) => Uint8Array.of(low)));
  for (const page of await table.all('INDEX#')) await table.put({ ...page, c: all, o: all, p: all });
}

/** Relays all outbox items, one after the other. */
export async function relayOutbox(table: TestTable, now: number): Promise<void> {
  const { relay } = await import('../../shared/operations/outbox/relay.ts');
  for (const item of await table.all('OUTBOX#')) await relay(fromOutboxItem(item), now);
}
