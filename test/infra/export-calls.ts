/** Makes the calls of the functions of exports, and of the worker that makes their files. */
import { expect } from '@jest/globals';
import { exportKinds } from '../../shared/domain/exports/export-kinds.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import {
  type FunctionCallOptions,
  type ObservedFunctions,
  queueEvent,
  streamEvent,
} from './observed-calls.ts';

interface ExportDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly newInvoice: (fields?: object) => Promise<string>;
  readonly relayAll: () => Promise<void>;
  readonly setAhead: (ms: number) => void;
}

const worker = 'functions/background/make-export.ts';
/** A run that is so much slower has no time for another step. */
const slowMs = 1_500;

/** Runs all code paths of the functions of exports. */
export async function driveExports({
  run,
  request,
  table,
  newInvoice,
  relayAll,
  setAhead,
}: ExportDriver): Promise<void> {
  const create = (call: FunctionCallOptions) =>
    request('functions/exports/create.ts', 'POST', '/api/exports', call);
  const work = (reference: string) => queueEvent({ reference, kind: 'export', due: 1, minute: 1 });
  const make = async (id: string) => expect(await run(worker, work(id))).toEqual({ batchItemFailures: [] });
  const get = (id: string) => request('functions/exports/get.ts', 'GET', `/api/exports/${id}`, { id });

  const ids: string[] = [];
  const invoiceId = await newInvoice();
  const { customerId, records } = await newDebtor({ run, request, newInvoice });
  await relayAll();
  for (const kind of exportKinds) {
    const { statusCode, id } = await create({
      // The local bucket takes objects of up to 11 MiB, and other documents of the account are large.
      body: {
        kind,
        ...(kind === 'documents' && { filters: { invoiceId } }),
        ...(kind === 'statement' && { filters: { customerId } }),
      },
    });
    expect(statusCode).toBe(201);
    await relayAll();
    // The clock of the account is ahead of a worker whose clock is late.
    setAhead(kind === 'audit' ? -60_000 : 0);
    await make(id);
    setAhead(0);
    expect(await get(id)).toMatchObject({ statusCode: 200, status: 'completed' });
    ids.push(id);
  }

  await exportManyDocuments({ run, request, table });

  // Records that the index contains and that do not exist are read again.
  for (const record of records) {
    await table.delete(tableKeys.record(record));
    const { id } = await create({ body: { kind: 'statement', filters: { customerId } } });
    await make(id);
    expect(await get(id)).toMatchObject({ status: 'completed' });
  }

  // Another request takes the place of an export before it does.
  let isFirst = true;
  const late = { body: { kind: 'customers' }, idempotencyKey: 'export one' };
  const { id } = await create({
    ...late,
    crash: async (actions) => {
      if (isFirst && actions.some(({ name, partition }) => `${name} ${partition}` === 'PutItem export')) {
        isFirst = false;
        ids.push((await create({ body: { kind: 'refunds' } })).id);
      }
      return false;
    },
  });
  expect(await create(late)).toMatchObject({ statusCode: 201, id });

  // A run without time for another step, and the next one.
  let isSlow = false;
  const wait = async () => {
    if (!isSlow) await new Promise((resolve) => setTimeout(resolve, slowMs));
    isSlow = true;
    return false;
  };
  await table.delete(tableKeys.watermark);
  expect(await run(worker, work(id), wait)).toEqual({ batchItemFailures: [] });
  expect(await get(id)).toMatchObject({ status: 'running' });
  // The sweep sends the message of the next run.
  await table.delete(tableKeys.watermark);
  setAhead(120_000);
  await run('functions/background/sweep.ts', {});
  setAhead(0);
  for (const left of [id, ids.at(-1) ?? '']) await make(left);
  expect(await get(id)).toMatchObject({ status: 'completed' });

  // One more than can run. The first reads the settings of the account, which another function has read half a minute ago at most.
  const running: string[] = [];
  setAhead(60_000);
  for (let count = 0; count < 5; count++) {
    running.push((await create({ body: { kind: 'customers' } })).id);
    setAhead(0);
  }
  const refused = { body: { kind: 'customers' }, idempotencyKey: 'export two' };
  expect(await create(refused)).toMatchObject({ statusCode: 400 });
  for (const each of running) await make(each);

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const list = () => request('functions/exports/list.ts', 'GET', '/api/exports', {});
  const { pagination: before } = await list();
  const changed = await table.get(tableKeys.record(id));
  await table.put({ ...changed, status: 'failed' });
  expect(await list()).toMatchObject({ pagination: before });
  await table.delete(tableKeys.record(ids[0] ?? ''));
  expect(await list()).toMatchObject({ pagination: { total: before.total - 1 } });
}

/** Exports more documents than an archive of a step has, of an account without a large logo. */
async function exportManyDocuments({ run, request, table }: Pick<ExportDriver, 'run' | 'request' | 'table'>) {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const { accountId, keys } = await createAccount({ name: 'Year', plan: 'enterprise' });
  await changeSeller(accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const key = keys.test;
  const relay = async () => {
    const items = await table.outboxOf(`${accountId}#test`);
    const event = streamEvent(items);
    expect(await run('functions/background/publish-outbox.ts', event)).toEqual({ batchItemFailures: [] });
  };
  const body = { customerId: 'order:1', amount: 500, currency: 'BTN', description: 'Tea' };
  for (let count = 0; count < 26; count++)
    await request('functions/invoices/create.ts', 'POST', '/api/invoices', { key, body });
  await relay();
  const of = { key, body: { kind: 'documents' } };
  const { id } = await request('functions/exports/create.ts', 'POST', '/api/exports', of);
  await relay();
  const get = () => request('functions/exports/get.ts', 'GET', `/api/exports/${id}`, { id, key });
  let shown = await get();
  // A slow run ends between two steps.
  for (let left = 5; left > 0 && shown.status === 'running'; left--) {
    await run(worker, queueEvent({ reference: id, kind: 'export', due: 1, minute: 1 }));
    shown = await get();
  }
  expect(shown).toMatchObject({ status: 'completed', rows: 26, parts: [{ rows: 26 }] });
}

/** Creates a customer who has paid an invoice, and to whom the money went back. Returns the records, the last one first. */
async function newDebtor({ run, request, newInvoice }: Pick<ExportDriver, 'run' | 'request' | 'newInvoice'>) {
  const create = async (resource: string, body: object) =>
    (
      await request(
        `functions/${resource}/create.ts` as 'functions/customers/create.ts',
        'POST',
        `/api/${resource}`,
        { body },
      )
    ).id as string;
  const customerId = await create('customers', { name: 'Dorji' });
  const invoiceId = await newInvoice({ customerId });
  const payment = await create('payments', { invoiceId, method: 'offline' });
  const refund = await create('refunds', { paymentId: payment, amount: 500 });
  const event = queueEvent({ reference: refund, kind: 'refund', due: 1, minute: 1 });
  expect(await run('functions/background/process-refund.ts', event)).toEqual({ batchItemFailures: [] });
  return { customerId, records: [refund, payment, invoiceId] };
}
