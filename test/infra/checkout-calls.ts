/** Runs the functions of checkouts through all of their table actions, for the test of the grants. */
import { expect } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { payButtonOf, referenceIn } from '../support/checkouts.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import { type CrashCondition, type ObservedFunctions, queueEvent } from './observed-calls.ts';
import { matchRow, storeRow } from './statement-calls.ts';

interface CheckoutDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly double: ProviderDouble;
  readonly owner: Owner;
  readonly newInvoice: () => Promise<string>;
  readonly relayAll: () => Promise<void>;
  /** Closes the minutes of new timers, so functions that set one store it twice. */
  readonly closeMinutes: () => Promise<unknown>;
}

const files = {
  show: 'functions/pay/show.ts',
  submit: 'functions/pay/submit.ts',
  cancel: 'functions/invoices/cancel.ts',
  update: 'functions/invoices/update.ts',
  replace: 'functions/invoices/replace.ts',
  create: 'functions/payments/create.ts',
  resolve: 'functions/payments/resolve.ts',
  refund: 'functions/refunds/create.ts',
  receive: 'functions/notifications/receive.ts',
  settle: 'functions/background/settle-checkout.ts',
  process: 'functions/background/process-refund.ts',
};

/** Returns functions that pay at the double. */
export function payerAt({ run, table, double }: Pick<CheckoutDriver, 'run' | 'table' | 'double'>) {
  const open = async (id: string) => {
    const { body } = await run<{ body: string }>(files.show, pageEvent('GET', id));
    const answer = await run<{ statusCode: number; headers: Record<string, string> }>(
      files.submit,
      pageEvent('POST', id, payButtonOf({ text: body })),
    );
    return { statusCode: answer.statusCode, location: answer.headers.Location ?? '' };
  };
  const begin = async (id: string) => {
    const { statusCode: status, location } = await open(id);
    return referenceIn({ status, headers: { location } });
  };
  const pay = async (id: string) => expect(double.act(await begin(id), 'pay')).toBe(true);
  const checkoutOf = async (id: string) => (await table.get(tableKeys.record(id)))?.openCheckout as string;
  return { open, begin, pay, checkoutOf };
}

export async function driveCheckouts(driver: CheckoutDriver): Promise<void> {
  const { run, request, table, double, newInvoice, relayAll, closeMinutes } = driver;
  const { open, begin, pay, checkoutOf } = payerAt(driver);
  const settle = (reference: string, due = 1, crash?: CrashCondition) =>
    run(files.settle, queueEvent({ reference, kind: 'checkout', due, minute: 1 }), crash);
  const change = async (id: string, changes: TestItem) => {
    const item = await table.get(tableKeys.record(id));
    await table.put({ ...item, version: item?.version + 1, ...changes });
  };
  const requests = {
    cancel: (id: string, crash?: CrashCondition) => request(files.cancel, 'DELETE', '/', { id, crash }),
    replace: (id: string, crash?: CrashCondition) =>
      request(files.replace, 'POST', '/', { id, body: {}, crash }),
    update: (id: string) => request(files.update, 'PATCH', '/', { id, body: { amount: 1 } }),
    create: (id: string) =>
      request(files.create, 'POST', '/', { body: { invoiceId: id, method: 'offline' } }),
    match: async (id: string, crash?: CrashCondition) =>
      matchRow(request, await storeRow(request), id, { crash }),
  };
  for (const send of Object.values(requests)) {
    const id = await newInvoice();
    await pay(id);
    expect(await send(id)).toMatchObject({ statusCode: 400 });
    expect(await table.get(tableKeys.record(id))).toMatchObject({ status: 'paid' });
  }
  // The invoice is cancelled while its checkout is voided: one that is paid, and one that is not.
  for (const send of [requests.cancel, requests.replace, requests.match]) {
    for (const visit of [pay, begin]) {
      const cancelled = await newInvoice();
      await visit(cancelled);
      await send(cancelled, async (actions) => {
        if (actions.some(({ partition }) => partition === 'connection'))
          await change(cancelled, { status: 'cancelled', openCheckout: undefined });
        return false;
      });
    }
  }

  const changed = await newInvoice();
  await pay(changed);
  await change(changed, { objectVersion: 2 });
  expect((await open(changed)).location).toContain('/c/pay/');
  const deleteMarks = () => table.delete(tableKeys.watermark);
  double.act(await begin(changed), 'pay');
  const checkout = await checkoutOf(changed);
  for (const setMarks of [deleteMarks, closeMinutes]) {
    await setMarks();
    expect((await open(changed)).location).toMatch(/^\?checkout=/);
    await setMarks();
    await run(files.show, pageEvent('GET', changed, {}, { checkout }));
  }

  const notify = async () => {
    const last = double.notifications.all.at(-1);
    if (!last) throw new Error('The double has no notification.');
    const { headers, body } = double.notifications.signed(last);
    const event = { ...pageEvent('POST', ''), multiValueHeaders: multiValued(headers), body };
    const pathParameters = { provider: 'stripe', account: driver.owner.account };
    return run(files.receive, { ...event, pathParameters });
  };
  for (const setMarks of [closeMinutes, deleteMarks]) {
    await setMarks();
    expect(await notify()).toMatchObject({ statusCode: 200 });
  }
  await settle(checkout);
  const paymentId = (await table.get(tableKeys.record(checkout)))?.paymentId as string;
  const payment = await table.get(tableKeys.record(paymentId));
  double.openDispute(payment?.reference);
  expect(await notify()).toMatchObject({ statusCode: 200 });
  double.closeDispute(double.openDispute(payment?.reference), 'won');
  await table.delete(tableKeys.watermark);
  await settle(paymentId);
  // The merchant refunds in the dashboard of the provider, and the bank returns the money.
  const made = double.refundInDashboard(payment?.reference, 100);
  await settle(paymentId);
  double.settleRefund(made, 'failed');
  await settle(paymentId);

  // A bank decides days later. The merchant tries to change the invoice meanwhile.
  for (const outcome of ['succeeded', 'failed'] as const) {
    for (const send of Object.values(requests)) {
      const id = await newInvoice();
      const reference = await begin(id);
      const pending = await checkoutOf(id);
      double.act(reference, 'later');
      await settle(pending);
      await run(files.show, pageEvent('GET', id));
      expect(await send(id)).toMatchObject({ statusCode: 400 });
      double.settle(reference, outcome);
      if (outcome === 'succeeded') expect(await send(id)).toMatchObject({ statusCode: 400 });
      else await send(id);
      await settle(pending);
    }
  }
  // The provider takes another amount, and the merchant decides.
  for (const action of ['accept', 'refund']) {
    const id = await newInvoice();
    await pay(id);
    const differing = await checkoutOf(id);
    // What the merchant accepts above the amount is credit of the customer.
    const amount = action === 'accept' ? 2400 : 2600;
    await change(id, { amount });
    await change(differing, { amount });
    await settle(differing);
    const heldId = (await table.get(tableKeys.record(id)))?.paymentInProgress as string;
    const decided = await request(files.resolve, 'POST', '/', {
      id: heldId,
      body: { action },
      idempotencyKey: `resolve ${action}`,
    });
    expect(decided).toMatchObject({ status: action === 'accept' ? 'completed' : 'failed' });
    await settle(differing);
    await run(files.process, queueEvent({ reference: heldId, kind: 'refund', due: 1, minute: 1 }));
  }

  // A checkout that is still open is asked about again, and one whose invoice is cancelled is voided.
  const waiting = await newInvoice();
  await begin(waiting);
  const waitingCheckout = await checkoutOf(waiting);
  await table.delete(tableKeys.watermark);
  await settle(waitingCheckout);
  await change(waiting, { status: 'cancelled', openCheckout: undefined });
  await settle(waitingCheckout);
  expect(await table.get(tableKeys.record(waitingCheckout))).toMatchObject({ status: 'voided' });

  const paid = await newInvoice();
  await pay(paid);
  await settle(await checkoutOf(paid));
  const { receipt } = (await table.get(tableKeys.record(paid))) ?? {};
  const body = { paymentId: receipt.paymentId, amount: 100 };
  const { id: refund } = await request(files.refund, 'POST', '/', { body });
  const process = () =>
    run(files.process, queueEvent({ reference: refund, kind: 'refund', due: 1, minute: 1 }));
  await process();
  expect(await table.get(tableKeys.record(refund))).toMatchObject({ status: 'processed' });
  const booked = double.books().flatMap(({ refunds }) => refunds);
  double.settleRefund(booked.find(({ key }) => key === refund)?.reference ?? '', 'failed');
  expect(await notify()).toMatchObject({ statusCode: 200 });
  await process();
  expect(await table.get(tableKeys.record(refund))).toMatchObject({ status: 'failed' });
  await relayAll();
}

const multiValued = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

function pageEvent(
  httpMethod: string,
  id: string,
  form: Record<string, string> = {},
  query: Record<string, string> = {},
) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    httpMethod,
    path: `/pay/${id}`,
    pathParameters: { id },
    headers,
    multiValueHeaders: multiValued(headers),
    multiValueQueryStringParameters: multiValued(query),
    body: new URLSearchParams(form).toString(),
    isBase64Encoded: false,
    requestContext: { requestId: `${httpMethod}-${id}`, identity: { sourceIp: '127.0.0.1' } },
  };
}
