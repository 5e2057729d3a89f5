/**
 * Tests schedules over HTTP: what they store and show, that the clock of test mode makes their invoices in order, that a time is made once
 * beside other workers and requests, and what stops them. Takes two minutes.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { invokeWorker, toQueueEvent } from '../../support/crashing-workers.ts';
import { expectError } from '../../support/expectations.ts';
import { switchMailsOn } from '../../support/mails.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack.close());

const dayMs = 86_400_000;
const line = { description: 'Hosting {period.start} to {period.end}', quantity: '1', unitAmount: 1000 };
const invoice = { customerId: 'c_7', currency: 'BTN', description: 'Hosting, {month}', lines: [line] };
const monthly = { every: { n: 1, unit: 'month' }, startOn: '2099-01-31', timeZone: 'Asia/Thimphu', invoice };

const create = async (fields: object = {}) => {
  const { status, json, text } = await api.post('/api/schedules', { ...monthly, ...fields });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return json;
};
const pathOf = ({ id }: { id: string }) => `/api/schedules/${id}`;
const read = async (schedule: { id: string }) => (await api.get(pathOf(schedule))).json;
const historyOf = async (schedule: { id: string }) =>
  (await api.get(`${pathOf(schedule)}/occurrences?limit=100`)).json.data;
const invoices = async () => (await api.get('/api/invoices?limit=100')).json.data.reverse();
const moveTo = async (to: string, deadlineMs: number) => {
  expect((await api.post('/api/test/clock', { to })).status).toBe(200);
  const isReady = async () => (await api.get('/api/test/clock')).json.status === 'ready';
  await waitUntil('the clock', isReady, { deadlineMs });
};
/** Delivers the timer of a schedule to the worker. */
const work = ({ id }: { id: string }, label = id) =>
  invokeWorker(
    label,
    'functions/background/overdue.ts',
    toQueueEvent({ reference: id, kind: 'overdue', due: 1, minute: 1 }),
  );

test('a schedule is created, shown, listed and previewed', async () => {
  const created = await create({ dueInDays: 14, count: 24 });
  expect(created).toMatchObject({
    status: 'active',
    hour: 9,
    timeZone: 'Asia/Thimphu',
    mode: 'issue',
    late: 'all',
    next: 1,
    nextAt: '2099-01-31T03:00:00.000Z',
    made: 0,
    invoice: { customerId: 'c_7', lines: [{ unitAmount: 1000 }], metadata: {} },
  });
  expect(await read(created)).toEqual(created);
  expect((await api.get('/api/schedules')).json).toMatchObject({
    data: [created],
    pagination: { total: 1 },
  });
  const { data } = (await api.get(`${pathOf(created)}/preview`)).json;
  expect(data).toHaveLength(12);
  expect(data.slice(0, 3)).toEqual([
    {
      number: 1,
      at: '2099-01-31T03:00:00.000Z',
      period: { start: '2099-01-31', end: '2099-02-27' },
      dueDate: '2099-02-14T17:59:59.999Z',
      amount: 1000,
      problem: null,
    },
    expect.objectContaining({ period: { start: '2099-02-28', end: '2099-03-30' } }),
    expect.objectContaining({ period: { start: '2099-03-31', end: '2099-04-29' } }),
  ]);
  expect(await historyOf(created)).toEqual([]);
});

test('the time zone is that of the account, also without a seller profile', async () => {
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, { timeZone: 'Asia/Kolkata' });
  expect(await create({ timeZone: undefined })).toMatchObject({
    timeZone: 'Asia/Kolkata',
    nextAt: '2099-01-31T03:30:00.000Z',
  });
});

test('what a schedule cannot do is refused, with the field', async () => {
  const refused = async (fields: object, code: string, field: string) =>
    expectError(await api.post('/api/schedules', { ...monthly, ...fields }), 400, code, field);
  await refused({ startOn: '2020-01-01' }, 'invalid_start_on', 'startOn');
  await refused({ startOn: '2099-02-30' }, 'invalid_start_on', 'startOn');
  await refused({ startOn: '2099-01-15', day: 10 }, 'invalid_day', 'day');
  await refused({ every: { n: 1, unit: 'week' }, day: 10 }, 'invalid_day', 'day');
  await refused({ every: { n: 0, unit: 'week' } }, 'invalid_every', 'every.n');
  await refused({ timeZone: 'Mars/Olympus' }, 'invalid_time_zone', 'timeZone');
  await refused({ count: 0 }, 'invalid_count', 'count');
  await refused({ count: 10_000 }, 'invalid_count', 'count');
  await refused({ endOn: '2098-12-31' }, 'invalid_end_on', 'endOn');
  await refused({ endOn: '2099-12-31', count: 2 }, 'invalid_count', 'count');
  const withInvoice = (fields: object) => ({ invoice: { ...invoice, ...fields } });
  await refused(withInvoice({ description: '{name}' }), 'invalid_invoice', 'invoice.description');
  await refused(withInvoice({ amount: 5 }), 'invalid_invoice', 'invoice.amount');
  await refused(withInvoice({ customerId: null }), 'invalid_invoice', 'invoice.customerId');
  await refused(withInvoice({ reference: 'R-1' }), 'unknown_parameter', 'invoice.reference');
  expect((await api.get('/api/schedules')).json.pagination.total).toBe(0);
});

/** The last days of 24 months, from the first one of which 9:00 in Thimphu has not passed. */
function lastDaysOfMonths(): string[] {
  const today = new Date();
  const lastDay = (months: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months + 1, 0);
  const first = lastDay(0) + 3 * 3_600_000 > today.getTime() ? 0 : 1;
  return Array.from({ length: 24 }, (_, index) =>
    new Date(lastDay(first + index)).toISOString().slice(0, 10),
  );
}

/** Returns the subjects of all mails to an address, in the order in which the mail service has accepted them. */
async function subjectsOfMails(to: string): Promise<string[]> {
  const mails = stack.mail.accepted.filter((mail) => mail.to.includes(to));
  const parsed = await Promise.all(mails.map(({ source }) => PostalMime.parse(source)));
  return parsed.map(({ subject = '' }) => subject);
}

/** Returns the time of the account at which the mail with an invoice was sent. */
const sentAtOf = async ({ id }: { id: string }): Promise<string> => {
  const { data } = (await api.get(`/api/invoices/${id}/mails`)).json;
  return data.find(({ kind }: { kind: string }) => kind === 'invoice')?.sentAt;
};

test('the clock of test mode makes two years of invoices on the last days of months, in order, with numbers without a gap and one mail each', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  const seller = {
    legalName: 'Druk Sweets',
    address: { line1: 'Norzin Lam', city: 'Thimphu', country: 'BT' },
  };
  await changeSeller(account.accountId, seller as never);
  await switchMailsOn(account.accountId, ['invoice']);
  const to = `${account.accountId}@example.bt`;
  const days = lastDaysOfMonths();
  const fields = { startOn: days[0], day: 31, count: 24, dueInDays: 14, mode: 'send' };
  const schedule = await create({ ...fields, invoice: { ...invoice, customerId: to } });
  await moveTo(`${days[23]}T03:00:00.000Z`, 180_000);
  const made = await invoices();
  const each = (field: (shown: (typeof made)[number]) => unknown) => made.map(field);
  expect(each(({ period }) => period.start)).toEqual(days);
  expect(each(({ createdAt }) => createdAt.slice(0, 14))).toEqual(days.map((day) => `${day}T03:`));
  expect(each(({ scheduleId, amount }) => [scheduleId, amount])).toEqual(days.map(() => [schedule.id, 1000]));
  expect(each(({ status }) => status)).toEqual(days.map((_, index) => (index < 23 ? 'overdue' : 'pending')));
  expect(made[0].description).toMatch(/^Hosting, \w+ \d{4}$/);
  const numbers = days.map((_, index) => `INV-${String(index + 1).padStart(4, '0')}`);
  const details = await Promise.all(made.map(({ id }: { id: string }) => api.get(`/api/invoices/${id}`)));
  expect(details.map(({ json }) => json.number)).toEqual(numbers);
  const subjects = numbers.map((number) => `Test mode: Invoice ${number} from Druk Sweets: Nu. 10.00`);
  await waitUntil('the mails', async () => (await subjectsOfMails(to)).length >= subjects.length);
  expect(await subjectsOfMails(to)).toEqual(subjects);
  const sentAt = await Promise.all(made.map(sentAtOf));
  expect(sentAt.map((at) => at?.slice(0, 13))).toEqual(days.map((day) => `${day}T03`));
  const history = await historyOf(schedule);
  expect(
    history.map(({ invoiceId, number }: Record<string, unknown>) => [number, invoiceId]).reverse(),
  ).toEqual(made.map(({ id }: { id: string }, index: number) => [index + 1, id]));
  expect(await read(schedule)).toMatchObject({ status: 'ended', made: 24, next: null });
}, 240_000);

test('a move waits for the mail of an invoice before the schedule makes the next one, also in its later requests', async () => {
  await switchMailsOn(account.accountId, ['invoice']);
  const to = `${account.accountId}@example.bt`;
  const startOn = new Date(Date.now() + dayMs).toISOString().slice(0, 10);
  const fields = { every: { n: 1, unit: 'day' }, startOn, count: 3, mode: 'send' };
  await create({
    ...fields,
    invoice: { ...invoice, description: '{period.start}', lines: null, amount: 5, customerId: to },
  });
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  stack.mail.faults.inject({ fault: { kind: 'hold', until } });
  try {
    await api.post('/api/test/clock', { advanceSeconds: 5 * 86_400 });
    expect((await api.get('/api/test/clock')).json.status).toBe('advancing');
    expect(await invoices()).toHaveLength(1);
  } finally {
    release();
  }
  await waitUntil('the clock', async () => (await api.get('/api/test/clock')).json.status === 'ready', {
    deadlineMs: 60_000,
  });
  await waitUntil('the mails', async () => (await subjectsOfMails(to)).length === 3);
  const made = await invoices();
  const sentAt = await Promise.all(made.map(sentAtOf));
  expect(sentAt.map((at) => at?.slice(0, 10))).toEqual(
    made.map(({ period }: { period: { start: string } }) => period.start),
  );
});

test('a request makes the next invoice now, skips a time, pauses, resumes and ends a schedule', async () => {
  const schedule = await create({ every: { n: 1, unit: 'day' } });
  expect((await api.post(`${pathOf(schedule)}/run`)).json).toMatchObject({ next: 1 });
  await waitUntil('the invoice', async () => (await read(schedule)).made === 1);
  expect(await invoices()).toMatchObject([{ period: { start: '2099-01-31', end: '2099-01-31' } }]);
  expect((await api.post(`${pathOf(schedule)}/skip`)).json).toMatchObject({
    next: 3,
    nextAt: '2099-02-02T03:00:00.000Z',
  });
  expect(await historyOf(schedule)).toMatchObject([
    { number: 2, through: 2, status: 'skipped', reason: 'request' },
    { number: 1, status: 'made' },
  ]);
  const change = (body: object) => api.patch(pathOf(schedule), body);
  const paused = (await change({ status: 'paused' })).json;
  expect(paused).toMatchObject({ status: 'paused', next: 3, nextAt: null });
  expectError(await api.post(`${pathOf(schedule)}/run`), 400, 'schedule_not_active');
  expect((await change({ ...paused, status: 'active', hour: 10 })).json).toMatchObject({
    status: 'active',
    nextAt: '2099-02-02T04:00:00.000Z',
  });
  expect(
    (await change({ invoice: { description: 'Tea', metadata: { a: 'b' } } })).json.invoice,
  ).toMatchObject({
    description: 'Tea',
    customerId: 'c_7',
    metadata: { a: 'b' },
  });
  expectError(await change({ invoice: { currency: null } }), 400, 'invalid_invoice', 'invoice.currency');
  expect((await change({ count: 2 })).json).toMatchObject({ status: 'ended', next: null, nextAt: null });
  expectError(await change({ status: 'active' }), 400, 'schedule_ended');
  const event = await waitUntil(
    'the event',
    async () => (await api.get('/api/events?type=schedule.ended')).json.data[0],
  );
  expect(event.data).toMatchObject({ id: schedule.id, status: 'ended', invoice: null });
});

/** Makes a schedule due, as if so many of its times had passed. */
async function makeLate(schedule: { id: string }, days: number) {
  const item = await table.get(tableKeys.record(schedule.id));
  const startOn = new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
  await table.put({ ...item, startOn, hour: 0, timeZone: 'UTC', nextAt: Date.parse(startOn) });
}

test('late times are made in order, 24 at a time, or only the newest is', async () => {
  const all = await create({ every: { n: 1, unit: 'day' } });
  await makeLate(all, 29);
  await work(all);
  expect((await read(all)).made).toBe(24);
  await waitUntil('the others', async () => (await read(all)).made === 30);
  expect((await historyOf(all)).map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 30 }, (_, index) => 30 - index),
  );
  const newest = await create({ every: { n: 1, unit: 'day' }, late: 'newest' });
  await makeLate(newest, 29);
  const { data: planned } = (await api.get(`${pathOf(newest)}/preview`)).json;
  expect(planned.slice(0, 3).map(({ number }: { number: number }) => number)).toEqual([30, 31, 32]);
  await work(newest);
  expect(await read(newest)).toMatchObject({ made: 1, next: 31 });
  expect(await historyOf(newest)).toMatchObject([
    { number: 30, status: 'made' },
    { number: 1, through: 29, status: 'skipped', reason: 'late' },
  ]);
});

/** Pauses a schedule of which three times are due, and moves all times by two days, as if the pause took so long. */
async function pauseForTwoDays(schedule: { id: string }) {
  await makeLate(schedule, 2);
  const { json: paused } = await api.patch(pathOf(schedule), { status: 'paused' });
  expect(paused).toMatchObject({ status: 'paused', next: 1, nextAt: null });
  await work(schedule);
  expect(await historyOf(schedule)).toEqual([]);
  const item = await table.get(tableKeys.record(schedule.id));
  const startOn = new Date(Date.now() - 4 * dayMs).toISOString().slice(0, 10);
  await table.put({ ...item, startOn });
}

test('a pause skips what passes during it, and what was due before is made after it', async () => {
  const schedule = await create({ every: { n: 1, unit: 'day' } });
  await pauseForTwoDays(schedule);
  const numbersOf = ({ data }: { data: { number: number }[] }) => data.map(({ number }) => number);
  const preview = async () => numbersOf((await api.get(`${pathOf(schedule)}/preview`)).json);
  expect((await preview()).slice(0, 5)).toEqual([1, 2, 3, 6, 7]);
  const { json: resumed } = await api.patch(pathOf(schedule), { status: 'active' });
  expect(resumed).toMatchObject({ status: 'active', next: 1 });
  expect(Date.parse(resumed.nextAt)).toBeLessThanOrEqual(Date.now());
  await waitUntil('the invoices', async () => (await read(schedule)).made === 3);
  expect(await read(schedule)).toMatchObject({ next: 6 });
  expect(await historyOf(schedule)).toMatchObject([
    { number: 4, through: 5, status: 'skipped', reason: 'paused' },
    { number: 3, status: 'made' },
    { number: 2, status: 'made' },
    { number: 1, status: 'made' },
  ]);
});

test('pauses beside workers lose no time that was due before, and make none twice', async () => {
  const schedule = await create({ every: { n: 1, unit: 'day' } });
  await makeLate(schedule, 4);
  const workers = Array.from({ length: 4 }, (_, index) => work(schedule, `beside a pause ${index}`));
  const change = (status: string) => api.patch(pathOf(schedule), { status });
  const requests = ['paused', 'active', 'paused', 'active'].map(change);
  await Promise.all([...workers, ...requests]);
  await change('active');
  await waitUntil('the invoices', async () => (await read(schedule)).made === 5);
  const history: { number: number; status: string; invoiceId: string }[] = await historyOf(schedule);
  expect(history.map(({ number, status }) => `${number} ${status}`)).toEqual(
    [5, 4, 3, 2, 1].map((number) => `${number} made`),
  );
  const ids = (await invoices()).map(({ id }: { id: string }) => id).sort();
  expect(history.map(({ invoiceId }) => invoiceId).sort()).toEqual(ids);
});

test('eight workers make each late time once, also beside a request', async () => {
  const schedule = await create({ every: { n: 1, unit: 'day' } });
  await makeLate(schedule, 4);
  const workers = Array.from({ length: 8 }, (_, index) => work(schedule, `worker ${index}`));
  const requests = ['skip', 'run', 'skip'].map((action) => api.post(`${pathOf(schedule)}/${action}`));
  await Promise.all([...workers, ...requests]);
  await work(schedule);
  const history = await historyOf(schedule);
  const numbers = history
    .map(({ number }: { number: number }) => number)
    .sort((a: number, b: number) => a - b);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
  expect(numbers.length).toBeGreaterThanOrEqual(5);
  const made = history.filter(({ status }: { status: string }) => status === 'made');
  const ids = (await invoices()).map(({ id }: { id: string }) => id).sort();
  expect(made.map(({ invoiceId }: { invoiceId: string }) => invoiceId).sort()).toEqual(ids);
  expect((await read(schedule)).made).toBe(ids.length);
});

test('a schedule whose customer is deleted stops and says why, and goes on after that is corrected', async () => {
  const customer = (await api.post('/api/customers', { name: 'Pema' })).json.id;
  const schedule = await create({ invoice: { ...invoice, customerId: customer } });
  await api.delete(`/api/customers/${customer}`);
  await api.post(`${pathOf(schedule)}/run`);
  const failed = await waitUntil('the failure', async () => {
    const shown = await read(schedule);
    return shown.failure && shown;
  });
  expect(failed).toMatchObject({
    status: 'paused',
    next: 1,
    nextAt: null,
    failure: { code: 'invalid_customer' },
  });
  const events = async () => (await api.get('/api/events?type=schedule.failed')).json.data;
  expect(await waitUntil('the event', async () => (await events())[0])).toMatchObject({
    data: { id: schedule.id, failure: { code: 'invalid_customer' } },
  });
  const { status, json } = await api.patch(pathOf(schedule), {
    status: 'active',
    invoice: { customerId: 'c_8' },
  });
  expect([status, json.status, json.failure, json.next]).toEqual([200, 'active', null, 1]);
  expect(await invoices()).toEqual([]);
});

test('a schedule makes drafts, which name it, and so do their invoices', async () => {
  const schedule = await create({ mode: 'draft', dueInDays: 3 });
  await api.post(`${pathOf(schedule)}/run`);
  await waitUntil('the draft', async () => (await read(schedule)).made === 1);
  const [draft] = (await api.get('/api/drafts')).json.data;
  expect(draft).toMatchObject({ description: 'Hosting, January 2099', computedAmount: 1000 });
  expect(await historyOf(schedule)).toMatchObject([{ draftId: draft.id, invoiceId: null }]);
  const scheduled = { scheduleId: schedule.id, period: { start: '2099-01-31', end: '2099-02-27' } };
  expect(draft).toMatchObject(scheduled);
  const changed = await api.patch(`/api/drafts/${draft.id}`, { ...draft, reference: 'A-7' });
  expect([changed.status, changed.json]).toMatchObject([200, { ...scheduled, reference: 'A-7' }]);
  const moved = await api.patch(`/api/drafts/${draft.id}`, { scheduleId: null });
  expectError(moved, 400, 'immutable_field', 'scheduleId');
  const finalized = await api.post(`/api/drafts/${draft.id}/finalize`);
  expect([finalized.status, finalized.json]).toMatchObject([201, { ...scheduled, reference: 'A-7' }]);
  expect((await api.get(`/api/invoices/${finalized.json.id}`)).json).toMatchObject(scheduled);
});

test('mode send is refused at creation and change if the invoice cannot be sent, and the preview says so', async () => {
  const addressed = { ...invoice, customerId: 'pema@example.bt' };
  const sending = (fields: object) => api.post('/api/schedules', { ...monthly, mode: 'send', ...fields });
  expectError(await sending({ invoice: addressed }), 400, 'invalid_mode', 'mode');
  await switchMailsOn(account.accountId, ['invoice']);
  expectError(await sending({}), 400, 'invalid_mode', 'mode');
  expect((await api.get('/api/schedules')).json.pagination.total).toBe(0);
  const issuing = await create();
  const change = (fields: object) => api.patch(pathOf(issuing), fields);
  expectError(await change({ mode: 'send' }), 400, 'invalid_mode', 'mode');
  expect((await change({ mode: 'send', invoice: { customerId: 'pema@example.bt' } })).json.mode).toBe('send');
  expectError(await change({ invoice: { customerId: 'c_7' } }), 400, 'invalid_mode', 'mode');
  const problems = async () => {
    const { data } = (await api.get(`${pathOf(issuing)}/preview`)).json;
    return new Set(data.map(({ problem }: { problem: string | null }) => problem));
  };
  expect(await problems()).toEqual(new Set([null]));
  await switchMailsOn(account.accountId, []);
  expect(await problems()).toEqual(new Set([expect.stringContaining('Mails with invoices are off')]));
  // A schedule can be changed in other ways while its mails are off.
  expect((await change({ hour: 10, mode: 'send' })).json).toMatchObject({ hour: 10, mode: 'send' });
  expect((await change({ mode: 'issue' })).json.mode).toBe('issue');
});

test('the same request under its key creates one schedule', async () => {
  const headers = { 'Idempotency-Key': 'schedule' };
  const send = () => api.post('/api/schedules', monthly, { headers });
  const answers = await Promise.all(Array.from({ length: 5 }, send));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await api.get('/api/schedules')).json.pagination.total).toBe(1);
});
