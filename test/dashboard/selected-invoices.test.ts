/** Tests sending, reminding of and cancelling several invoices at once in the dashboard. Takes 4 seconds. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { createPartPayment } from '../contract/examples.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { switchMailsOn } from '../support/mails.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  await switchMailsOn(account.accountId, ['invoice']);
});
afterAll(() => stack?.close());

const newInvoice = async (fields: object = {}): Promise<string> =>
  (await account.test.post('/api/invoices', invoiceBody({ ...fields }))).json.id;
const statusOf = async (id: string) => (await account.test.get(`/api/invoices/${id}`)).json.status;
const selected = (ids: readonly string[]) =>
  owner.get(account.path(`/invoices/selected?${ids.map((id) => `id=${id}`).join('&')}`));
const submitTo = (action: string) => account.path(`/invoices/selected/${action}`);
/** Returns what a page says of each invoice. */
const resultsOn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/\/invoices\/(inv_\w+)"[\s\S]*?<td[^>]*>([^<]*)<\/td>/g)].map(([, id, result]) => [
      id,
      result,
    ]),
  );

test('the list shows numbers, and offers its invoices to those who may change them', async () => {
  const id = await newInvoice({ customerId: 'a@example.com' });
  await waitUntil('the number', async () =>
    (await owner.get(account.path('/invoices'))).text.includes(`title="${id}"><bdi>INV-0001`)
      ? true
      : undefined,
  );
  const { text } = await owner.get(account.path('/invoices'));
  expect(text).toContain(`name="id" value="${id}" aria-label="Select the invoice INV-0001"`);
  const viewer = await signedIn(stack, 'viewer');
  expect((await viewer.get(account.path('/invoices'))).text).not.toContain('type="checkbox"');
  expect((await viewer.get(account.path(`/invoices/selected?id=${id}`))).status).toBe(403);
});

test('each is cancelled if it can be, once, and the page says what happened to each', async () => {
  const [open, other, paid] = [await newInvoice(), await newInvoice(), await newInvoice()];
  await account.test.post('/api/payments', { invoiceId: paid, method: 'offline' });
  const { invoiceId: part } = (
    await account.test.get(`/api/payments/${await createPartPayment(account.test)}`)
  ).json;
  const page = await selected([open, other, paid, part, open]);
  const send = () => owner.submit(page, submitTo('cancel'), {});
  const [first, second] = await Promise.all([send(), send()]);
  const expected = {
    [open]: 'Cancelled.',
    [other]: 'Cancelled.',
    [paid]: expect.stringMatching(/paid/i),
    [part]: expect.stringMatching(/received|refund/i),
  };
  expect([resultsOn(first.text), resultsOn(second.text)]).toEqual([expected, expected]);
  expect(await Promise.all([open, other, paid, part].map(statusOf))).toEqual([
    ...['cancelled', 'cancelled', 'paid', 'pending'],
  ]);
});

test('each is sent once to its own address, and one without an address is left out', async () => {
  const [known, unknown] = [
    await newInvoice({ customerId: 'dorji@example.com' }),
    await newInvoice({ customerId: 'c_1' }),
  ];
  const page = await selected([known, unknown]);
  const [sent] = await Promise.all([1, 2].map(() => owner.submit(page, submitTo('send'), {})));
  expect(resultsOn(sent?.text ?? '')).toEqual({
    [known]: 'The mail will be sent in some seconds.',
    [unknown]: expect.stringContaining('address'),
  });
  const { data } = (await account.test.get('/api/mails')).json;
  expect(data.filter(({ invoiceId }: { invoiceId: string }) => invoiceId === known)).toHaveLength(1);
});

test('each open one is reminded of once, also from its own page; the others say why not', async () => {
  const [open, paid, unknown, other] = [
    await newInvoice({ customerId: 'open@example.com' }),
    await newInvoice({ customerId: 'paid@example.com' }),
    await newInvoice({ customerId: 'c_1' }),
    await newInvoice({ customerId: 'other@example.com' }),
  ];
  await account.test.post('/api/payments', { invoiceId: paid, method: 'offline' });
  const page = await selected([open, paid, unknown]);
  const answers = await Promise.all([1, 2].map(() => owner.submit(page, submitTo('remind'), {})));
  for (const { text } of answers)
    expect(resultsOn(text)).toEqual({
      [open]: 'The reminder will be sent in some seconds.',
      [paid]: expect.stringContaining('already paid'),
      [unknown]: expect.stringContaining('address'),
    });
  const sendPath = (id: string) => account.path(`/invoices/${id}/send`);
  expect((await owner.get(sendPath(paid))).text).not.toContain('Reminder');
  const form = await owner.get(sendPath(other));
  const fields = { mail: 'reminder', to: 'pema@example.com', message: 'Please pay' };
  const refused = await owner.submit(form, sendPath(other), { ...fields, message: 'See www.evil.example' });
  expect(refused).toMatchObject({ status: 400, text: expect.stringMatching(/value="reminder" selected/) });
  expect(await owner.submit(refused, sendPath(other), fields)).toMatchObject({ status: 303 });
  const { data } = (await account.test.get('/api/mails')).json;
  const reminders = data.filter(({ kind }: { kind: string }) => kind === 'reminder');
  expect(reminders).toMatchObject([
    { invoiceId: other, to: 'pema@example.com', reminderDay: null },
    { invoiceId: open, to: 'open@example.com' },
  ]);
});

test('a file has exactly the selected ones, for those who may export, with the columns of the list', async () => {
  const [first, second] = [await newInvoice(), await newInvoice({ customerId: 'b' })];
  await newInvoice();
  const { text } = await owner.get(account.path('/invoices'));
  const [, action = ''] = /formaction="([^"]+)"/.exec(text) ?? [];
  const button = /name="(\w+)" value="(\w+)" formaction/.exec(text) ?? [];
  const of = `${button[1]}=${button[2]}`;
  const link = (...ids: string[]) => `${action}?${ids.map((id) => `id=${id}&`).join('')}${of}`;
  const bookkeeper = await signedIn(stack, 'bookkeeper');
  const list = (await bookkeeper.get(account.path('/invoices'))).text;
  expect(list).toContain('type="checkbox"');
  expect(list).not.toContain('cancel selected');
  const idsIn = (csv: string) => csv.match(/inv_\w+(?=,)/g);
  for (const visitor of [owner, bookkeeper]) {
    const file = await visitor.get(link(second, first, second, 'inv_1'));
    expect([file.status, file.headers['content-type']]).toEqual([200, expect.stringContaining('text/csv')]);
    expect([...new Set(idsIn(file.text))]).toEqual([second, first]);
    expect(file.text.trim().split('\n')).toHaveLength(3);
  }
  const whole = await waitUntil('the number is in the file', async () => {
    const file = await owner.get(account.path('/downloads/invoices.csv?customerId=b'));
    return file.text.includes('INV-') ? file : undefined;
  });
  const one = await owner.get(link(second));
  expect(one.text).toBe(whole.text);
  const live = (await account.live.post('/api/invoices', invoiceBody())).json.id;
  for (const refused of [link(), link(live)]) {
    const { status, text: page } = await owner.get(refused);
    expect([status, page]).toEqual([400, expect.stringContaining('No invoice is selected')]);
  }
  const many = Array.from({ length: 101 }, (_, index) => `inv_${index}`);
  expect((await owner.get(link(...many))).text).toContain('More than 100');
  const viewer = await signedIn(stack, 'viewer');
  expect((await viewer.get(link(first))).status).toBe(403);
});

test('nothing selected, an unknown ID and one of another mode change nothing', async () => {
  const live = (await account.live.post('/api/invoices', invoiceBody())).json.id;
  for (const ids of [[], ['inv_1'], [live]])
    expect((await selected(ids)).text).toContain('No invoice is selected');
  const page = await selected([await newInvoice()]);
  const none = await owner.submit(page, submitTo('cancel'), { invoices: 'inv_1' });
  expect(none.status).toBe(404);
  const foreign = await owner.submit(page, submitTo('cancel'), { invoices: live });
  expect(Object.values(resultsOn(foreign.text))).toEqual([expect.stringContaining('do not exist')]);
  expect((await account.live.get(`/api/invoices/${live}`)).json.status).toBe('pending');
});
