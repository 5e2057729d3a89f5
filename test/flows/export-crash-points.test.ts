/**
 * Tests that an export has each row once, ends once and frees its place when the worker crashes at any call, also if two workers have the
 * same export, and that it fails with a reason if the bucket is gone. Takes 40 seconds.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { ensureBucket } from '../../infra/local/queue-server.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, crashes } = crashStack);
});
afterAll(() => crashStack.close());

/** The worker makes fewer calls. */
const mostCalls = 16;
const worker = 'functions/background/make-export.ts';
/** An archive of a step has 25. */
const documentCount = 27;

interface Crashed {
  readonly client: AccountUnderTest;
  readonly invoices: readonly string[];
  readonly id: string;
}

/** Creates an export of two invoices. Runs the worker with a crash at call `at`, and sometimes beside it one without. */
async function crash(at: number, fault: ScriptedFault): Promise<Crashed> {
  const client = await crashStack.newClient();
  const create = async () => (await client.api.post('/api/invoices', invoiceBody())).json.id as string;
  const invoices = [await create(), await create()];
  const { id } = (await client.api.post('/api/exports', { kind: 'invoices' })).json;
  const label = `export-${at}-${fault}`;
  crashes.set(label, { at, fault });
  const event = toQueueEvent({ reference: id, kind: 'export', due: 1, minute: 1 });
  const runs = [invokeWorker(label, worker, event)];
  if (at % 2 === 1) runs.push(invokeWorker(`beside ${label}`, worker, event));
  await Promise.all(runs);
  return { client, invoices, id };
}

// The first test, because a bucket with objects cannot be deleted.
exhaustiveTest('without its bucket, an export fails with the reason and frees its place', async () => {
  await stack.stream.resume();
  await stack.queues.resume();
  const client = await crashStack.newClient();
  const { s3Endpoint, bucketName } = stack;
  const { status } = await fetch(`${s3Endpoint}/${bucketName}`, { method: 'DELETE' });
  expect(status).toBe(204);
  try {
    const { id } = (await client.api.post('/api/exports', { kind: 'customers' })).json;
    await sweepUntilEnded([{ client, id }]);
    expect((await client.api.get(`/api/exports/${id}`)).json).toMatchObject({
      status: 'failed',
      failure: 'storage_unavailable',
      parts: [],
    });
    const { data } = (await client.api.get('/api/events?type=export.failed')).json;
    expect(data).toMatchObject([{ data: { id } }]);
  } finally {
    await ensureBucket(s3Endpoint, bucketName);
  }
});

exhaustiveTest('an export has each row once after a crash of the worker at any call', async () => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crash(at, 'crash before call'),
    crash(at, 'crash after call'),
  ]).flat();
  const crashed = await Promise.all(cases);
  await sweepUntilEnded(crashed);
  for (const { client, invoices, id } of crashed) {
    const shown = (await client.api.get(`/api/exports/${id}`)).json;
    expect(shown).toMatchObject({ status: 'completed', rows: 2, leftOut: 0, parts: [{ rows: 2 }] });
    const file = await (await fetch(shown.parts[0].url)).text();
    const rows: { id: string }[] = parse(file, { columns: true });
    expect(rows.map((row) => row.id)).toEqual(invoices);
    const { data } = (await client.api.get('/api/events?type=export.completed')).json;
    expect(data).toHaveLength(1);
    const [account = '', mode = ''] = client.owner.split('#');
    const owner = { account, mode: mode as 'test' };
    expect(await table.get(tableKeys.exportSlot(owner, 1))).toBeUndefined();
  }
});

exhaustiveTest(
  'documents are one whole archive after a crash of the worker at any call that joins them',
  async () => {
    await stack.stream.resume();
    await stack.queues.resume();
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    const client = await crashStack.newClient();
    const [account = ''] = client.owner.split('#');
    await changeSeller(account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
    for (let invoice = 0; invoice < documentCount; invoice++)
      await client.api.post('/api/invoices', invoiceBody());
    await runUntilQuiescent({ stack, table, clock });
    await stack.stream.pause();
    await stack.queues.pause();
    const { id } = (await client.api.post('/api/exports', { kind: 'documents' })).json;
    const get = async () => (await client.api.get(`/api/exports/${id}`)).json;
    const event = toQueueEvent({ reference: id, kind: 'export', due: 1, minute: 1 });
    crashes.set('export-archives', { at: 'CreateMultipartUpload', fault: 'crash before call' });
    expect(await invokeWorker('export-archives', worker, event)).toBe(true);
    expect((await get()).parts).toMatchObject([
      { rows: 25, url: null },
      { rows: documentCount - 25, url: null },
    ]);
    let crashed = 0;
    for (let at = 0; (await get()).status === 'running'; at++)
      for (const fault of ['crash before call', 'crash after call'] as const) {
        crashes.set(`export-join-${at}-${fault}`, { at, fault });
        crashed += Number(await invokeWorker(`export-join-${at}-${fault}`, worker, event));
        const shown = await get();
        if (shown.status === 'running')
          expect(shown.parts.map(({ url }: { url: null }) => url)).toEqual([null, null]);
      }
    // The calls that join are at least two reads, the three of the upload and the commit.
    expect(crashed).toBeGreaterThan(12);
    await sweepUntilEnded([{ client, id }]);
    const shown = await get();
    expect(shown).toMatchObject({
      status: 'completed',
      rows: documentCount,
      parts: [{ rows: documentCount }],
    });
    const files = unzipSync(new Uint8Array(await (await fetch(shown.parts[0].url)).arrayBuffer()));
    const index: { file: string }[] = parse(Buffer.from(files['index.csv'] ?? []), { columns: true });
    expect([...index.map(({ file }) => file), 'index.csv']).toEqual(Object.keys(files));
    expect(index).toHaveLength(documentCount);
    const { data } = (await client.api.get('/api/events?type=export.completed')).json;
    expect(data).toHaveLength(1);
  },
);

/** Sends the timers whose leases have ended, until no export runs. */
async function sweepUntilEnded(exports: readonly Pick<Crashed, 'client' | 'id'>[]): Promise<void> {
  stack.stream.resume();
  stack.queues.resume();
  const isEnded = async () => {
    const shown = await Promise.all(exports.map(({ client, id }) => client.api.get(`/api/exports/${id}`)));
    return shown.every(({ json }) => json.status !== 'running');
  };
  for (let step = 0; step < 6; step++) {
    clock.advance(5 * 60_000);
    await stack.schedule.run();
    if (await waitUntil('the end of all exports', isEnded, { deadlineMs: 8_000 }).catch(() => false)) break;
  }
  await runUntilQuiescent({ stack, table, clock });
}
