/**
 * Tests the pages of schedules over HTTP, as a browser without scripts uses them: what they show, what their forms create and change,
 * who may do so, and that a page that is out of date does nothing. Takes 5 seconds.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import {
  formsOf,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let api: Api;
let developer: Visitor;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  developer = await signedIn(stack, 'developer');
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
  api = inNewestVersion(account.test);
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, { timeZone: 'Asia/Thimphu' });
});
afterAll(() => stack?.close());

const open = (path: string, visitor = developer) => visitor.get(account.path(path));
/** Sends a form with other values than those that its page shows. */
async function send(
  path: string,
  fields: Readonly<Record<string, string>> = {},
  target = path,
): Promise<VisitedPage> {
  const page = await open(path);
  const action = account.path(target.replace(/\?.*/, ''));
  const form = formsOf(page).find((each) => each.action.endsWith(action));
  if (!form) throw new Error(`No form ${action}: ${page.status} ${page.text}`);
  return developer.post(form.action, { ...form.initial, ...fields });
}
const values = {
  startOn: '2099-01-31',
  customerId: 'dorji@example.bt',
  amount: '2500',
  currency: 'BTN',
  description: 'Hosting for {month}',
};
const idIn = ({ status, headers, text }: VisitedPage): string => {
  const [id] = /sch_\w+/.exec(headers.location ?? '') ?? [];
  if (id === undefined) throw new Error(`${status} ${text}`);
  return id;
};
const create = async (fields: object = {}) => idIn(await send('/schedules/new', { ...values, ...fields }));
const read = async (id: string) => (await api.get(`/api/schedules/${id}`)).json;
/** Returns the errors of a page: the link to each field, and its message. */
const errorsOf = ({ text }: VisitedPage) =>
  Object.fromEntries(
    [...text.matchAll(/<li><a href="#([^"]*)">([^<]*)/g)].map(([, field, message]) => [field, message]),
  );
const noticeOf = ({ headers }: VisitedPage) => /notice=(\w+)/.exec(headers.location ?? '')?.[1];

test('a form creates a schedule, and its page shows what it will make', async () => {
  const id = await create({ count: '3', dueInDays: '14', mode: 'draft', late: 'newest', hour: '17' });
  expect(await read(id)).toMatchObject({
    status: 'active',
    every: { n: 1, unit: 'month' },
    startOn: '2099-01-31',
    day: null,
    hour: 17,
    timeZone: 'Asia/Thimphu',
    count: 3,
    dueInDays: 14,
    mode: 'draft',
    late: 'newest',
    nextAt: '2099-01-31T11:00:00.000Z',
    invoice: { customerId: 'dorji@example.bt', amount: 250000, currency: 'BTN', lines: null },
  });
  const { text } = await open(`/schedules/${id}`);
  expect(text).toContain('Every month');
  expect(text).toContain('31 January 2099');
  // The clocks of the account, not UTC.
  expect(text).toMatch(/<time datetime="2099-01-31T11:00:00.000Z"[^>]*>31 Jan 2099, 17:00<\/time>/);
  for (const day of ['31 Jan 2099 – 27 Feb 2099', '28 Feb 2099 – 30 Mar 2099', '31 Mar 2099 – 29 Apr 2099'])
    expect(text).toContain(day);
  expect(text.match(/2,500\.00/g)?.length).toBe(4);
  expect(text).toContain('No time has come yet.');
  const list = await open('/schedules');
  expect(list.text).toContain(`/schedules/${id}"`);
  expect(list.text).toContain('dorji@example.bt');
  expect(list.text).toContain('None yet');
  expect((await open('/invoices')).text).toContain(account.path('/schedules'));
});

test('an invoice and a draft can be made to repeat', async () => {
  const customer = (await api.post('/api/customers', { name: 'Dorji Wangmo' })).json.id;
  const line = { description: 'Hosting', quantity: '2', unitAmount: 1000, tax: 'bt_gst_5' };
  const whole = { customerId: customer, amount: undefined, currency: 'BTN', lines: [line] };
  const own = { reference: 'A-7', dueDate: '2099-05-05', metadata: { team: 'a' } };
  const invoice = (await api.post('/api/invoices', invoiceBody({ ...whole, ...own }))).json.id;
  expect((await open(`/invoices/${invoice}`)).text).toContain(account.path(`/schedules/new?from=${invoice}`));
  const id = idIn(await send(`/schedules/new?from=${invoice}`, { startOn: '2099-01-31' }));
  const made = (await read(id)).invoice;
  expect(made).toMatchObject({
    customerId: customer,
    lines: [{ unitAmount: 1000 }],
    metadata: { team: 'a' },
  });
  expect((await open(`/schedules/${id}`)).text).toContain('Dorji Wangmo');
  const draft = (await api.post('/api/drafts', { ...whole, description: 'Soon' })).json.id;
  expect((await open(`/drafts/${draft}`)).text).toContain(account.path(`/schedules/new?from=${draft}`));
  const fromDraft = idIn(await send(`/schedules/new?from=${draft}`, { startOn: '2099-01-31' }));
  expect((await read(fromDraft)).invoice).toMatchObject({ description: 'Soon', lines: made.lines });
  expect((await open('/schedules/new?from=inv_none')).status).toBe(404);
});

test('a form with errors says beside each field what is wrong, and makes nothing', async () => {
  const wrong = await send('/schedules/new', {
    ...values,
    ...{ every: '0', startOn: '2026-02-31', day: '32', endOn: 'soon', count: 'x', dueInDays: '366' },
    ...{ timeZone: 'Thimphu', amount: '', description: '' },
  });
  expect(wrong.status).toBe(400);
  expect(Object.keys(errorsOf(wrong)).sort()).toEqual(
    ['amount', 'count', 'day', 'description', 'dueInDays', 'endOn', 'every', 'startOn', 'timeZone'].sort(),
  );
  const refused: readonly (readonly [object, string, string])[] = [
    [{ startOn: '2001-01-31' }, 'startOn', 'must not have passed'],
    [{ day: '3' }, 'day', 'not before the first day'],
    [{ unit: 'week', day: '31' }, 'day', 'for months or years'],
    [{ endOn: '2098-01-01' }, 'endOn', 'not before the first day'],
    [{ endOn: '2100-01-01', count: '3' }, 'count', 'without a last day'],
    [{ mode: 'send' }, 'mode', 'Mails with invoices are off'],
    [{ description: 'For {moth}' }, 'description', 'Description has the placeholder {moth}'],
  ];
  for (const [fields, field, message] of refused) {
    const page = await send('/schedules/new', { ...values, ...fields });
    expect([fields, page.status, errorsOf(page)]).toEqual([
      fields,
      400,
      { [field]: expect.stringContaining(message) },
    ]);
    // What the user typed is still there.
    expect(page.text).toContain('dorji@example.bt');
  }
  const totals = await send('/schedules/new', { ...values, step: 'compute' });
  expect([totals.status, headingOf(totals)]).toEqual([200, 'Create schedule']);
  expect((await api.get('/api/schedules')).json.pagination.total).toBe(0);
});

test('a change holds from the next time on, and leaves alone what nobody changed', async () => {
  const buyer = {
    name: 'Dorji',
    address: { line1: '1 Norzin Lam', city: 'Thimphu', postalCode: '11001', country: 'BT' },
  };
  const invoice = {
    ...{ amount: 900, currency: 'BTN', description: 'Hosting', reminders: [3, 7] },
    ...{
      customerId: undefined,
      buyer: { ...buyer, email: 'dorji@example.bt' },
      metadata: { 'two\nlines': 'x' },
    },
  };
  const body = { every: { n: 2, unit: 'week' }, startOn: '2099-01-31', timeZone: 'Asia/Kolkata', invoice };
  const { json: created } = await api.post('/api/schedules', body);
  const path = `/schedules/${created.id}`;
  expect(noticeOf(await send(`${path}/edit`))).toBe('schedule_updated');
  expect(await read(created.id)).toEqual(created);
  expect(noticeOf(await send(`${path}/edit`, { amount: '10', hour: '6', count: '5' }))).toBe(
    'schedule_updated',
  );
  const changed = await read(created.id);
  expect(changed).toMatchObject({
    ...{ hour: 6, count: 5, startOn: '2099-01-31', timeZone: 'Asia/Kolkata' },
    invoice: { ...created.invoice, amount: 1000 },
  });
  const page = await open(`${path}/edit`);
  const form = formsOf(page).find(({ action }) => action.endsWith(account.path(`${path}/edit`)));
  await api.patch(`/api${path}`, { count: 6 });
  const late = await developer.post(form?.action ?? '', { ...form?.initial, amount: '11' });
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringContaining('The schedule changed after you opened'),
  ]);
  expect(await read(created.id)).toMatchObject({ count: 6, invoice: { amount: 1000 } });
});

test('buttons pause, resume, skip, make one now and end it, once each', async () => {
  const id = await create();
  const path = `/schedules/${id}`;
  const press = (action: string, fields: Record<string, string> = {}) =>
    send(path, fields, `${path}/${action}`);
  expect(noticeOf(await press('pause'))).toBe('schedule_paused');
  expect((await open(path)).text).toContain('Paused');
  expect(noticeOf(await press('resume'))).toBe('schedule_resumed');
  expect(noticeOf(await press('skip'))).toBe('schedule_skipped');
  expect(await read(id)).toMatchObject({ status: 'active', next: 2 });
  // A page from before does not skip another time.
  const stale = await press('skip', { seen: '1' });
  expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('The schedule changed')]);
  expect((await read(id)).next).toBe(2);
  expect(noticeOf(await press('run'))).toBe('schedule_run');
  await waitUntil('the invoice', async () => (await read(id)).made === 1);
  const [invoice] = (await api.get('/api/invoices')).json.data;
  const { text } = await open(path);
  expect(text).toContain(account.path(`/invoices/${invoice.id}`));
  expect(text).toContain('Skipped on request');
  expect((await open('/schedules')).text).toContain(account.path(`/invoices/${invoice.id}`));
  // The invoice names its schedule.
  const page = (await open(`/invoices/${invoice.id}`)).text;
  expect(page).toContain(account.path(path));
  expect(page).toContain('28 February 2099 – 30 March 2099');
  expect(noticeOf(await send(`${path}/end`))).toBe('schedule_ended');
  expect((await open(path)).text).toContain('The schedule has ended, so it makes nothing more.');
  expect((await open(`${path}/edit`)).status).toBe(404);
});

test('a schedule that has stopped says why, and goes on after a correction', async () => {
  const customer = (await api.post('/api/customers', { name: 'Pema' })).json.id;
  const id = await create({ customerId: customer });
  const path = `/schedules/${id}`;
  await api.delete(`/api/customers/${customer}`);
  await send(path, {}, `${path}/run`);
  await waitUntil('the stop', async () => (await read(id)).failure !== null);
  const page = (await open(path)).text;
  expect(page).toContain('The schedule has stopped, because it could not make its next invoice:');
  expect(page).toContain('The customer of the invoice is deleted.');
  expect((await open('/schedules')).text).toContain('Stopped');
  const refused = await send(`${path}/edit`, { description: 'Still deleted' });
  expect(errorsOf(refused)).toEqual({ customerId: expect.stringContaining('is deleted') });
  expect(noticeOf(await send(`${path}/edit`, { customerId: 'dorji@example.bt' }))).toBe('schedule_updated');
  expect(noticeOf(await send(path, {}, `${path}/resume`))).toBe('schedule_resumed');
  expect(await read(id)).toMatchObject({ status: 'active', next: 1, failure: null });
});

test('viewers and bookkeepers see schedules, and change none; other accounts see nothing', async () => {
  const id = await create();
  for (const role of ['viewer', 'bookkeeper'] as const) {
    const visitor = await signedIn(stack, role);
    const page = await open(`/schedules/${id}`, visitor);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Every month')]);
    for (const text of [page.text, (await open('/schedules', visitor)).text])
      expect(text).not.toMatch(/\/(pause|skip|run|edit|end|new)"/);
    for (const path of ['/schedules/new', `/schedules/${id}/edit`, `/schedules/${id}/end`])
      expect([path, (await open(path, visitor)).status]).toEqual([path, 403]);
  }
  const other = await newDashboardAccount(stack);
  expect((await developer.get(other.path(`/schedules/${id}`))).status).toBe(404);
  expect((await developer.get(account.path(`/schedules/${id}`, 'live'))).status).toBe(404);
});
