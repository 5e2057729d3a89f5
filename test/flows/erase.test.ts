/** Tests the erasure of a customer: what it erases and what stays, and what sees it while it runs and afterwards. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { queues, triggers } from '../../infra/triggers.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { scheduleBody } from '../contract/examples.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { editIndexPage } from '../support/busy-account.ts';
import { findTexts } from '../support/find-texts.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let receiver: MailboxReceiver;
let api: Api;
let owner: Owner;
let changeSeller: typeof import('../../shared/domain/accounts/seller-change-store.ts').changeSeller;
let erasure: typeof import('../../shared/operations/erasure/erase-customer.ts');

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startTestStack(), startMailboxReceiver()]);
  table = tableOf(stack);
  ({ changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts'));
  erasure = await import('../../shared/operations/erasure/erase-customer.ts');
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  api = account.test;
  owner = { account: account.accountId, mode: 'test' };
});
afterAll(() => Promise.all([stack.close(), receiver.close()]));

const customer = 'Dorji.Wangchuk@Example.bt';
const personal = {
  description: 'Wedding of “Dorji” & Pema',
  changed: 'Wedding of Dorji, second version',
  reference: 'Transfer from Dorji Wangchuk, Thimphu',
  reason: 'Dorji was ill',
};
const texts = [customer, ...Object.values(personal)];
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const wait = (ms: number, _reason: string) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 30)));
const erase = (options = {}) =>
  erasure.eraseCustomer(owner, customer, {
    pseudonym: erasure.newPseudonym(),
    dryRun: false,
    wait,
    onProgress: () => {},
    ...options,
  });

async function send(path: string, body: object, key?: string): Promise<TestItem> {
  const { status, json } = await api.post(path, body, key === undefined ? {} : underKey(key));
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json;
}
const newInvoice = (fields: object = {}, key?: string) =>
  send(
    '/api/invoices',
    invoiceBody({ customerId: customer, description: personal.description, ...fields }),
    key,
  );
const totalOf = async (path: string) => (await api.get(path)).json.pagination.total;
const listOf = async (path: string): Promise<TestItem[]> =>
  (await api.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`)).json.data;

/** The items that name the account. */
const accountItems = async () =>
  (await table.all('')).filter((item) => JSON.stringify(item).includes(owner.account));

/** Creates invoices in every state, with payments, refunds, keys and deliveries. Returns the ids of the invoices. */
async function createAll() {
  const pending = await newInvoice({}, 'create');
  await api.patch(`/api/invoices/${pending.id}`, { description: personal.changed }, underKey('update'));
  const paid = await newInvoice({ customerId: customer.toLowerCase() });
  const offline = { invoiceId: paid.id, method: 'offline', reference: personal.reference };
  const payment = await send('/api/payments', offline, 'pay');
  const refund = await send(
    '/api/refunds',
    { paymentId: payment.id, amount: 100, reason: personal.reason },
    'refund',
  );
  const byCard = await newInvoice();
  await send('/api/payments', cardPaymentBody(byCard.id, cards.declined), 'declined');
  await send('/api/payments', cardPaymentBody(byCard.id, cards.completes), 'card');
  const cancelled = await newInvoice();
  await api.delete(`/api/invoices/${cancelled.id}`, underKey('cancel'));
  await send('/api/drafts', { customerId: customer, description: personal.description }, 'draft');
  const other = await newInvoice({ customerId: 'other', description: 'Stays' }, 'other');
  await waitUntil('the refund is processed', async () => {
    return (await api.get(`/api/refunds/${refund.id}`)).json.status === 'processed';
  });
  return { pending, paid, payment, refund, byCard, cancelled, other };
}

const untilRelayed = () =>
  waitUntil(
    'all is relayed',
    async () => (await table.outboxOf(`${owner.account}#${owner.mode}`)).length === 0,
  );

/** What stays of a resource: all fields but those with personal data. */
function withoutPersonalData(resource: TestItem): TestItem {
  const { customerId: _, description: __, reference: ___, reason: ____, ...rest } = resource;
  return rest;
}

async function expectNoDifferences(): Promise<void> {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  for (const full of [false, true]) {
    const result = await reconcileNow(owner, { full, waitsMs: [0] });
    expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
  }
}

test('credit of the customer moves to the pseudonym, and pays its open invoice', async () => {
  const newest = inNewestVersion(api);
  const kept = await newInvoice();
  await newest.patch(`/api/invoices/${kept.id}`, { acceptPartial: true });
  const source = await newest.post('/api/payments', { invoiceId: kept.id, method: 'offline', amount: 700 });
  expect((await newest.delete(`/api/invoices/${kept.id}?payments=credit`)).status).toBe(200);
  const open = await newInvoice();
  await untilRelayed();
  const named = async () =>
    (await table.all('CREDITS#')).filter(({ pk }) => pk.includes(owner.account)).map(({ sk }) => sk);
  const [before] = await named();

  await erase();
  const after = await named();
  expect([after.length, after[0] === before]).toEqual([1, false]);
  await expectNoDifferences();
  const used = await newest.post('/api/payments', { invoiceId: open.id, method: 'credit' });
  expect(used.json).toMatchObject({ status: 'completed', amount: 700, creditFrom: source.json.id });
  expect(await named()).toEqual([]);
});

test('no item contains personal data, and amounts, statuses, dates and ids stay', async () => {
  await createAll();
  await untilRelayed();
  await expectNoDifferences();
  const before = {
    invoices: await listOf('/api/invoices'),
    payments: await listOf('/api/payments'),
    refunds: await listOf('/api/refunds'),
    events: await listOf('/api/events'),
  };
  expect(findTexts(await accountItems(), texts).length).toBeGreaterThan(15);

  const { pseudonym, counts } = await erase();
  expect(pseudonym).toMatch(/^erased-[0-9a-z]{16}$/);
  expect(counts).toEqual({
    customers: 0,
    invoices: 4,
    payments: 3,
    refunds: 1,
    documents: 0,
    drafts: 1,
    schedules: 0,
    mails: 0,
    rows: 0,
    events: 12,
    answers: 8,
    deliveries: 0,
  });
  await untilRelayed();
  expect(findTexts(await table.all(''), texts)).toEqual([]);
  expect(await table.all('ERASURE#')).toEqual([]);

  for (const [name, old] of Object.entries(before)) {
    const now = await listOf(`/api/${name}`);
    const kept = (row: TestItem) =>
      name === 'events' ? { ...row, data: withoutPersonalData(row.data) } : withoutPersonalData(row);
    expect(now.map(kept)).toEqual(old.map(kept));
  }
  for (const { customerId, description } of await listOf('/api/invoices')) {
    expect([customerId, description]).toEqual(
      customerId === 'other' ? ['other', 'Stays'] : [pseudonym, '[erased]'],
    );
  }
  expect((await listOf('/api/refunds'))[0]?.reason).toBe('[erased]');
  const payments = await listOf('/api/payments');
  expect(payments.map(({ reference }) => reference)).toEqual([null, null, '[erased]']);
  await expectNoDifferences();
});

test('its schedules end, and the invoice that they make is deleted', async () => {
  const invoice = { customerId: customer, amount: 900, currency: 'BTN', description: personal.description };
  const { id } = await send('/api/schedules', scheduleBody({ invoice }), 'schedule');
  await send('/api/schedules', scheduleBody(), 'other schedule');
  await untilRelayed();
  const { counts } = await erase();
  expect(counts).toMatchObject({ schedules: 1, answers: 1 });
  await untilRelayed();
  expect(findTexts(await accountItems(), texts)).toEqual([]);
  expect((await api.get(`/api/schedules/${id}`)).json).toMatchObject({ status: 'ended', invoice: null });
  expect((await listOf('/api/schedules')).map(({ status }) => status)).toEqual(['active', 'ended']);
  await expectNoDifferences();
});

test('rows of bank statements that paid its invoices lose their texts, in all statements', async () => {
  const [own, other] = [await newInvoice(), await newInvoice({ customerId: 'other', description: 'Stays' })];
  const { amount, currency } = own;
  const rowOf = (reference: string, name: string) => ({ day: '2026-03-31', amount, reference, name });
  const rows = [rowOf('FT 1', 'Dorji Wangchuk'), rowOf('FT 2', 'Pema')];
  const create = (all: object[]) => send('/api/statements', { bank: 'Bank of Bhutan', currency, rows: all });
  const first = await create(rows);
  const second = await create([...rows, rowOf('FT 3', 'Karma')]);
  const listed = await listOf(`/api/statements/${first.id}/rows`);
  for (const [index, { id }] of [own, other].entries())
    await send(`/api/statements/${first.id}/rows/${listed[index]?.id}/match`, { invoiceId: id });
  expect((await erase({ dryRun: true })).counts.rows).toBe(2);
  expect((await erase()).counts.rows).toBe(2);
  for (const { id } of [first, second]) {
    const [erased, ...others] = await listOf(`/api/statements/${id}/rows`);
    expect(erased).toMatchObject({ status: 'matched', amount, reference: '[erased]', name: '[erased]' });
    expect(others[0]).toMatchObject({ status: 'matched', reference: 'FT 2', name: 'Pema' });
  }
  expect(findTexts(await table.all(''), ['Dorji Wangchuk'])).toEqual([]);
  await expectNoDifferences();
});

test('lists and totals move to the pseudonym', async () => {
  await createAll();
  const { pseudonym } = await erase();
  for (const spelling of [customer, customer.toLowerCase()]) {
    expect((await api.get(`/api/invoices?customerId=${spelling}`)).json).toMatchObject({
      data: [],
      pagination: { total: 0, hasMore: false },
    });
    expect(await totalOf(`/api/payments?customerId=${spelling}`)).toBe(0);
  }
  expect(await totalOf(`/api/invoices?customerId=${pseudonym}`)).toBe(4);
  expect(await totalOf(`/api/invoices?customerId=${pseudonym}&status=paid`)).toBe(2);
  expect(await totalOf(`/api/payments?customerId=${pseudonym}&status=completed`)).toBe(2);
  expect(await totalOf('/api/invoices')).toBe(5);
  expect(await totalOf('/api/invoices?customerId=other')).toBe(1);
});

test('a repetition under a key has no second effect, and its answer is erased', async () => {
  const { paid, payment } = await createAll();
  const { pseudonym } = await erase();
  const body = invoiceBody({ customerId: customer, description: personal.description });
  const totals = [await totalOf('/api/invoices'), await totalOf('/api/payments')];
  const create = await api.post('/api/invoices', body, underKey('create'));
  expect([create.status, create.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(create.json).toMatchObject({ customerId: pseudonym, description: '[erased]', status: 'pending' });
  const pay = await api.post(
    '/api/payments',
    { invoiceId: paid.id, method: 'offline', reference: personal.reference },
    underKey('pay'),
  );
  expect(pay.headers['idempotent-replayed']).toBe('true');
  expect(pay.json).toMatchObject({ id: payment.id, customerId: pseudonym, reference: '[erased]' });
  const refund = { paymentId: payment.id, amount: 100, reason: personal.reason };
  expect((await api.post('/api/refunds', refund, underKey('refund'))).json.reason).toBe('[erased]');
  const other = await api.post('/api/invoices', { ...body, amount: 1 }, underKey('create'));
  expect(other.json.error.code).toBe('idempotency_key_reused');
  expect([await totalOf('/api/invoices'), await totalOf('/api/payments')]).toEqual(totals);
  // A repetition adds index entries again: not to the lists of the customer.
  expect(await totalOf(`/api/invoices?customerId=${customer}`)).toBe(0);
  await expectNoDifferences();
});

test('a delivery that is sent later has the erased body, and what receivers answered is erased', async () => {
  const mailbox = receiver.mailbox();
  mailbox.respondWith(({ body }) => ({ status: 500, body: body.toString() }));
  const endpoint = await send('/api/webhooks', { url: mailbox.url, events: ['*'] });
  await newInvoice();
  const path = `/api/webhooks/${endpoint.id}/deliveries`;
  const delivery = await waitUntil('an attempt failed', async () => {
    const [found] = (await api.get(path)).json.data;
    return found?.attempts.length > 0 && found;
  });
  await api.post(`${path}/${delivery.id}/redeliver`, undefined, underKey('redeliver'));
  expect(findTexts(await table.all('DELIVERIES#'), texts)).toHaveLength(1);

  const { pseudonym, counts } = await erase();
  expect(counts).toMatchObject({ invoices: 1, events: 1, answers: 1, deliveries: 1 });
  expect(findTexts(await table.all(''), texts)).toEqual([]);
  const sentBefore = mailbox.received.length;
  mailbox.respondWith(200);
  const { json } = await api.post(`${path}/${delivery.id}/redeliver`);
  expect(json).toMatchObject({ status: 'succeeded', attempts: [{ answer: '[erased]' }, {}, {}] });
  const sent = mailbox.received[sentBefore];
  expect(sent?.json).toMatchObject({
    id: delivery.eventId,
    data: { customerId: pseudonym, description: '[erased]' },
  });
  expect((await api.get(`/api/events/${delivery.eventId}`)).json).toEqual(sent?.json);
});

test('an export contains none of it', async () => {
  await createAll();
  await erase();
  await untilRelayed();
  const { exportAccount } = await import('../../shared/operations/export/account-export.ts');
  const lines: TestItem[] = [];
  for await (const line of exportAccount(owner.account, undefined, Date.now())) lines.push(line);
  expect(lines.length).toBeGreaterThan(20);
  expect(findTexts(lines, texts)).toEqual([]);
});

test('long texts, which are stored compressed, are erased', async () => {
  const { id } = await newInvoice({ description: `${personal.description} `.repeat(40) }, 'create');
  await untilRelayed();
  const items = [
    await table.get(tableKeys.record(id)),
    ...(await table.all(`EVENTS#${owner.account}`)),
    ...(await table.all(`IDEMPOTENCY#${owner.account}`)),
  ];
  expect(items.map((item) => (item?.description ?? item?.body) instanceof Uint8Array)).toEqual([
    true,
    true,
    true,
  ]);
  await erase();
  expect(findTexts(await table.all(''), texts)).toEqual([]);
});

test('the next daily reconciliation reads the erased records again, although it had remembered them', async () => {
  const { paid } = await createAll();
  await untilRelayed();
  await expectNoDifferences();
  await erase();
  await untilRelayed();
  const { filterKeys, seq } = (await table.get(tableKeys.record(paid.id))) as TestItem;
  const list = { owner, resource: 'invoice', filterKey: filterKeys[0] } as const;
  await editIndexPage(table, list, 'p', seq, 'remove');
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const { differences } = await reconcileNow(owner, { full: false, waitsMs: [0] });
  expect(differences).toMatchObject([{ rule: 'index_behind', id: paid.id }]);
});

test('changes that are not relayed yet are awaited', async () => {
  await stack.stream.pause();
  const { id } = await newInvoice();
  const reasons: string[] = [];
  const { counts } = await erase({
    wait: (ms: number, reason: string) => {
      if (reasons.push(reason) === 3) stack.stream.resume();
      return wait(ms, reason);
    },
  });
  expect(reasons[0]).toBe('Waiting until 1 changes are relayed.');
  expect(counts).toMatchObject({ invoices: 1, events: 1 });
  expect((await api.get('/api/events')).json.data).toMatchObject([{ data: { id, description: '[erased]' } }]);
  expect(findTexts(await table.all(''), texts)).toEqual([]);
});

test('an entry that an outdated change adds again is not shown, and the next run removes it', async () => {
  const { id } = await newInvoice();
  const { filterKeys, seq } = (await table.get(tableKeys.record(id))) as TestItem;
  await erase();
  const { addIndexEntry } = await import('../../shared/store/lists/pages/add-index-entries.ts');
  await addIndexEntry(owner, { resource: 'invoice', seq, filterKeys, status: 'pending' });
  expect((await api.get(`/api/invoices?customerId=${customer}`)).json).toMatchObject({
    data: [],
    pagination: { total: 0 },
  });
  expect(await table.all(`INDEX#${owner.account}#test#invoice${filterKeys[0]}`)).toHaveLength(1);
  await erase();
  expect(await table.all(`INDEX#${owner.account}#test#invoice${filterKeys[0]}`)).toEqual([]);
  expect(await totalOf('/api/invoices')).toBe(1);
});

test('invoices that are created later stay, and a second run erases them under another pseudonym', async () => {
  await newInvoice();
  const first = await erase();
  const { id } = await newInvoice({}, 'later');
  expect(await totalOf(`/api/invoices?customerId=${customer}`)).toBe(1);
  await expectNoDifferences();
  const second = await erase();
  expect(second.counts.invoices).toBe(1);
  expect(second.pseudonym).not.toBe(first.pseudonym);
  expect((await api.get(`/api/invoices/${id}`)).json.customerId).toBe(second.pseudonym);
  expect(await erasure.countToErase(owner, customer)).toBeUndefined();
});

test('an invoice that is created during the run stays', async () => {
  await newInvoice();
  let during: TestItem = {};
  const { counts } = await erase({
    wait: async (ms: number, reason: string) => {
      if (during.id === undefined) during = await newInvoice({ description: 'Created during the run' });
      await wait(ms, reason);
    },
  });
  expect(counts.invoices).toBe(1);
  expect((await listOf(`/api/invoices?customerId=${customer}`)).map(({ id }) => id)).toEqual([during.id]);
  await expectNoDifferences();
});

test('after a restore, another run erases again', async () => {
  await createAll();
  await untilRelayed();
  const backup = await accountItems();
  const first = await erase();
  for (const item of await accountItems()) await table.delete(item as never);
  await table.putAll(backup);
  expect((await erase()).counts).toEqual(first.counts);
  expect(findTexts(await accountItems(), texts)).toEqual([]);
  expect(await totalOf(`/api/invoices?customerId=${customer}`)).toBe(0);
  await expectNoDifferences();
});

test('a dry run counts the same and changes nothing', async () => {
  await createAll();
  await untilRelayed();
  const isKept = ({ sk }: TestItem) => sk !== 'STATE';
  const before = (await accountItems()).filter(isKept);
  const dry = await erase({ dryRun: true });
  expect((await accountItems()).filter(isKept)).toEqual(before);
  expect((await erase()).counts).toEqual(dry.counts);
});

test('it waits twice, each time longer than any function runs that writes lists or sends webhooks', async () => {
  await newInvoice({}, 'create');
  await untilRelayed();
  const waitsMs: number[] = [];
  await erase({
    wait: async (ms: number) => {
      waitsMs.push(ms);
    },
  });
  expect(waitsMs).toEqual([erasure.lateWriteMs, erasure.lateWriteMs]);
  const [api, stream] = [28, 60];
  const workers = Object.values(queues).map(({ visibilityTimeoutSeconds }) => visibilityTimeoutSeconds / 2);
  const sweep = 'timeoutSeconds' in triggers.sweep ? triggers.sweep.timeoutSeconds : Number.NaN;
  expect(erasure.lateWriteMs).toBeGreaterThan(1000 * Math.max(api, stream, sweep, ...workers));
});

const contact = {
  name: 'Dorji Wangchuk',
  email: customer,
  phone: '+975 17 000 111',
  taxIds: [{ type: 'bt_tpn', value: 'TAB77' }],
};

test.each(['the e-mail address', 'the ID'])('customers are deleted by %s, with all copies', async (by) => {
  const { id } = await send('/api/customers', { ...contact, metadata: { nick: 'Dorji' } }, 'customer');
  const other = await send('/api/customers', { name: 'Pema', email: 'pema@example.bt' });
  const moved = await send('/api/customers', { name: 'Tashi', email: customer });
  await api.patch(`/api/customers/${moved.id}`, { email: 'tashi@example.bt' });
  const invoice = await newInvoice({ customerId: id, description: 'Wedding' });
  const wanted = by === 'the ID' ? id : customer.toUpperCase();
  const { counts } = await erasure.eraseCustomer(owner, wanted, {
    pseudonym: erasure.newPseudonym(),
    dryRun: false,
    wait,
    onProgress: () => {},
  });
  expect(counts).toMatchObject({ customers: 1, invoices: by === 'the ID' ? 1 : 0, answers: 1 });
  const left = (await table.all('')).filter(
    ({ pk, account }) => pk !== moved.id && (account === owner.account || pk.includes(owner.account)),
  );
  expect(findTexts(left, [contact.name, customer, contact.phone, 'TAB77', '"nick"'])).toEqual([]);
  expect((await api.get(`/api/customers/${id}`)).status).toBe(404);
  expect(await listOf('/api/customers')).toMatchObject([{ id: moved.id }, { id: other.id }]);
  expect((await api.get(`/api/invoices/${invoice.id}`)).status).toBe(200);
  const replayed = await api.post(
    '/api/customers',
    { ...contact, metadata: { nick: 'Dorji' } },
    underKey('customer'),
  );
  expect([replayed.status, replayed.json]).toMatchObject([201, { id, name: null, email: null, taxIds: [] }]);
  expect(await erasure.countToErase(owner, 'nobody@example.bt')).toBeUndefined();
});

const buyer = {
  ...contact,
  address: { line1: 'House 12, Norzin Lam', city: 'Thimphu', country: 'BT' },
};
const documentTexts = [
  contact.name,
  customer,
  'TAB77',
  'Norzin',
  ...Object.values(personal),
  'Bridal',
  'D-77',
];
const newest = { 'X-API-Version': newestApiVersion };

/** Creates an invoice with lines and a reference, pays and refunds it. Returns it when its three documents are issued. */
async function newDocuments(customerId: string): Promise<TestItem> {
  const lines = [
    { id: 'D-77', description: 'Bridal kira', quantity: '1', unitAmount: 10_000, tax: 'bt_gst_5' },
  ];
  const body = invoiceBody({
    customerId,
    description: personal.description,
    reference: personal.reference,
    amount: undefined,
    lines,
  });
  const { json: invoice } = await api.post('/api/invoices', body, { headers: newest });
  const pay = { invoiceId: invoice.id, method: 'offline', reference: personal.reference };
  const payment = await send('/api/payments', pay);
  await send('/api/refunds', { paymentId: payment.id, amount: 105, reason: personal.reason });
  await waitUntil('all documents are issued', async () => (await documentsOf(invoice.id)).length === 3);
  await untilRelayed();
  return invoice;
}
const documentsOf = async (invoice: string): Promise<TestItem[]> => {
  const { data } = (await api.get(`/api/invoices/${invoice}/documents`)).json;
  return Promise.all(data.map(async ({ id }: TestItem) => (await api.get(`/api/documents/${id}`)).json));
};

test('documents lose the buyer and the texts, and keep their numbers, amounts, taxes and hashes', async () => {
  await changeSeller(owner.account, {
    legalName: 'Druk Crafts',
    address: { country: 'BT' },
    footer: 'Thanks',
  });
  const { id: customerId } = await send('/api/customers', buyer);
  const { id } = await newDocuments(customerId);
  const other = await newInvoice({ customerId: 'other', description: 'Stays' });
  await waitUntil('it is issued', async () => (await documentsOf(other.id)).length === 1);
  await untilRelayed();
  const before = await documentsOf(id);
  const [kept] = await documentsOf(other.id);
  expect(findTexts(before, documentTexts).length).toBeGreaterThan(1);
  const options = { pseudonym: 'erased-0000000000000000', dryRun: false, wait, onProgress: () => {} };
  const dry = await erasure.eraseCustomer(owner, customerId, { ...options, dryRun: true });
  expect(dry.counts.documents).toBe(3);
  expect(await documentsOf(id)).toEqual(before);
  const { counts, pseudonym } = await erasure.eraseCustomer(owner, customerId, options);
  expect(counts).toMatchObject({ customers: 1, invoices: 1, documents: 3 });

  expect(findTexts(await accountItems(), documentTexts)).toEqual([]);
  const erased = await documentsOf(id);
  expect(findTexts(erased, [...documentTexts, customerId])).toEqual([]);
  for (const [index, { content, ...summary }] of erased.entries()) {
    const { content: old, ...oldSummary } = before[index] as TestItem;
    expect(summary).toEqual(oldSummary);
    const withoutTexts = ({ description: _, id: __, ...line }: TestItem) => line;
    expect({ ...content, lines: content.lines.map(withoutTexts) }).toEqual({
      ...old,
      buyer: {
        ...{ customerId: pseudonym, name: null, email: null },
        ...{ address: null, deliveryAddress: null, taxIds: [] },
      },
      description: old.description && '[erased]',
      reference: old.reference && '[erased]',
      reason: old.reason && '[erased]',
      payment: old.payment && { ...old.payment, reference: '[erased]' },
      lines: old.lines.map(withoutTexts),
    });
  }
  expect(erased.map(({ number }) => number)).toEqual(['CN-0001', 'RCP-0001', 'INV-0001']);
  expect(erased[2]?.content.lines).toMatchObject([
    { id: '[erased]', description: '[erased]', amount: 10_000 },
  ]);
  expect(await documentsOf(other.id)).toEqual([kept]);
  const stored = await table.all(`DOCUMENTS#${owner.account}`);
  expect(stored.map(({ isErased, invoiceId }) => [invoiceId === id, isErased])).toEqual(
    expect.arrayContaining([
      [true, true],
      [false, undefined],
    ]),
  );

  const again = await erasure.eraseCustomer(owner, customerId, options);
  expect(again.counts).toMatchObject({ invoices: 0, documents: 0 });
  expect(await documentsOf(id)).toEqual(erased);
  const pdf = await fetch(`${stack.baseUrl}/api/documents/${erased[2]?.id}/pdf`, {
    headers: { Authorization: `Bearer ${api.apiKey}` },
  });
  expect(pdf.status).toBe(200);
});

test('documents of a customer that is found by the e-mail address lose the customer, as its invoices keep their texts', async () => {
  await changeSeller(owner.account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const { id: customerId } = await send('/api/customers', buyer);
  const { id } = await newDocuments(customerId);
  const ofBuyer = [customer, 'TAB77', 'Norzin'];
  expect(findTexts(await documentsOf(id), ofBuyer)).not.toEqual([]);
  const { counts } = await erase();
  expect(counts).toMatchObject({ customers: 1, invoices: 0, documents: 3 });
  expect(findTexts(await accountItems(), ofBuyer)).toEqual([]);
  const [, , invoice] = await documentsOf(id);
  expect(invoice?.content).toMatchObject({
    buyer: { customerId, name: null, email: null, address: null, taxIds: [] },
    description: personal.description,
  });
});

test('the erasure of an email address erases the buyers that have it: invoice, lists, events, answers, document', async () => {
  await changeSeller(owner.account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const { customerId: _, ...body } = invoiceBody();
  const sent = {
    ...body,
    description: personal.description,
    buyer: {
      name: 'Karma Buyer77',
      email: customer,
      address: { line1: 'Norzin Lam 77', country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB7788' }],
    },
  };
  const headers = { ...newest, 'Idempotency-Key': 'buyer' };
  const { json: invoice } = await api.post('/api/invoices', sent, { headers });
  await waitUntil('it is issued', async () => (await documentsOf(invoice.id)).length === 1);
  await untilRelayed();
  const ofBuyer = [customer, 'Buyer77', 'Norzin', 'TAB7788'];
  const [before] = await documentsOf(invoice.id);
  expect(before?.content.buyer).toMatchObject({ name: 'Karma Buyer77', email: customer });
  const { counts, pseudonym } = await erase();
  expect(counts).toMatchObject({ invoices: 1, documents: 1 });
  expect(findTexts(await accountItems(), ofBuyer)).toEqual([]);
  const { json: erased } = await api.get(`/api/invoices/${invoice.id}`, { headers: newest });
  expect(erased).toMatchObject({ customerId: pseudonym, buyer: null });
});
