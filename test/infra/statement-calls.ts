/** Makes the calls of the functions of bank statements, and of the worker that lets their rows pay. */
import { expect } from '@jest/globals';
import type { Owner } from '../../shared/base/ids.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import { type FunctionCallOptions, type ObservedFunctions, queueEvent } from './observed-calls.ts';

interface StatementDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly owner: Owner;
  readonly newInvoice: () => Promise<string>;
  readonly relayAll: () => Promise<void>;
}

/** What the invoices of the driver charge. */
const amount = 2500;
const settle = 'functions/background/settle-payment.ts';

/** A row of a statement, with the request that stored it. */
export interface StoredRow {
  readonly id: string;
  readonly rowId: string;
}

let stored = 0;

/** Stores a statement with one row, which no other statement has. */
export async function storeRow(
  request: ObservedFunctions['request'],
  fields: object = {},
  call: FunctionCallOptions = {},
): Promise<StoredRow & { readonly body: object }> {
  stored += 1;
  const rows = [{ day: '2026-03-31', amount, reference: `Row ${stored}`, ...fields }];
  const body = { bank: 'Bank of Bhutan', currency: 'USD', rows };
  const { id, statusCode } = await request('functions/statements/create.ts', 'POST', '/api/statements', {
    body,
    ...call,
  });
  expect(statusCode).toBe(201);
  const [row] = (await listRows(request, id)).data;
  return { id, rowId: row.id, body };
}

const listRows = (request: ObservedFunctions['request'], id: string) =>
  request('functions/statements/list-rows.ts', 'GET', `/api/statements/${id}/rows`, { id });

/** Lets a row pay an invoice. */
export const matchRow = (
  request: ObservedFunctions['request'],
  row: StoredRow,
  invoiceId: string,
  {
    idempotencyKey,
    crash,
    amount,
    acceptOver,
  }: FunctionCallOptions & { readonly amount?: number; readonly acceptOver?: true } = {},
) =>
  request('functions/statements/match-row.ts', 'POST', '/', {
    ...row,
    ...(idempotencyKey && { idempotencyKey }),
    crash,
    body: { invoiceId, ...(amount && { amount }), ...(acceptOver && { acceptOver }) },
    apiVersion: newestApiVersion,
  });

/** Runs all code paths of the functions of statements. */
export async function driveStatements(driver: StatementDriver): Promise<void> {
  const { run, request, table, owner, newInvoice, relayAll } = driver;
  const createCall = { idempotencyKey: 'statement one' };
  const first = await storeRow(request, {}, createCall);
  const again = { body: first.body, ...createCall };
  const create = (call: FunctionCallOptions) =>
    request('functions/statements/create.ts', 'POST', '/api/statements', call);
  expect(await create(again)).toMatchObject({ statusCode: 201, id: first.id });
  expect(await create({ body: first.body })).toMatchObject({ statusCode: 201, id: first.id });
  // Another request stores the same rows before this one does.
  const same = { bank: 'Bank of Bhutan', currency: 'USD', rows: [{ day: '2026-03-30', amount }] };
  let isFirst = true;
  const late = await create({
    body: same,
    idempotencyKey: 'statement six',
    crash: async (actions) => {
      const writes = actions.some(({ name, partition }) => `${name} ${partition}` === 'PutItem statement');
      if (writes && isFirst) {
        isFirst = false;
        expect(await create({ body: same })).toMatchObject({ statusCode: 201 });
      }
      return false;
    },
  });
  expect(late).toMatchObject({ statusCode: 201, status: 'matching' });
  expect(
    await request('functions/statements/get.ts', 'GET', `/api/statements/${first.id}`, { id: first.id }),
  ).toMatchObject({ statusCode: 200, status: 'matching' });

  // Other invoices have the amount of the row, so the row has suggestions. One has a customer with a name.
  const customer = { body: { name: 'Dorji Wangmo' } };
  const { id: customerId } = await request(
    'functions/customers/create.ts',
    'POST',
    '/api/customers',
    customer,
  );
  const charged = { customerId, amount, currency: 'USD', description: 'Tea' };
  await request('functions/invoices/create.ts', 'POST', '/api/invoices', { body: charged });
  const invoice = await newInvoice();
  await relayAll();
  expect(await listRows(request, first.id)).toMatchObject({ data: [{ status: 'unmatched' }] });
  expect(await matchRow(request, first, invoice, { idempotencyKey: 'statement two' })).toMatchObject({
    statusCode: 201,
  });
  expect(await matchRow(request, first, invoice, { idempotencyKey: 'statement three' })).toMatchObject({
    statusCode: 400,
  });
  const payment = await matchRow(request, await storeRow(request), await newInvoice());
  expect(payment).toMatchObject({ statementRow: expect.stringMatching(/^row_/) });

  const ignored = await storeRow(request);
  const ignore = (idempotencyKey: string) =>
    request('functions/statements/ignore-row.ts', 'POST', '/', { ...ignored, idempotencyKey });
  expect(await ignore('statement four')).toMatchObject({ statusCode: 200, status: 'ignored' });
  expect(await ignore('statement five')).toMatchObject({ statusCode: 200, status: 'ignored' });

  // The worker: a row that pays by itself, and one that an earlier run has left.
  const paid = await newInvoice();
  const reference = (await table.get(tableKeys.record(paid)))?.paymentReference;
  const named = await storeRow(request, { text: `TRANSFER ${reference}` });
  // Another statement has the row, too, and its worker has marked it.
  await table.put({ ...tableKeys.waitingRow(owner, named.rowId), statementId: first.id });
  const work = queueEvent({ reference: named.id, kind: 'payment', due: 1, minute: 1 });
  for (const _ of ['first', 'again']) expect(await run(settle, work)).toEqual({ batchItemFailures: [] });
  expect(await table.get(tableKeys.record(paid))).toMatchObject({ status: 'paid' });
  expect(await table.get(tableKeys.rowUse(owner, named.rowId))).toMatchObject({ status: 'matched' });
  expect(await table.get(tableKeys.waitingRow(owner, named.rowId))).toBeUndefined();
  const waiting = await storeRow(request);
  await run(settle, queueEvent({ reference: waiting.id, kind: 'payment', due: 1, minute: 1 }));
  expect(await table.get(tableKeys.waitingRow(owner, waiting.rowId))).toMatchObject({
    statementId: waiting.id,
  });
  await voidRowPayment(driver);
  await linkPayment(driver);
  await listOutgoing(driver);

  await driveFiles(request);

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const list = () => request('functions/statements/list.ts', 'GET', '/api/statements', {});
  const { pagination: before } = await list();
  const changed = await table.get(tableKeys.record(first.id));
  await table.put({ ...changed, status: 'ready' });
  expect(await list()).toMatchObject({ pagination: before });
  await table.delete(tableKeys.record(ignored.id));
  expect(await list()).toMatchObject({ pagination: { total: before.total - 1 } });
}

/** Uploads a file with a link, previews it and stores its rows. */
async function driveFiles(request: ObservedFunctions['request']): Promise<void> {
  const body = new Uint8Array(Buffer.from('Date,Amount\n2026-03-31,77.00\n'));
  const query = { size: String(body.length) };
  const link = await request('functions/statements/link-file.ts', 'GET', '/api/statement-files/link', {
    query,
  });
  expect(link).toMatchObject({ statusCode: 200 });
  expect((await fetch(link.uploadUrl, { method: 'PUT', body })).status).toBe(200);
  const { file } = link;
  const read = { query: { file, currency: 'USD' } };
  expect(
    await request('functions/statements/preview-file.ts', 'GET', '/api/statement-files/preview', read),
  ).toMatchObject({ statusCode: 200, rowCount: 1 });
  const created = { body: { bank: 'Bank of files', currency: 'USD', file } };
  expect(await request('functions/statements/create.ts', 'POST', '/api/statements', created)).toMatchObject({
    statusCode: 201,
    rowCount: 1,
  });
}

/** Lists a row of money that went out, with a refund of its amount, and matches it. */
async function listOutgoing(driver: StatementDriver): Promise<void> {
  const { run, request, table, owner, newInvoice, relayAll } = driver;
  const paid = await matchRow(request, await storeRow(request), await newInvoice());
  const body = { paymentId: paid.id, amount: 7 };
  const { id: reference, statusCode } = await request('functions/refunds/create.ts', 'POST', '/api/refunds', {
    body,
  });
  expect(statusCode).toBe(201);
  const work = queueEvent({ reference, kind: 'refund', due: 1, minute: 1 });
  await run('functions/background/process-refund.ts', work);
  await relayAll();
  const day = new Date().toISOString().slice(0, 10);
  const row = await storeRow(request, { amount: -7, day });
  expect((await listRows(request, row.id)).data).toMatchObject([{ refunds: [{ refundId: reference }] }]);
  const matched = await request('functions/statements/match-row.ts', 'POST', '/', {
    ...row,
    body: { refundId: reference },
    apiVersion: newestApiVersion,
  });
  expect(matched).toMatchObject({ statusCode: 201, id: paid.id });
  const ignored = await request('functions/statements/ignore-row.ts', 'POST', '/', { ...row });
  expect(ignored).toMatchObject({ statusCode: 200, status: 'ignored' });
  // The worker: a row with the ID of the refund, and one with the payment reference of its invoice.
  const number = String((await table.get(tableKeys.record(paid.invoiceId)))?.paymentReference);
  const named = await storeRow(request, { amount: -7, day, text: reference });
  const other = await storeRow(request, { amount: -7, day, text: number });
  for (const each of [named, other])
    await run(settle, queueEvent({ reference: each.id, kind: 'payment', due: 1, minute: 1 }));
  const uses = [named, other].map((each) => table.get(tableKeys.rowUse(owner, each.rowId)));
  expect(await Promise.all(uses)).toMatchObject([{ refund: { refundId: reference } }, undefined]);
}

/** Voids a part payment that a row made. The money of the row is free again. */
async function voidRowPayment({ request, table, owner, newInvoice }: StatementDriver): Promise<void> {
  const id = await newInvoice();
  const accepts = { id, body: { acceptPartial: true }, apiVersion: newestApiVersion };
  await request('functions/invoices/update.ts', 'PATCH', '/', accepts);
  const row = await storeRow(request, { amount: 2600 });
  const whole = await matchRow(request, row, await newInvoice(), { amount });
  const over = await storeRow(request, { amount: amount + 1 });
  expect(await matchRow(request, over, await newInvoice(), { acceptOver: true })).toMatchObject({
    statusCode: 201,
    amountOver: 1,
  });
  const part = await matchRow(request, row, id);
  expect(part).toMatchObject({ statusCode: 201, amount: 100 });
  for (const payment of [whole, part]) {
    const undone = { id: payment.id, body: { reason: 'Another invoice' } };
    const { statusCode } = await request('functions/payments/void.ts', 'POST', '/', undone);
    expect(statusCode).toBe(200);
  }
  expect(await table.get(tableKeys.rowUse(owner, row.rowId))).toMatchObject({ status: 'open', payments: [] });
}

/** Says that a row is the money of a part payment that people have recorded. */
async function linkPayment({ request, newInvoice, relayAll }: StatementDriver): Promise<void> {
  const id = await newInvoice();
  const accepts = { id, body: { acceptPartial: true }, apiVersion: newestApiVersion };
  await request('functions/invoices/update.ts', 'PATCH', '/', accepts);
  const body = { invoiceId: id, method: 'offline', amount: 101, reference: 'J 101' };
  const paid = await request('functions/payments/create.ts', 'POST', '/api/payments', {
    body,
    apiVersion: newestApiVersion,
  });
  expect(paid).toMatchObject({ statusCode: 201 });
  await relayAll();
  const row = await storeRow(request, { amount: 101, reference: 'J 101' });
  expect((await listRows(request, row.id)).data).toMatchObject([
    { recordedPayments: [{ paymentId: paid.id, reason: 'reference' }] },
  ]);
  for (const [statusCode, idempotencyKey] of [
    [201, 'link one'],
    [400, 'link two'],
  ])
    expect(
      await request('functions/statements/match-row.ts', 'POST', '/', {
        ...row,
        idempotencyKey: String(idempotencyKey),
        body: { paymentId: paid.id },
        apiVersion: newestApiVersion,
      }),
    ).toMatchObject({ statusCode });
}
