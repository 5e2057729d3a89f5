/**
 * Tests the daily comparison of the journal as messages: it continues after each deadline and crash, names what it could not compare, and
 * keeps no due date from its timer. Without the crashes, it takes 4 s of CPU.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { JournalBatch } from '../../shared/operations/reconciliation/reconcile-journal.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import { installFaults } from '../support/fault-layer.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation, runAsInvocation } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let owner: { readonly account: string; readonly mode: 'test' };
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack?.close());

const day = '2027-02-01';
const entries = 5;
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  for (let count = 1; count <= entries; count++) await create(count * 100);
  await untilRelayed(table, `${owner.account}#test`);
});
const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

const create = async (amount: number, dueDate?: string) =>
  (await account.test.post('/api/invoices', invoiceBody({ amount, ...(dueDate && { dueDate }) }))).json.id;
const sums = () => table.partition(tableKeys.daySums(owner, 0, '').pk);
const checkpoints = async () => (await sums()).filter(({ sk }) => sk.startsWith('FOLD#'));
const report = async (of = day) => {
  const { readReport, reportBegin } = await import('../../shared/operations/reconciliation/report.ts');
  await reportBegin(of, 1, Date.now());
  const { differences = [], notCompared = [] } = (await readReport(of)) ?? {};
  const isOwn = (each: { readonly account: string }) => each.account === owner.account;
  return { differences: differences.filter(isOwn), notCompared: notCompared.filter(isOwn) };
};

/** Hands over a message as a queue does. Returns the messages that it sends, with their waits. */
async function handOver(
  batch: JournalBatch,
  forMs: number,
): Promise<{ sent: JournalBatch[]; waits: number[] }> {
  const { continueJournal } = await import('../../shared/operations/reconciliation/reconcile-journal.ts');
  const { fromMessage } = await import('../../shared/operations/reconciliation/batch.ts');
  const sent: JournalBatch[] = [];
  const waits: number[] = [];
  await continueJournal(
    fromMessage(JSON.stringify(batch)) as JournalBatch,
    Date.now(),
    async (next, waitMs = 0) => {
      sent.push(next);
      waits.push(waitMs);
    },
    forMs,
  );
  return { sent, waits };
}

const first = (of = day): JournalBatch => ({ ...owner, day: of, journal: { tries: 0 } });

/** Hands over all messages of a comparison. A message that crashes arrives again. Returns how many there were. */
async function compareAll(forMs: number, begin = first()): Promise<{ messages: number; waits: number[] }> {
  const waiting = [begin];
  const waits: number[] = [];
  let messages = 0;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const batch = next;
    const result = await runAsInvocation('compare', () => handOver(batch, forMs)).catch(() => undefined);
    messages++;
    if (messages > 60) throw new Error('The comparison does not end.');
    waiting.push(...(result?.sent ?? [batch]));
    waits.push(...(result?.waits ?? []));
  }
  return { messages, waits: waits.filter((wait) => wait > 0) };
}

/** Adds 1 to a stored sum, and returns the item as it was. */
async function spoilSum(): Promise<TestItem> {
  const item = (await sums()).find((each) => each['USD:i'] !== undefined) ?? {};
  await table.put({ ...item, 'USD:i': item['USD:i'] + 1 });
  return item;
}

test('if the journal cannot be read, due dates get their timers', async () => {
  const { reconcileBatch } = await import('../../shared/operations/reconciliation/reconcile.ts');
  const id = await create(100, new Date(Date.now() + 2 * 86_400_000).toISOString());
  await untilRelayed(table, `${owner.account}#test`);
  for (const timer of await table.timersOf(id)) await table.delete(timer as never);
  await stack.queues.pause();
  const faults = interceptCalls((call, send) => {
    if (call.operation === 'Query' && call.body.includes('JOURNAL#')) throw new Error('The time is over.');
    return send();
  });
  undo.push(faults.remove, () => stack.queues.resume());
  await reconcileBatch({ ...owner, day }, Date.now());
  expect(await table.timersOf(id)).toHaveLength(1);
});

test('after each deadline the next message continues, finds what differs, and leaves no checkpoint', async () => {
  const stored = await spoilSum();
  const { messages } = await compareAll(0);
  expect(messages).toBe(entries);
  const total = (entries * (entries + 1) * 100) / 2;
  expect((await report()).differences).toEqual([
    expect.objectContaining({
      rule: 'journal_sums_differ',
      id: `${stored.sk.split('#')[1]} USD:i`,
      expected: total,
      found: total + 1,
    }),
  ]);
  expect(await checkpoints()).toEqual([]);
  // The sums were built again.
  expect(await compareAll(60_000, first('2027-02-02'))).toEqual({ messages: 1, waits: [] });
  expect((await report('2027-02-02')).differences).toEqual([]);
  const { json } = await account.test.get('/api/summary?by=day');
  expect(json.currencies[0].periods.at(-1)).toMatchObject({ invoiced: total, invoices: entries });
});

test('sums are built in another time zone over several messages', async () => {
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(owner.account, { timeZone: 'Asia/Thimphu' });
  expect((await compareAll(0)).messages).toBe(entries);
  expect((await report()).differences).toEqual([]);
  const { json } = await account.test.get('/api/summary');
  expect(json).toMatchObject({ timeZone: 'Asia/Thimphu', currencies: [{ outstanding: 1_500 }] });
  expect(await checkpoints()).toEqual([]);
});

test('a message that arrives again does no harm, and stops if another one has continued', async () => {
  const { sent } = await handOver(first(), 0);
  const [second] = sent;
  if (!second) throw new Error('There is no second message.');
  const { sent: third } = await handOver(second, 0);
  expect(third).toHaveLength(1);
  expect(await handOver(second, 0)).toEqual({ sent: [], waits: [] });
  await Promise.all([compareAll(0, third[0]), compareAll(0)]);
  expect(await report()).toEqual({ differences: [], notCompared: [] });
});

/** A crash at each of 40 calls takes 11 s of CPU. */
exhaustiveTest(
  'after a crash at any call the message arrives again, and the same difference is reported',
  async () => {
    const stored = await spoilSum();
    const cursor = (await table.get(tableKeys.eventCursor(owner))) ?? {};
    const before = [...(await sums()), cursor];
    let crashAt = -1;
    let calls = 0;
    const layer = await installFaults({
      seed: 0,
      script: () => {
        if (currentInvocation()?.label !== 'compare') return undefined;
        return calls++ === crashAt ? 'crash before call' : undefined;
      },
    });
    undo.push(layer.remove);
    for (let at = 0; ; at++) {
      for (const item of await sums()) await table.delete(item as never);
      await table.putAll(before);
      const of = `2028-${String(Math.floor(at / 28) + 1).padStart(2, '0')}-${String((at % 28) + 1).padStart(2, '0')}`;
      [crashAt, calls] = [at, 0];
      await compareAll(0, first(of));
      const wasCrashed = calls > at;
      crashAt = -1;
      const found = (await report(of)).differences.map(({ rule, found }) => [rule, found]);
      expect({ at, found }).toEqual({ at, found: [['journal_sums_differ', stored['USD:i'] + 1]] });
      await compareAll(60_000, first('2027-03-01'));
      expect({ at, ...(await report('2027-03-01')) }).toEqual({ at, differences: [], notCompared: [] });
      if (wasCrashed) continue;
      expect(at).toBeGreaterThan(20);
      break;
    }
  },
);

test('an account that changes during each try is named, and the next day compares it', async () => {
  await stack.stream.pause();
  undo.push(() => stack.stream.resume());
  await create(900);
  const stored = await spoilSum();
  const minutes = 60_000;
  const { messages, waits } = await compareAll(60_000);
  expect({ messages, waits }).toEqual({ messages: 5, waits: [3, 6, 12, 15].map((each) => each * minutes) });
  const { differences, notCompared } = await report();
  // The sums are compared in any case.
  expect(differences).toMatchObject([{ rule: 'journal_sums_differ', found: stored['USD:i'] + 1 }]);
  expect(notCompared).toEqual([{ ...owner, part: 'journal' }]);
  expect(await checkpoints()).toEqual([]);
  stack.stream.resume();
  await untilRelayed(table, `${owner.account}#test`);
  await compareAll(60_000, first('2027-02-02'));
  expect(await report('2027-02-02')).toEqual({ differences: [], notCompared: [] });
});
