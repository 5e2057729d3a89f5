/**
 * Writes timers, outbox items and messages that cannot be read beside good ones. They are set aside, and everything else is done at
 * once. `remit poison` shows, retries and drops them.
 */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { randomAccountId } from '../../shared/base/ids.ts';
import { type QueueName, queueVariables } from '../../shared/base/queues.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { timerItem } from '../../shared/store/timers/timer-item.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { run, runHere } from '../support/command-line.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.queues.pause(), stack.schedule.pause(), stack.stream.pause()]);
});
beforeEach(async () => {
  for (const prefix of ['SETASIDE', 'TIMER#', 'OUTBOX#'])
    for (const { pk, sk } of await table.all(prefix)) await table.delete({ pk, sk });
  await table.delete(tableKeys.watermark);
});
afterAll(() => stack.close());

const setAside = () => table.all('SETASIDE');
const poisonWith =
  (runCommand: typeof run) =>
  async (...args: string[]) => {
    const outcome = await runCommand('poison', [...args, '--json']);
    return { ...outcome, json: outcome.out ? JSON.parse(outcome.out) : undefined };
  };
const poison = poisonWith(runHere);
/** In a process of its own, as operators do. */
const poisonAlone = poisonWith(run);
const without = (item: TestItem, name: string): TestItem =>
  Object.fromEntries(Object.entries(item).filter(([each]) => each !== name));

describe('timers', () => {
  /** All timers of one hour and shard, so that one call would write them together. */
  const minute = Math.floor(Date.now() / minuteMs) - 1;
  const timer = (number: number): TestItem => {
    const due = minute * minuteMs + number;
    return timerItem({ due, kind: 'overdue', reference: 'inv_1', group: 'acct_1', minute }, {});
  };
  const edits: readonly (readonly [string, (item: TestItem) => TestItem])[] = [
    ...['due', 'kind', 'reference', 'minute'].map(
      (name) => [`no ${name}`, (item: TestItem) => without(item, name)] as const,
    ),
    ...['due', 'kind', 'reference', 'minute', 'group', 'leasedUntil', 'sends'].map(
      (name) =>
        [`another form of ${name}`, (item: TestItem) => ({ ...item, [name]: { other: 'form' } })] as const,
    ),
    ['a due time that is text', (item) => ({ ...item, due: 'soon' })],
    ['a due time beyond all dates', (item) => ({ ...item, due: 8.64e15 + 2 })],
    ['the time of another key', (item) => ({ ...item, due: item.due + 1 })],
    ['a group that SQS refuses', (item) => ({ ...item, group: 'a b\u0000' })],
    ['a description that is too large', (item) => ({ ...item, first: 'x'.repeat(5_000) })],
  ];

  test.each(edits)('with %s is set aside, and all others are sent', async (_, edit) => {
    const good = Array.from({ length: 60 }, (_each, index) => timer(index + 1));
    const bad = edit(timer(0));
    await table.putAll([...good, bad]);
    const { sweepTimers } = await import('../../shared/store/timers/sweep-timers.ts');
    await sweepTimers(Date.now());
    const [first, ...others] = await setAside();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ kind: 'timer', content: bad, problem: expect.any(String) });
    const left = await table.all('TIMER#');
    expect(left.map(({ sends }) => sends)).toEqual(good.map(() => 1));
    expect(left.map(({ due }) => due).sort()).toEqual(good.map(({ due }) => due).sort());
    // All minutes are done, so nothing is late.
    const { done } = (await table.get(tableKeys.watermark)) ?? {};
    expect(done).toBeGreaterThanOrEqual(minute);
  });

  test('with unknown attributes and an unknown kind stay, and do not delay others', async () => {
    const later = { ...timer(0), later: { release: 2 } };
    const plain = { due: minute * minuteMs, reference: 'x', minute };
    const otherKind = timerItem({ ...plain, kind: 'later' as QueueName }, {});
    await table.putAll([later, otherKind, timer(2)]);
    const { sweepTimers } = await import('../../shared/store/timers/sweep-timers.ts');
    await sweepTimers(Date.now()).catch(() => {});
    expect(await setAside()).toEqual([]);
    const left = await table.all('TIMER#');
    expect(left.map(({ sends }) => sends)).toEqual([1, 1, 1]);
    expect(left.filter(({ later: kept }) => kept)).toHaveLength(1);
  });
});

describe('outbox items', () => {
  const edits: readonly (readonly [string, (item: TestItem) => TestItem])[] = [
    ...['account', 'mode', 'indexEntries', 'events', 'timers'].flatMap((name) => [
      [`no ${name}`, (item: TestItem) => without(item, name)] as const,
      [`another form of ${name}`, (item: TestItem) => ({ ...item, [name]: { other: 'form' } })] as const,
    ]),
    [
      'an event without a body',
      (item) => ({ ...item, events: item.events.map((each: TestItem) => without(each, 'body')) }),
    ],
    ['an event that is not JSON', (item) => ({ ...item, events: [{ ...item.events[0], body: 'text' }] })],
    [
      'an index entry without a number',
      (item) => ({ ...item, indexEntries: [without(item.indexEntries[0], 'seq')] }),
    ],
    ['a timer without a time', (item) => ({ ...item, timers: [{ kind: 'overdue', reference: 'inv_1' }] })],
    ['the account of another partition', (item) => ({ ...item, account: randomAccountId('sandbox') })],
    ['a claim that is text', (item) => ({ ...item, claimedUntil: 'later' })],
    ['claims that are text', (item) => ({ ...item, claims: 'many' })],
  ];

  /** Creates changes of one account, which wait in one shard. Returns their items, oldest first. */
  async function waitingItems() {
    const { accountId, test: api } = await newAccount(stack.baseUrl);
    for (const { pk, sk } of await table.all('OUTBOX#')) await table.delete({ pk, sk });
    for (let count = 0; count < 6; count++)
      expect((await api.post('/api/invoices', invoiceBody())).status).toBe(201);
    const items = (await table.all('OUTBOX#')).filter(({ account }) => account === accountId);
    expect(items).toHaveLength(6);
    // As old as the sweep's work is.
    const old = items.map((item, index) => ({
      ...item,
      sk: `${String(Date.now() - 120_000 + index).padStart(15, '0')}#${item.sk.split('#')[1]}`,
    }));
    for (const { pk, sk } of items) await table.delete({ pk, sk });
    await table.putAll(old);
    return { api, items: old };
  }

  test.each(edits)('with %s are set aside by the sweep, and all others are relayed', async (name, edit) => {
    const { api, items } = await waitingItems();
    const bad = edit(items[0] ?? {});
    await table.put(bad);
    const { relayStale } = await import('../../shared/operations/outbox/relay.ts');
    await relayStale();
    expect(await setAside()).toMatchObject([{ kind: 'outbox item', content: bad }]);
    expect(await table.all('OUTBOX#')).toEqual([]);
    expect((await api.get('/api/events')).json.data).toHaveLength(5);
    // Repaired and retried, nothing is lost.
    const [work] = await setAside();
    if (!isExhaustive && name !== edits[0]?.[0]) return table.delete({ pk: work?.pk, sk: work?.sk });
    await table.put({ ...work, content: items[0] });
    expect((await poison('retry', '--id', work?.sk)).code).toBe(0);
    await relayStale();
    expect((await api.get('/api/events')).json.data).toHaveLength(6);
    expect(await setAside()).toEqual([]);
  });

  test('are set aside by the consumer of the stream, and all others of the batch are relayed', async () => {
    const { api, items } = await waitingItems();
    await table.put(without(items[2] ?? {}, 'indexEntries'));
    const { relayItems } = await import('../support/webhook-workers.ts');
    const outcome = await relayItems([
      ...items.slice(0, 2),
      without(items[2] ?? {}, 'indexEntries'),
      ...items.slice(3),
    ]);
    expect(outcome).toEqual({ crashed: false, failed: [] });
    expect(await setAside()).toHaveLength(1);
    expect((await api.get('/api/events')).json.data).toHaveLength(5);
    expect(await table.all('OUTBOX#')).toEqual([]);
  });
});

describe('messages', () => {
  const queueTriggers = Object.values(triggers).filter((trigger) => trigger.kind === 'queue');
  const garbage = [
    'garbage',
    '{}',
    'null',
    '[]',
    '"text"',
    '7',
    '{"kind":"other","due":1,"reference":"x","minute":1}',
    '{"due":1e300}',
    '{"account":"acct_1","mode":"other","day":"x"}',
    '{"fold":{"account":1}}',
    ...[
      '{}',
      '{"provider":"stripe"}',
      '{"provider":"stripe","since":"x","candidates":[],"isSecond":false,"tries":0}',
    ].map((books) => `{"account":"acct_1","mode":"live","day":"2027-01-31","books":${books}}`),
  ];

  test.each(queueTriggers.map((trigger) => [trigger.queue, trigger] as const))(
    'of the queue %s that cannot be read are set aside, and leave the queue',
    async (queue, { handler: file }) => {
      const handler = await loadHandler<object, { batchItemFailures: unknown[] }>(file);
      const Records = garbage.map((body, index) => ({ messageId: String(index), body }));
      const answer = await handler({ Records }, lambdaContext(file, 60_000));
      expect(answer.batchItemFailures).toEqual([]);
      const work = await setAside();
      expect(work.map(({ content }) => content).sort()).toEqual([...garbage].sort());
      expect(new Set(work.map((each) => `${each.kind} ${each.queue}`))).toEqual(
        new Set([`message ${queue}`]),
      );
      // The same message again is the same work.
      await handler({ Records: Records.slice(0, 1) }, lambdaContext(file, 60_000));
      expect(await setAside()).toHaveLength(garbage.length);
    },
  );

  test('leave a real queue', async () => {
    const client = new SQSClient({
      endpoint: stack.sqsEndpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const queue: QueueName = 'reconciliation';
    const QueueUrl = process.env[queueVariables[queue]];
    stack.queues.resume();
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"nothing":1}' }));
    const { waitUntil } = await import('../support/wait-until.ts');
    await waitUntil('the message is set aside', async () => (await setAside()).length === 1);
    await stack.queues.pause();
  });
});

test('the command line lists, shows, retries and drops what is set aside', async () => {
  expect(await poisonAlone('list')).toMatchObject({ code: 0, json: [] });
  const minute = Math.floor(Date.now() / minuteMs) - 1;
  const good = timerItem({ due: minute * minuteMs, kind: 'overdue', reference: 'inv_2', minute }, {});
  await table.put({ ...good, group: 7 });
  const { sweepTimers } = await import('../../shared/store/timers/sweep-timers.ts');
  await sweepTimers(Date.now());
  const { code, json } = await poisonAlone('list');
  expect({ code, json }).toMatchObject({
    code: 1,
    json: [{ kind: 'timer', problem: expect.stringContaining('group') }],
  });
  const { id } = json[0];
  expect(await poison('show', '--id', id)).toMatchObject({
    code: 0,
    json: { id, content: { reference: 'inv_2' } },
  });
  expect(await poison('retry', '--id', id)).toMatchObject({
    code: 1,
    error: expect.stringContaining('still cannot be read'),
  });
  const [work] = await setAside();
  await table.put({ ...work, content: good });
  expect(await poison('retry', '--id', id)).toMatchObject({ code: 0 });
  expect(await setAside()).toEqual([]);
  expect(await table.timersOf('inv_2')).toHaveLength(1);
  await table.put({ ...work });
  expect(await poisonAlone('drop', '--id', id)).toMatchObject({ code: 0 });
  expect(await setAside()).toEqual([]);
  expect(await poison('drop', '--id', id)).toMatchObject({
    code: 1,
    error: expect.stringContaining('Nothing is set aside'),
  });
});
