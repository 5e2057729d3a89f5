/** Compares the search with all records, and checks what it refuses, what it may show, and what deletions leave. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Permission } from '../../../shared/domain/auth/permissions.ts';
import type { SearchResult } from '../../../shared/domain/search/search.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const find = async (q: string, of: Api = api): Promise<SearchResult[]> => {
  const { status, json } = await of.get(`/api/search?q=${encodeURIComponent(q)}`);
  expect([q, status]).toEqual([q, 200]);
  return json.data;
};
const idsOf = (results: readonly { id: string }[]) => results.map(({ id }) => id);
const create = async (path: string, body: object, of: Api = api) => {
  const { status, json } = await of.post(path, body);
  expect([path, json, status]).toEqual([path, json, 201]);
  return json;
};
const entriesOf = ({ accountId }: TestAccount) => table.all(`SEARCH#${accountId}#`);

const names = [
  'Pema Lhamo',
  'Pema Choden',
  'José García',
  'པདྨ་ལྷ་མོ',
  'محمد علي',
  'Li Wei',
  'Chogyaltshenpa Stores',
  'Dorji & Sons',
];

/** Whether a record has the text, said in another way than the service does: with all of its fields in a row. */
function isHit(record: Record<string, unknown>, q: string): boolean {
  const lower = (value: unknown) => String(value ?? '').toLowerCase();
  const plain = (value: unknown) =>
    lower(value)
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '');
  const { buyer, card, customerId, email, reference } = record as Record<string, string> & {
    buyer?: { name: string };
    card?: { last4: string };
  };
  if (/^(drft|prod|sch)_/.test(String(record.id))) return record.id === q;
  const isPayment = String(record.id).startsWith('pay_');
  if ([record.id, customerId].includes(q) && !(isPayment && record.id !== q)) return true;
  if (reference && lower(reference) === lower(q)) return true;
  if (email && lower(email) === lower(q)) return true;
  if (card?.last4 === q) return true;
  if (/^\d+(\.\d\d)?$/.test(q)) return record.amount === Math.round(Number(q) * 100);
  const own = plain(record.name ?? buyer?.name).split(/[\s&་]+/);
  const words = plain(q)
    .split(/[\s&་]+/)
    .filter((word) => [...word].length > 1);
  return words.every((word) => own.some((each) => (word.length > 2 ? each.startsWith(word) : each === word)));
}

test('random searches find what a scan of all records finds, newest first', async () => {
  const random = seededRandom('search', 1);
  const records: Record<string, unknown>[] = [];
  for (const [index, name] of names.entries()) {
    const customer = { name, email: `c${index}@example.bt`, reference: `C-${index}` };
    records.push(await create('/api/customers', customer));
  }
  const cards = ['4242424242424242', '5555555555554444'];
  for (let index = 0; index < 24; index++) {
    const amount = random.integer(1, 6) * 125_00 + random.integer(0, 1);
    const name = random.pick(names) ?? '';
    const who = random.chance(0.5)
      ? { customerId: `own-${index % 5}` }
      : { customerId: `own-${index}`, buyer: { name } };
    const body = { amount, currency: random.pick(['BTN', 'USD']), description: 'Tea', ...who };
    const invoice = await create('/api/invoices', {
      ...body,
      ...(index % 3 === 0 && { reference: `R-${index}` }),
    });
    records.push(invoice);
    const card = { number: random.pick(cards), expMonth: 12, expYear: 2099, cvc: '123' };
    if (index % 4 === 0)
      records.push(await create('/api/payments', { invoiceId: invoice.id, method: 'card', card }));
    if (index % 4 === 1) {
      const transfer = { invoiceId: invoice.id, method: 'offline', reference: `JRNL${index}` };
      records.push(await create('/api/payments', transfer));
    }
  }
  for (const name of names) {
    records.push(await create('/api/products', { name, unitAmounts: { BTN: 12_500 } }));
    const draft = {
      customerId: 'own-3',
      amount: 12_500,
      currency: 'BTN',
      description: 'Tea',
      buyer: { name },
    };
    records.push(await create('/api/drafts', draft));
  }
  await untilRelayed(table, `${account.accountId}#test`);
  const queries = [
    ...records.flatMap(({ id, customerId, email, reference }) => [id, customerId, email, reference]),
    ...['125', '125.01', '250.00', '4242', '4444', '9999.99', 'nobody', 'own-3'],
    ...Array.from({ length: 60 }, () => {
      const words = (random.pick(names) ?? '').split(' ').filter((word) => word.length > 1);
      const cut = (word = '') => [...word].slice(0, random.integer(3, 12)).join('');
      return random.chance(0.3) ? words.map(cut).join(' ') : cut(random.pick(words));
    }),
  ].filter((q): q is string => typeof q === 'string' && [...q].length > 1);
  for (const q of new Set(queries)) {
    const expected = records.filter((record) => isHit(record, q)).map(({ id }) => id as string);
    const found = await find(q);
    expect([q, idsOf(found).sort()]).toEqual([q, expected.sort()]);
    const times = found.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
  }
  const [invoice] = records.filter(({ id }) => String(id).startsWith('inv_'));
  const shown = await api.get(`/api/search?q=${invoice?.id}`);
  expect(shown.json.data).toEqual([
    {
      type: 'invoice',
      id: invoice?.id,
      matchedBy: 'id',
      name: (invoice?.buyer as { name: string } | null)?.name ?? null,
      customerId: invoice?.customerId,
      invoiceId: invoice?.id,
      parentId: null,
      reference: invoice?.reference,
      amount: invoice?.amount,
      currency: invoice?.currency,
      status: expect.any(String),
      createdAt: invoice?.createdAt,
    },
  ]);
});

test.each(['1250', '1,250.00', 'Nu. 1250', '₹1,250', '1250 BTN', 'USD 1250.00', ' 1250.0 '])(
  'the amount %s is found in every currency that it can have',
  async (q) => {
    const own = await newAccount(stack.baseUrl);
    const invoices = await Promise.all(
      ['BTN', 'INR', 'USD'].map((currency) =>
        create('/api/invoices', invoiceBody({ amount: 125_000, currency }), own.test),
      ),
    );
    await untilRelayed(table, `${own.accountId}#test`);
    const only = /nu|btn/i.test(q) ? 'BTN' : /₹/.test(q) ? 'INR' : /usd/i.test(q) ? 'USD' : undefined;
    const expected = invoices.filter(({ currency }) => only === undefined || currency === only);
    expect(idsOf(await find(q, own.test)).sort()).toEqual(idsOf(expected).sort());
  },
);

test('a changed amount, buyer or name leads to the record, and the former one does not', async () => {
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const buyer = { name: 'Karma Wangdi' };
  const invoice = await create(
    '/api/invoices',
    invoiceBody({ customerId: 'k-1', amount: 4_400, buyer }),
    client,
  );
  const customer = await create('/api/customers', { name: 'Yeshey Dema', reference: 'Y-1' }, client);
  await untilRelayed(table, `${own.accountId}#test`);
  expect(idsOf(await find('wangdi', client))).toEqual([invoice.id]);
  await client.patch(`/api/invoices/${invoice.id}`, { amount: 5_500, buyer: { name: 'Sonam Tobgay' } });
  await client.patch(`/api/customers/${customer.id}`, { name: 'Yeshey Zangmo', reference: null });
  await untilRelayed(table, `${own.accountId}#test`);
  for (const q of ['44', 'karma', 'wangdi', 'dema', 'Y-1'])
    expect([q, await find(q, client)]).toEqual([q, []]);
  expect(idsOf(await find('55.00', client))).toEqual([invoice.id]);
  expect(idsOf(await find('sonam tob', client))).toEqual([invoice.id]);
  expect(idsOf(await find('yes zang', client))).toEqual([customer.id]);
  // No term of before is left: the amount, two words of the buyer, and two of the customer.
  expect(await entriesOf(own)).toHaveLength(5);
});

// Costs one invoice and two updates.
test('updates that are relayed in the wrong order keep the values that come back', async () => {
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const buyer = { name: 'Karma Wangdi' };
  const { id } = await create('/api/invoices', invoiceBody({ amount: 4_400, buyer }), client);
  await client.patch(`/api/invoices/${id}`, { amount: 5_500, buyer: { name: 'Sonam' } });
  await client.patch(`/api/invoices/${id}`, { amount: 4_400, buyer });
  await untilRelayed(table, `${own.accountId}#test`);
  const events = (await client.get('/api/events?type=invoice.updated')).json.data as { type: string }[];
  const { storeSearchEntries } = await import('../../../shared/operations/outbox/store-search-entries.ts');
  const owner = { account: own.accountId, mode: 'test' } as const;
  for (const event of events)
    await storeSearchEntries(owner, [{ type: 'invoice.updated', body: JSON.stringify(event) }]);
  expect(idsOf(await find('44', client))).toEqual([id]);
  expect(idsOf(await find('wangdi', client))).toEqual([id]);
  for (const q of ['55', 'sonam']) expect([q, await find(q, client)]).toEqual([q, []]);
});

test('a payment that was voided is found as voided', async () => {
  const other = await newAccount(stack.baseUrl);
  const own = inNewestVersion(other.test);
  const { id: invoiceId } = (
    await own.post('/api/invoices', invoiceBody({ amount: 5000, acceptPartial: true }))
  ).json;
  const offline = { invoiceId, method: 'offline', amount: 4321, reference: 'FT 4321' };
  const { json: payment } = await own.post('/api/payments', offline);
  const statuses = async () => {
    const { data } = (await own.get('/api/search?q=FT%204321')).json;
    return data.map(({ id, status }: { id: string; status: string }) => [id, status]);
  };
  await untilRelayed(table, `${other.accountId}#test`);
  expect(await statuses()).toEqual([[payment.id, 'completed']]);
  await own.post(`/api/payments/${payment.id}/void`, { reason: 'Typed by mistake' });
  expect(await statuses()).toEqual([[payment.id, 'voided']]);
});

test('a deletion and an erasure remove what leads to a name', async () => {
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const { id } = await create('/api/customers', { name: 'Ugyen Tshomo', reference: 'U-1' }, client);
  expect(await entriesOf(own)).toHaveLength(3);
  expect((await client.delete(`/api/customers/${id}`)).status).toBe(200);
  expect(await entriesOf(own)).toEqual([]);
  const email = 'ugyen@example.bt';
  await create('/api/customers', { name: 'Ugyen Tshomo', email }, client);
  const invoice = await create(
    '/api/invoices',
    invoiceBody({ customerId: email, amount: 700, buyer: { name: 'Ugyen' } }),
    client,
  );
  await client.patch(`/api/invoices/${invoice.id}`, { buyer: { name: 'Ugyen Tshomo' } });
  const payment = { invoiceId: invoice.id, method: 'offline', reference: 'Transfer of Ugyen' };
  await create('/api/payments', payment, client);
  await untilRelayed(table, `${own.accountId}#test`);
  expect(await entriesOf(own)).toHaveLength(7);
  const { eraseCustomer, newPseudonym } = await import(
    '../../../shared/operations/erasure/erase-customer.ts'
  );
  await eraseCustomer({ account: own.accountId, mode: 'test' }, email, {
    pseudonym: newPseudonym(),
    dryRun: false,
    wait: async () => {},
    onProgress: () => {},
  });
  // The amounts of the invoice and of the payment are left.
  expect(await entriesOf(own)).toHaveLength(2);
  for (const q of ['ugyen', email, 'Transfer of Ugyen']) expect([q, await find(q, client)]).toEqual([q, []]);
  expect(await find('7.00', client)).toHaveLength(2);
});

test('a key gets only the kinds of records that it may read, and only its own mode', async () => {
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const invoice = await create('/api/invoices', invoiceBody({ amount: 31_100, customerId: 'same' }), client);
  await create('/api/payments', { invoiceId: invoice.id, method: 'offline' }, client);
  await untilRelayed(table, `${own.accountId}#test`);
  expect(await find('311', client)).toHaveLength(2);
  expect(await find('311', inNewestVersion(own.live))).toEqual([]);
  const limited = async (...permissions: Permission[]) =>
    inNewestVersion(apiOf(stack.baseUrl, await newKey(own, { permissions })));
  const kindsOf = async (of: Api) => (await find('311', of)).map(({ type }) => type);
  expect(await kindsOf(await limited('invoices:read'))).toEqual(['invoice']);
  expect(await kindsOf(await limited('invoices:read', 'payments:read'))).toEqual(['payment', 'invoice']);
  expect(await kindsOf(await limited('payments:read'))).toEqual(['payment']);
  expect(await kindsOf(await limited('customers:read'))).toEqual([]);
  const without = await limited('account:read');
  const refused = await without.get('/api/search?q=311');
  expectError(refused, 403, 'insufficient_permissions');
  expect(refused.json.error.message).toContain('`invoices:read` or `payments:read` or `refunds:read` or');
});

// Costs 41 invoices, 13 payments and 40 writes of 25 items.
test('an amount is found behind many newer ones of other currencies and kinds, or the response says so', async () => {
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const amount = 77_700;
  const sales = [];
  for (let index = 0; index < 13; index++)
    sales.push(await create('/api/invoices', invoiceBody({ amount, currency: 'BTN' }), client));
  for (const { id } of sales) await create('/api/payments', { invoiceId: id, method: 'offline' }, client);
  for (let index = 0; index < 28; index++)
    await create('/api/invoices', invoiceBody({ amount, currency: 'USD' }), client);
  await untilRelayed(table, `${own.accountId}#test`);
  const permissions: Permission[] = ['payments:read'];
  const reader = inNewestVersion(apiOf(stack.baseUrl, await newKey(own, { permissions })));
  const search = async (q: string, of: Api) => (await of.get(`/api/search?q=${encodeURIComponent(q)}`)).json;
  const ofKind = await search('777', reader);
  expect([ofKind.data.length, ofKind.hasMore]).toEqual([13, false]);
  const both = await search('Nu. 777', client);
  expect([both.data.length, both.hasMore]).toEqual([20, true]);
  expect(both.data.every(({ currency }: SearchResult) => currency === 'BTN')).toBe(true);

  const newer = Array.from({ length: 1_000 }, (_, index) => ({
    id: `inv_${index}`,
    createdAt: Date.UTC(2090, 0) + index,
  }));
  const { tableHasher } = await import('../../../shared/platform/secrets/deployment-secret.ts');
  const { searchEntriesOf } = await import('../../../shared/store/search/search-entries.ts');
  const hash = await tableHasher();
  const owner = { account: own.accountId, mode: 'test' as const };
  const terms = [{ kind: 'amount' as const, value: String(amount), currency: 'USD' }];
  const entries = newer.flatMap(({ id, createdAt }) =>
    searchEntriesOf(hash, { ...owner, id, createdAt, terms, name: undefined }),
  );
  await table.putAll(entries);
  expect(await search('Nu. 777', client)).toEqual({ data: [], hasMore: true });
});

test.each(['', 'q=', 'q=a', 'q=%20b%20', `q=${'a'.repeat(10_000)}`, 'q=aa&q=bb'])(
  'the query %s is refused',
  async (query) => {
    expectError(await api.get(`/api/search?${query}`), 400, 'invalid_q', 'q');
  },
);

test.each(['**', '%%', "' OR 1=1", '🙂🙂', '\u202eabc', '--', 'a'.repeat(200)])(
  'the text %s finds nothing',
  async (q) => {
    expect(await find(q)).toEqual([]);
  },
);
