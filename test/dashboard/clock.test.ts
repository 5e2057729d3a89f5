/** Tests the page of the clock of test mode: its forms move the clock as the API does, and every page shows its time. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

const daySeconds = 86_400;
const month = { advanceSeconds: String(31 * daySeconds) };

let stack: Stack;
let developer: Visitor;
let account: DashboardAccount;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  developer = await signedIn(stack, 'developer');
});
afterEach(() => stack.queues.resume());
afterAll(() => stack?.close());

/** Creates an account. Returns the page of its clock. */
async function openClock(visitor = developer): Promise<VisitedPage> {
  account = await newDashboardAccount(stack);
  return visitor.get(account.path('/clock'));
}
const clockOf = async () => (await account.test.get('/api/test/clock')).json;
const createInvoice = async (): Promise<string> =>
  (await account.test.post('/api/invoices', invoiceBody())).json.id;
/** Opens the page of the clock until the clock has arrived. */
const arrival = (): Promise<VisitedPage> =>
  waitUntil('the clock', async () => {
    const page = await developer.get(account.path('/clock'));
    return page.text.includes('>Ready<') ? page : undefined;
  });
/** Returns the text of the link to the clock on a page. */
const linkOn = async (path: string, mode: 'test' | 'live' = 'test') => {
  const { text } = await developer.get(account.path(path, mode));
  return /<a href="[^"]*\/clock">([^<]*)<\/a>/.exec(text)?.[1];
};

test('a form makes an invoice overdue, two clicks move the clock once, and every page shows the time', async () => {
  const page = await openClock();
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Not ahead')]);
  expect(page.text).not.toContain('/clock/reset');
  expect([await linkOn('/invoices'), await linkOn('/settings')]).toEqual(['Clock', 'Clock']);
  const id = await createInvoice();
  for (const _ of ['first click', 'second click']) {
    const moved = await developer.submit(page, '/clock/forward', month);
    expect([moved.status, moved.headers.location]).toEqual([
      303,
      expect.stringMatching(/clock_mov(ed|ing)$/),
    ]);
  }
  expect((await arrival()).text).toContain('31 days');
  expect((await account.test.get(`/api/invoices/${id}`)).json.status).toBe('overdue');
  const { status, offsetSeconds } = await clockOf();
  expect([status, offsetSeconds]).toEqual(['ready', 31 * daySeconds]);
  const time = /^Clock: \d{1,2} \w+ \d{4}, \d{2}:\d{2}$/;
  for (const path of ['/invoices', '/events', '/settings', '/settings/keys'])
    expect([path, await linkOn(path)]).toEqual([path, expect.stringMatching(time)]);
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const { json: log } = await account.test.get('/api/audit-log');
  const moves = log.data.filter(({ action }: { action: string }) => action === 'clock.move');
  expect(moves).toMatchObject([{ actor: { type: 'user' }, outcome: 'done' }]);
});

test('forms store the time of the clock, and a due date that is near then gets its timer', async () => {
  await developer.submit(await openClock(), '/clock/forward', month);
  await arrival();
  const now = Date.now() + 31 * daySeconds * 1000;
  const dueDate = new Date(now + 2 * daySeconds * 1000).toISOString().slice(0, 10);
  const fields = { customerId: 'c_7', amount: '2500', currency: 'USD', description: 'Tea', dueDate };
  const form = await developer.get(account.path('/invoices/new'));
  expect((await developer.submit(form, '/invoices/new', fields)).status).toBe(303);
  const [invoice] = (await account.test.get('/api/invoices')).json.data;
  expect(Math.round((Date.parse(invoice.createdAt) - now) / (daySeconds * 1000))).toBe(0);
  await waitUntil('its timer', async () => (await tableOf(stack).timersOf(invoice.id)).length === 1);
});

test('a time moves the clock there, and a wrong one is shown at its field', async () => {
  const page = await openClock();
  const inDays = (days: number) => new Date(Date.now() + days * daySeconds * 1000).toISOString().slice(0, 16);
  for (const to of ['', 'tomorrow', inDays(-1), inDays(740)]) {
    const refused = await developer.submit(page, '/clock/to', { to });
    expect([to, refused.status]).toEqual([to, 400]);
    expect(refused.text).toContain('Enter a date and time after the present time of the clock');
    expect(refused.text).toContain(`value="${to}"`);
  }
  for (const advanceSeconds of ['', '-60', '1.5', String(740 * daySeconds)])
    expect((await developer.submit(page, '/clock/forward', { advanceSeconds })).status).toBe(400);
  expect((await clockOf()).offsetSeconds).toBe(0);
  const to = inDays(10);
  expect((await developer.submit(page, '/clock/to', { to })).status).toBe(303);
  await arrival();
  const ahead = Date.parse((await clockOf()).now) - Date.parse(`${to}Z`);
  expect([ahead >= 0, ahead < 3_600_000]).toEqual([true, true]);
});

test('a reset returns to the real time, unless something was made', async () => {
  await developer.submit(await openClock(), '/clock/forward', month);
  const reset = await developer.submit(await arrival(), '/clock/reset');
  expect([reset.status, reset.headers.location]).toEqual([303, account.path('/clock?notice=clock_reset')]);
  expect((await clockOf()).offsetSeconds).toBe(0);
  await developer.submit(await developer.get(account.path('/clock')), '/clock/forward', month);
  const moved = await arrival();
  await createInvoice();
  const refused = await developer.submit(moved, '/clock/reset');
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('cannot go back')]);
  expect((await clockOf()).offsetSeconds).toBe(31 * daySeconds);
});

test('while the clock moves, its page continues it and opens itself again, and no form moves it', async () => {
  const page = await openClock();
  await account.test.post('/api/payments', cardPaymentBody(await createInvoice(), cards.settlesLater));
  await stack.queues.pause();
  const moving = await developer.submit(page, '/clock/forward', month);
  expect(moving.headers.location).toBe(account.path('/clock?notice=clock_moving'));
  expect(await linkOn('/invoices')).toMatch(/\d, advancing$/);
  const shown = await developer.get(moving.headers.location ?? '');
  expect(shown.headers.refresh).toBe(`2; url=${account.path('/clock')}`);
  expect([shown.text, formsOf(shown).length]).toEqual([expect.stringContaining('>Advancing<'), 1]);
  const refused = await developer.submit(page, '/clock/to', { to: '2099-01-01T00:00' });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('still moves')]);
  stack.queues.resume();
  const ready = await arrival();
  expect([ready.headers.refresh, await linkOn('/invoices')]).toEqual([
    undefined,
    expect.stringMatching(/:\d{2}$/),
  ]);
});

test('a viewer sees the clock, and cannot move it', async () => {
  const viewer = await signedIn(stack, 'viewer');
  const page = await openClock(viewer);
  expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('/clock/forward')]);
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  for (const action of ['forward', 'to', 'reset']) {
    const form = { csrf, attempt: 'a'.repeat(26), ...month };
    expect((await viewer.post(account.path(`/clock/${action}`), form)).status).toBe(403);
  }
  expect((await clockOf()).offsetSeconds).toBe(0);
});

test('live mode has no clock', async () => {
  const page = await openClock();
  expect((await developer.get(account.path('/clock', 'live'))).status).toBe(404);
  expect(await linkOn('/invoices', 'live')).toBeUndefined();
  const to = new Date(Date.now() + 10 * daySeconds * 1000).toISOString().slice(0, 16);
  for (const action of ['forward', 'to', 'reset']) {
    const form = { ...formsOf(page).at(-1)?.initial, ...month, to };
    expect([action, (await developer.post(account.path(`/clock/${action}`, 'live'), form)).status]).toEqual([
      action,
      404,
    ]);
  }
});
