/**
 * Tests that a row of a bank statement pays its invoice once, and another one waits with a mark, when the worker crashes at any call, also
 * if two workers have the same statement, that a file is one statement or none when its import crashes at any call, and that a row is
 * matched with a recorded payment once, and taken from it by a void once. Takes a minute.
 */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { ensureBucket } from '../../infra/local/queue-server.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { type Api, invoiceBody } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { statementBody } from '../support/statements.ts';
import type { TestTable } from '../support/table.ts';
import { uploadFile } from '../support/upload-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { expectMarksOfWaitingRows } from '../support/waiting-rows.ts';

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

const create = 'functions/statements/create.ts';

/** The event of a request. */
function requestEvent(
  path: string,
  body: object,
  {
    params = null,
    key,
  }: { readonly params?: Readonly<Record<string, string>> | null; readonly key?: string } = {},
) {
  const headers = {
    authorization: `Bearer ${api.apiKey}`,
    'content-type': 'application/json',
    'x-api-version': newestApiVersion,
    ...(key && { 'idempotency-key': key }),
  };
  return {
    httpMethod: 'POST',
    path,
    pathParameters: params,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: {},
    body: JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'request', identity: { sourceIp: '127.0.0.1' } },
  };
}

// The first test, because a bucket with objects cannot be deleted.
exhaustiveTest('without its bucket, an import fails, and works once the bucket is back', async () => {
  const { s3Endpoint, bucketName } = stack;
  const body = { bank: 'Bank', currency: 'BTN', file: `file_${'0'.repeat(26)}` };
  expect((await fetch(`${s3Endpoint}/${bucketName}`, { method: 'DELETE' })).status).toBe(204);
  const refused = await api.post('/api/statements', body);
  await ensureBucket(s3Endpoint, bucketName);
  expect([refused.status, refused.json.error.type]).toEqual([500, 'api_error']);
  expect((await api.get('/api/statements')).json.pagination.total).toBe(0);
  body.file = await uploadFile(api, 'Date,Amount\n2026-03-31,5\n');
  expect((await api.post('/api/statements', body)).status).toBe(201);
});

exhaustiveTest('a file is one statement after a crash of its import at any call', async () => {
  const cases = Array.from({ length: 8 }, (_, at) => [
    [at, 'crash before call'] as const,
    [at, 'crash after call'] as const,
  ]).flat();
  const rowCount = 1_200;
  const ids = cases.map(async ([at, fault]) => {
    const text = `${at} ${fault} ${'long text '.repeat(12)}`;
    const lines = Array.from({ length: rowCount }, (_, index) => `2026-03-31,7.00,${index},${text}`);
    const file = await uploadFile(api, ['Date,Amount,Reference,Narration', ...lines].join('\n'));
    const body = { bank: `Bank ${at} ${fault}`, currency: 'BTN', file };
    const label = `import-${at}-${fault}`;
    crashes.set(label, { at, fault });
    await Promise.all([
      invokeWorker(label, create, requestEvent('/api/statements', body)),
      ...(at % 2 === 1
        ? [invokeWorker(`beside ${label}`, create, requestEvent('/api/statements', body))]
        : []),
    ]);
    const { status, json } = await api.post('/api/statements', body);
    expect([status, json.rowCount]).toEqual([201, rowCount]);
    expect((await api.get(`/api/statements/${json.id}/rows?limit=1&offset=1199`)).json).toMatchObject({
      data: [{ reference: '1199' }],
      pagination: { total: rowCount },
    });
    return json.id as string;
  });
  expect(new Set(await Promise.all(ids)).size).toBe(cases.length);
  await waitUntil('the list has all of them', async () => {
    const { pagination } = (await api.get('/api/statements')).json;
    return pagination.total === cases.length;
  });
});

/** The worker makes fewer calls. */
const mostCalls = 24;
const worker = 'functions/background/settle-payment.ts';

/** Stores a statement whose row names an invoice. Runs the worker with a crash at call `at`, and beside it one without. */
async function crash(at: number, fault: ScriptedFault) {
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  const text = String((await table.get(tableKeys.record(id)))?.paymentReference);
  const [named] = statementBody({ text }).rows;
  const [waiting] = statementBody({ amount: 7 }).rows;
  const { json: statement } = await api.post('/api/statements', {
    ...statementBody(),
    rows: [named, waiting],
  });
  const path = `/api/statements/${statement.id}`;
  const [{ id: row }] = (await api.get(`${path}/rows`)).json.data;
  const label = `statement-${at}-${fault}`;
  crashes.set(label, { at, fault });
  const event = toQueueEvent({ reference: path.split('/').at(-1), kind: 'payment', due: 1, minute: 1 });
  const runs = [invokeWorker(label, worker, event)];
  if (at % 2 === 1) runs.push(invokeWorker(`beside ${label}`, worker, event));
  await Promise.all(runs);
  return { id: id as string, row: row as string, path };
}

exhaustiveTest('a row pays its invoice once after a crash of the worker at any call', async () => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crash(at, 'crash before call'),
    crash(at, 'crash after call'),
  ]).flat();
  const crashed = await Promise.all(cases);
  await runUntilQuiescent({ stack, table, clock });
  const { payments } = await expectConsistentMoney(client);
  for (const { id, row, path } of crashed) {
    const own = payments.filter(({ invoiceId }) => invoiceId === id);
    expect(own).toMatchObject([{ status: 'completed', amount: 2500 }]);
    expect((await api.get(`/api/payments/${own[0]?.id}`)).json.statementRow).toBe(row);
    expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({ status: 'paid', amountPaid: 2500 });
    expect((await api.get(path)).json.status).toBe('ready');
    const [listed] = (await api.get(`${path}/rows`)).json.data;
    expect(listed).toMatchObject({ status: 'matched', payments: [{ paymentId: own[0]?.id }] });
  }
  await expectMarksOfWaitingRows(client.owner.split('#')[0] ?? '', { table, api });
});

/** The requests make fewer calls. */
const mostRequestCalls = 16;

/**
 * Records a part payment, and matches a row with it and voids it, each with a crash at call `at`. Then sends the same requests again.
 * @param isVoided the payment is voided
 */
async function crashLink(at: number, fault: ScriptedFault, isVoided: boolean) {
  const label = `${at}-${fault}-${isVoided}`;
  const { id } = (await api.post('/api/invoices', invoiceBody({ acceptPartial: true }))).json;
  const recorded = { invoiceId: id, method: 'offline', amount: 500, reference: label, bank: 'Typed' };
  const { json: paid } = await api.post('/api/payments', recorded);
  const { json: statement } = await api.post('/api/statements', {
    ...statementBody(),
    rows: [{ ...statementBody({ amount: 500 }).rows[0], reference: label }],
  });
  const path = `/api/statements/${statement.id}`;
  const [{ id: row }] = (await api.get(`${path}/rows`)).json.data;
  const send = async (name: string, to: string, body: object, params: Record<string, string>) => {
    const event = requestEvent(to, body, { params, key: `${name} ${label}` });
    const file = `functions/${name}.ts`;
    const isCrashed = isVoided === (name === 'payments/void');
    if (isCrashed) crashes.set(`${name}-${label}`, { at, fault });
    await Promise.all([
      invokeWorker(`${name}-${label}`, file, event),
      ...(at % 2 === 1 ? [invokeWorker(`beside ${name}-${label}`, file, event)] : []),
    ]);
    const headers = { 'Idempotency-Key': `${name} ${label}` };
    return (await api.post(to, body, { headers })).status;
  };
  const linked = await send(
    'statements/match-row',
    `${path}/rows/${row}/match`,
    { paymentId: paid.id },
    { id: statement.id, rowId: row },
  );
  expect([label, linked]).toEqual([label, 201]);
  if (isVoided) {
    const to = `/api/payments/${paid.id}/void`;
    const voided = await send('payments/void', to, { reason: 'Wrong' }, { id: paid.id });
    expect([label, voided]).toEqual([label, 200]);
  }
  return {
    id: id as string,
    row: row as string,
    path,
    paymentId: paid.id as string,
    isVoided,
    reference: label,
  };
}

exhaustiveTest(
  'a row is matched with a recorded payment once after a crash at any call, and a void takes it back',
  async () => {
    const cases = Array.from({ length: mostRequestCalls }, (_, at) =>
      (['crash before call', 'crash after call'] as const).flatMap((fault) =>
        [false, true].map((isVoided) => crashLink(at, fault, isVoided)),
      ),
    ).flat();
    const crashed = await Promise.all(cases);
    await runUntilQuiescent({ stack, table, clock });
    await expectConsistentMoney(client);
    for (const { id, row, path, paymentId, isVoided, reference } of crashed) {
      const label = `${reference} ${isVoided}`;
      const paid = isVoided ? 0 : 500;
      const invoice = (await api.get(`/api/invoices/${id}`)).json;
      expect([label, invoice.status, invoice.amountPaid]).toEqual([label, 'pending', paid]);
      expect((await api.get(`/api/payments/${paymentId}`)).json.statementRow).toBe(row);
      const [listed] = (await api.get(`${path}/rows`)).json.data;
      expect([label, listed.amountMatched, listed.payments.length]).toEqual([label, paid, isVoided ? 0 : 1]);
      // The reference of the row is taken exactly while the payment counts.
      const { status } = await api.post('/api/payments', {
        invoiceId: id,
        method: 'offline',
        amount: 1,
        reference,
        bank: statementBody().bank,
      });
      expect([label, status]).toEqual([label, isVoided ? 201 : 400]);
    }
    await expectMarksOfWaitingRows(client.owner.split('#')[0] ?? '', { table, api });
  },
);
