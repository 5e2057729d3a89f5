/**
 * Tests work that asks a provider while calls to the table fail. No such failure counts as a provider that does not answer: a
 * message is delivered again, and a request fails without saying anything about the payment.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { triggers } from '../../infra/triggers.ts';
import { logger } from '../../shared/base/log.ts';
import { deliverDueTimers } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { toQueueEvent } from '../support/crashing-workers.ts';
import { injectFault, interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { currentInvocation, invocationHeader, runAsInvocation } from '../support/invocations.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
let crashStack: CrashTestStack;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let warnings: string[];
const { warn } = logger;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  checkouts = await startCheckoutDouble(crashStack.stack);
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
beforeEach(async () => {
  merchant = await checkouts.newMerchant();
  warnings = [];
  logger.warn = (message, ...fields) => {
    warnings.push(String(message));
    warn.call(logger, message, ...fields);
  };
});
afterEach(async () => {
  logger.warn = warn;
  checkouts.double.faults.clear();
  await purgeQueues(crashStack.stack);
});
afterAll(async () => {
  await checkouts.close();
  await crashStack.close();
});

const later = (ms: number) => {
  crashStack.clock.advance(ms);
  return deliverDueTimers(crashStack.table, crashStack.clock);
};

/** Makes the next read of the connection in the invocation `label` fail. Returns how to remove the fault. */
function failToRead(label: string) {
  const fault = injectFault(
    ({ operation, body }) =>
      currentInvocation()?.label === label && operation === 'GetItem' && body.includes('PROVIDER#'),
    respondWithError('AccessDeniedException'),
  );
  const { remove } = interceptCalls(fault);
  return { left: fault.left, remove };
}

async function newPayment(): Promise<{ id: string; invoiceId: string }> {
  const { id: invoiceId, paymentUrl } = await merchant.newInvoice();
  await payAtDouble(checkouts.double, paymentUrl);
  await later(minuteMs);
  return waitUntil('the payment is listed', async () => {
    const { json } = await merchant.api.get(`/api/payments?invoiceId=${invoiceId}`);
    return json.data[0];
  });
}

async function newRefund(): Promise<string> {
  const { id: paymentId } = await newPayment();
  return (await merchant.api.post('/api/refunds', { paymentId, amount: 1000 })).json.id;
}

const openCheckoutOf = async ({ id }: { readonly id: string }): Promise<string> => {
  const all = await crashStack.table.all('co_');
  return String(all.find(({ invoiceId }) => invoiceId === id)?.pk);
};
const statusOf = async (path: string) => (await merchant.api.get(path)).json.status;

const { settleCheckout, processRefund } = triggers;

/** Each returns the reference of a timer, and a function that returns the state after the worker has handled it. */
const works = {
  'of an open checkout': async () => {
    const invoice = await merchant.newInvoice();
    await payAtDouble(checkouts.double, invoice.paymentUrl);
    const reference = await openCheckoutOf(invoice);
    return {
      ...{ worker: settleCheckout.handler, kind: 'checkout', reference, expected: ['pending', 'paid'] },
      read: () => statusOf(`/api/invoices/${invoice.id}`),
    };
  },
  'of a dispute': async () => {
    const { id: reference } = await newPayment();
    const path = `/api/payments/${reference}`;
    checkouts.double.openDispute((await merchant.api.get(path)).json.reference);
    return {
      ...{ worker: settleCheckout.handler, kind: 'checkout', reference, expected: [undefined, 'open'] },
      read: async () => (await merchant.api.get(path)).json.dispute?.status,
    };
  },
  'of a new refund': async () => {
    const reference = await newRefund();
    return {
      ...{ worker: processRefund.handler, kind: 'refund', reference, expected: ['pending', 'processed'] },
      read: () => statusOf(`/api/refunds/${reference}`),
    };
  },
  'of a processed refund whose money came back': async () => {
    const reference = await newRefund();
    await later(0);
    const booked = checkouts.double.books().flatMap(({ refunds }) => refunds);
    const returned = booked.find(({ key }) => key === reference)?.reference ?? '';
    checkouts.double.settleRefund(returned, 'failed');
    return {
      ...{ worker: processRefund.handler, kind: 'refund', reference, expected: ['processed', 'failed'] },
      read: () => statusOf(`/api/refunds/${reference}`),
    };
  },
} as const;

test.each(Object.keys(works) as (keyof typeof works)[])(
  'the worker %s fails, and its message is delivered again',
  async (what) => {
    const { worker, kind, reference, expected, read } = await works[what]();
    const handler = await loadHandler<object, SQSBatchResponse>(worker);
    const event = toQueueEvent({ kind, due: 1, minute: 1, reference });
    const run = () => runAsInvocation(what, () => handler(event, lambdaContext(worker, 60_000)));
    const { left, remove } = failToRead(what);
    const failed = await run();
    remove();
    expect(left()).toBe(0);
    expect(failed.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
    expect(warnings).toEqual([]);
    expect(await read()).toBe(expected[0]);
    expect((await run()).batchItemFailures).toEqual([]);
    expect(await read()).toBe(expected[1]);
  },
);

test('a request that must void a checkout fails, and claims no payment in progress', async () => {
  const invoice = await merchant.newInvoice();
  await beginPaying(invoice.paymentUrl);
  const label = 'cancels';
  const cancel = () =>
    merchant.api.delete(`/api/invoices/${invoice.id}`, { headers: { [invocationHeader]: label } });
  const { left, remove } = failToRead(label);
  const failed = await cancel();
  remove();
  expect(left()).toBe(0);
  expect([failed.status, failed.json.error.code]).toEqual([500, 'internal_error']);
  expect(warnings).toEqual([]);
  expect((await cancel()).status).toBe(200);
  expect(await statusOf(`/api/invoices/${invoice.id}`)).toBe('cancelled');
});

test.each(['checkout', 'refund'])('a %s whose connection was deleted is asked about again', async (kind) => {
  const isCheckout = kind === 'checkout';
  const invoice = await merchant.newInvoice();
  if (isCheckout) await beginPaying(invoice.paymentUrl);
  const reference = isCheckout ? await openCheckoutOf(invoice) : await newRefund();
  const items = await crashStack.table.all(`PROVIDER#${merchant.owner.account}`);
  for (const item of items) await crashStack.table.delete({ pk: item.pk, sk: item.sk });
  await later(minuteMs);
  expect(warnings).toContain('a provider did not answer');
  for (const item of items) await crashStack.table.put(item);
  const timers = await crashStack.table.all('TIMER#');
  expect(timers.filter((timer) => timer.reference === reference).length).toBeGreaterThan(0);
});
