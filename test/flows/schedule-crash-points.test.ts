/**
 * Tests that a schedule makes each of its times once when its worker crashes at any call, also beside another worker and a pause. Then it
 * goes on by itself: the timers lead to the next time. It makes drafts, invoices, or invoices with one mail each. Takes four minutes.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { scheduleBody } from '../contract/examples.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import type { Api } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { switchMailsOn } from '../support/mails.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let client: AccountUnderTest;
let api: Api;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, crashes } = crashStack);
});
beforeEach(async () => {
  client = await crashStack.newClient();
  api = inNewestVersion(client.api);
});
afterAll(() => crashStack.close());

const dayMs = 86_400_000;
/** The worker makes fewer calls for two times. */
const mostCalls = { issue: 26, draft: 26, send: 28 } as const;
type Mode = keyof typeof mostCalls;
const worker = 'functions/background/overdue.ts';

interface Crashed {
  readonly id: string;
  /** The address of its customer. */
  readonly to: string;
  readonly hasCrashed: boolean;
  readonly path: string;
}

/**
 * Makes a daily schedule of three times, of which two are late. Its timer fires, and the worker crashes at call `at`. A third of the
 * schedules are paused and resumed meanwhile.
 */
async function crash(mode: Mode, at: number, fault: ScriptedFault): Promise<Crashed> {
  const to = `schedule-${at}@${client.owner.split(/[_#]/)[1]}.bt`;
  const invoice = { customerId: to, amount: 2500, currency: 'USD', description: 'Hosting' };
  const body = scheduleBody({ every: { n: 1, unit: 'day' }, timeZone: 'UTC', count: 3, mode, invoice });
  const { id } = (await api.post('/api/schedules', body)).json;
  const startOn = new Date(clock.now() - dayMs).toISOString().slice(0, 10);
  const item = await table.get(tableKeys.record(id));
  const due = Date.parse(startOn);
  await table.put({ ...item, startOn, hour: 0, nextAt: due });
  // The timer as a relay and a sweep have left it: leased, and sent.
  const minute = Math.floor(clock.now() / 60_000) + 2;
  const timer = { reference: id, kind: 'overdue', due, minute };
  await table.put({ ...tableKeys.timer(minute, due, 'overdue', id), ...timer, leasedUntil: minute * 60_000 });
  const label = `schedule-${id}`;
  crashes.set(label, { at, fault });
  const path = `/api/schedules/${id}`;
  const crashing = invokeWorker(label, worker, toQueueEvent(timer));
  const runs: Promise<unknown>[] = [crashing];
  if (at % 2 === 1) runs.push(invokeWorker(`beside ${label}`, worker, toQueueEvent(timer)));
  if (at % 3 === 2) runs.push(pauseAndResume(path));
  await Promise.all(runs);
  return { id, to, hasCrashed: await crashing, path };
}

async function pauseAndResume(path: string): Promise<void> {
  for (const status of ['paused', 'active']) {
    const answer = await api.patch(path, { status });
    expect([answer.status, answer.json.status]).toEqual([200, status]);
  }
}

/** An invoice or draft. */
interface Made {
  readonly id: string;
  readonly scheduleId: string;
}

async function expectEachTimeOnce({ path, id }: Crashed, invoices: readonly Made[]) {
  const shown = (await api.get(path)).json;
  const history = (await api.get(`${path}/occurrences`)).json.data;
  const made = history.map(({ number }: { number: number }) => number).reverse();
  expect({ id, made, count: shown.made }).toEqual({
    id,
    made: made.map((_: number, index: number) => index + 1),
    count: made.length,
  });
  expect(made.length).toBeGreaterThanOrEqual(2);
  expect(invoices.filter(({ scheduleId }) => scheduleId === id)).toHaveLength(made.length);
  return shown;
}

test.each([
  ['issue', 'crash before call'],
  ['issue', 'crash after call'],
  ['draft', 'crash before call'],
  ['draft', 'crash after call'],
  ['send', 'crash before call'],
  ['send', 'crash after call'],
] as const)(
  'in mode %s, each time is made once after a %s of the worker, at any of them, and the schedule goes on',
  async (mode, fault) => {
    if (mode === 'send') await switchMailsOn(client.owner.split('#')[0] ?? '', ['invoice']);
    await stack.stream.pause();
    await stack.queues.pause();
    const crashed: Crashed[] = [];
    for (let at = 0; at < mostCalls[mode]; at++) crashed.push(await crash(mode, at, fault));
    // The last worker had no call left at which it could crash.
    expect([crashed[0]?.hasCrashed, crashed.at(-1)?.hasCrashed]).toEqual([true, false]);
    await sweepUntilMade(crashed, 2);
    await expectConsistentMoney(client);
    const resource = mode === 'draft' ? 'drafts' : 'invoices';
    const invoices = await all(resource);
    for (const each of crashed) await expectEachTimeOnce(each, invoices);
    clock.advance(2 * dayMs);
    await sweepUntilMade(crashed, 3);
    const later = await all(resource);
    for (const each of crashed)
      expect(await expectEachTimeOnce(each, later)).toMatchObject({ status: 'ended', made: 3 });
    if (mode === 'send') await expectOneMailEach(crashed, later);
  },
);

/** Each invoice has one mail, which is accepted once and which nobody sends again. */
async function expectOneMailEach(crashed: readonly Crashed[], invoices: readonly Made[]): Promise<void> {
  const accepted = () =>
    stack.mail.accepted.filter(({ to }) => crashed.some((each) => to.includes(each.to))).length;
  await sweepUntil('the mails', async () => accepted() >= invoices.length);
  const isNoneLeft = async () => (await table.all('TIMER#')).every(({ kind }) => kind !== 'mail');
  await sweepUntil('no timer of a mail', isNoneLeft);
  expect(accepted()).toBe(invoices.length);
  for (const { id } of invoices) {
    const { data } = (await api.get(`/api/invoices/${id}/mails`)).json;
    expect([id, data]).toMatchObject([id, [{ kind: 'invoice', state: 'sent' }]]);
    expect(data).toHaveLength(1);
  }
}

/** Sends the timers whose leases have ended, until each schedule has made its times. */
async function sweepUntilMade(crashed: readonly Crashed[], count: number): Promise<void> {
  stack.stream.resume();
  stack.queues.resume();
  const isMade = async () => {
    const made = await Promise.all(crashed.map(({ path }) => api.get(path)));
    return made.every(({ json }) => json.made >= count);
  };
  await sweepUntil('the times', isMade);
  await runUntilQuiescent({ stack, table, clock });
}

/** Lets timers fire whose leases have ended, some times. What is still open after that fails in the assertions. */
async function sweepUntil(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 6; step++) {
    clock.advance(5 * 60_000);
    await stack.schedule.run();
    if (await waitUntil(what, isDone, { deadlineMs: 8_000 }).catch(() => false)) break;
  }
}

async function all(resource: 'invoices' | 'drafts') {
  const found: Made[] = [];
  for (let offset = 0; ; offset += 100) {
    const { data, pagination } = (await api.get(`/api/${resource}?limit=100&offset=${offset}`)).json;
    found.push(...data);
    if (!pagination.hasMore) return found;
  }
}
