/** Tests payments on the page of a provider, from the pay button to the refund, against a double of Stripe. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { listenToRequestLog } from '../support/api.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  payButtonOf,
  pressPay,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import {
  type DynamodbAttempt,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../support/intercept-calls.ts';
import { openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const workers: Readonly<Record<string, string>> = {
  checkout: triggers.settleCheckout.handler,
  refund: triggers.processRefund.handler,
};
let stack: Stack;
let table: TestTable;
let clock: TestClock;
let checkouts: CheckoutDouble;
let double: ProviderDouble;
let merchant: Merchant;
let invoice: { id: string; paymentUrl: string };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  checkouts = await startCheckoutDouble(stack);
  ({ double } = checkouts);
});
beforeEach(async () => {
  clock = stopClock();
  merchant = await checkouts.newMerchant();
  invoice = await merchant.newInvoice();
});
afterEach(() => {
  double.faults.clear();
  double.notifications.sendTo('live', undefined);
  double.pendingRefunds = false;
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const statusOf = async (id = invoice.id) => (await merchant.api.get(`/api/invoices/${id}`)).json.status;
const paymentsOf = async (id = invoice.id) =>
  (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data;
const checkoutsOf = async (id = invoice.id): Promise<TestItem[]> =>
  (await table.all('co_')).filter(({ invoiceId }) => invoiceId === id);
/** The worker adds the payment to the list after it has settled the invoice. */
const paid = (id = invoice.id) =>
  waitUntil(
    'the invoice is paid, and its payment is listed',
    async () => (await statusOf(id)) === 'paid' && (await paymentsOf(id)).length > 0,
  );
const notify = () => double.notifications.sendTo('live', checkouts.notificationUrl(merchant));
/**
 * Advances the clock, and delivers the messages of all due timers. A queue would deliver a message with a delay in real
 * time, whatever the clock of the test says.
 */
const later = async (ms: number) => {
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  clock.advance(ms);
  const due = (await table.all('TIMER#')).filter((timer) => timer.due <= clock.now());
  for (const { kind, due: at, reference, minute } of due) {
    const worker = workers[kind];
    if (worker) await invokeWorker(reference, worker, toQueueEvent({ kind, due: at, reference, minute }));
  }
};
const endedAs = (status: string, id = invoice.id) =>
  waitUntil(`the checkout is ${status}`, async () => {
    const all = await checkoutsOf(id);
    return all.length > 0 && all.every((checkout) => checkout.status === status);
  });

describe('a payer', () => {
  test('who comes back sees that the payment is confirmed, on a page that refreshes itself', async () => {
    await stack.queues.pause();
    const [reference, checkout] = [await payAtDouble(double, invoice.paymentUrl), (await checkoutsOf())[0]];
    const back = await openPage(invoice.paymentUrl, `?checkout=${checkout?.pk}`);
    expect(back.text).toContain('We are confirming your payment');
    expect(back.headers.refresh).toBe(`2; url=?checkout=${checkout?.pk}&seen=1`);
    expect(reference).toBe(checkout?.reference);
    stack.queues.resume();
    await paid();
    const receipt = await openPage(invoice.paymentUrl, `?checkout=${checkout?.pk}&seen=1`);
    expect(receipt.text).toContain('This page is your receipt');
    expect(receipt.headers.refresh).toBeUndefined();
  });

  test('who chose a language returns to the page in it', async () => {
    const button = payButtonOf(await openPage(invoice.paymentUrl, '?lang=hi'));
    await pressPay(`${invoice.paymentUrl}?lang=hi`, button);
    const [checkout] = await checkoutsOf();
    expect(checkout?.returnUrl).toBe(`${invoice.paymentUrl}?checkout=${checkout?.pk}&lang=hi`);
  });

  test('who gives up sees the button again, and the same page of the provider in every tab', async () => {
    const first = await beginPaying(invoice.paymentUrl);
    const [checkout] = await checkoutsOf();
    const back = await openPage(invoice.paymentUrl, `?checkout=${checkout?.pk}&cancelled`);
    expect(back.text).toContain('This invoice is not paid yet.');
    const [second, third] = await Promise.all([
      pressPay(invoice.paymentUrl, payButtonOf(back)),
      beginPaying(invoice.paymentUrl),
    ]);
    expect([second.headers.location, third.headers.location]).toEqual([
      first.headers.location,
      first.headers.location,
    ]);
    expect(await checkoutsOf()).toHaveLength(1);
  });

  test('who presses the button in many tabs at once gets one page of the provider', async () => {
    const fields = payButtonOf(await openPage(invoice.paymentUrl));
    const answers = await Promise.all(Array.from({ length: 6 }, () => pressPay(invoice.paymentUrl, fields)));
    expect(new Set(answers.map(referenceIn)).size).toBe(1);
    const opened = await checkoutsOf();
    expect(opened).toHaveLength(1);
    // So the provider has one page, too.
    const begins = double.requests.filter(({ body }) => body.includes(invoice.id));
    expect(begins.length).toBeGreaterThan(0);
    expect(new Set(begins.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([opened[0]?.pk]),
    );
  });

  test('the number of a payment is of an owner alone, also if a whole invoice named it', async () => {
    const { allocateSequenceNumber } = await import('../../shared/store/sequence-numbers.ts');
    const named = { ...merchant.owner, claim: { status: 'open' } };
    expect((await allocateSequenceNumber(named, 'payment')).owner).toEqual(merchant.owner);
  });

  test('who comes back after an hour gets a new page of the provider', async () => {
    const first = referenceIn(await beginPaying(invoice.paymentUrl));
    clock.advance(61 * minuteMs);
    const second = referenceIn(await beginPaying(invoice.paymentUrl));
    expect(second).not.toBe(first);
    expect((await checkoutsOf()).map(({ status }) => status).toSorted()).toEqual(['expired', 'open']);
    double.act(second, 'pay');
    await later(minuteMs);
    await paid();
  });

  test('who opened the page before the invoice changed pays nothing', async () => {
    const fields = payButtonOf(await openPage(invoice.paymentUrl));
    await merchant.api.patch(`/api/invoices/${invoice.id}`, { amount: 2600 });
    const answer = await pressPay(invoice.paymentUrl, fields);
    expect(answer.headers.location).toBe('?changed');
    expect((await openPage(invoice.paymentUrl, '?changed')).text).toContain('The invoice has changed');
    expect(await checkoutsOf()).toEqual([]);
  });

  test('whose bank decides later waits, and a refusal makes a failed payment', async () => {
    notify();
    const reference = referenceIn(await beginPaying(invoice.paymentUrl));
    double.act(reference, 'later');
    await waitUntil('the page says that the bank decides', async () =>
      (await openPage(invoice.paymentUrl)).text.includes('Your bank is processing the payment'),
    );
    // The worker adds the payment to the list after it has changed the invoice.
    await waitUntil('the payment is listed', async () => (await paymentsOf()).length > 0);
    expect(await paymentsOf()).toMatchObject([{ status: 'pending', method: 'provider' }]);
    const refused = await merchant.api.delete(`/api/invoices/${invoice.id}`);
    expect(refused.json.error.code).toBe('payment_in_progress');
    double.settle(reference, 'failed');
    await waitUntil('the payment has failed', async () => (await paymentsOf())[0]?.status === 'failed');
    expect(await paymentsOf()).toEqual([expect.objectContaining({ status: 'failed', method: 'provider' })]);
    expect(await statusOf()).toBe('pending');
    await payAtDouble(double, invoice.paymentUrl);
    await paid();
  });

  test('of an invoice in a currency that the provider does not take learns how else to pay', async () => {
    const other = await merchant.newInvoice({ currency: 'BTN' });
    expect((await openPage(other.paymentUrl)).text).toContain(
      'Online payment not available for this invoice',
    );
  });

  test('cannot use a form with another account or provider', async () => {
    const fields = payButtonOf(await openPage(invoice.paymentUrl));
    const stranger = await checkouts.newMerchant();
    const forged = await pressPay(invoice.paymentUrl, { ...fields, account: stranger.owner.account });
    expect(forged.status).toBe(403);
    expect((await pressPay(invoice.paymentUrl, { ...fields, provider: 'razorpay' })).headers.location).toBe(
      '?',
    );
    expect(await checkoutsOf()).toEqual([]);
  });
});

describe('a merchant', () => {
  const changes: Record<string, () => Promise<{ status: number; json: { error?: { code: string } } }>> = {
    'cancels the invoice': () => merchant.api.delete(`/api/invoices/${invoice.id}`),
    'updates the invoice': () => merchant.api.patch(`/api/invoices/${invoice.id}`, { amount: 2600 }),
    'records an offline payment': () =>
      merchant.api.post('/api/payments', { invoiceId: invoice.id, method: 'offline' }),
  };

  test.each(Object.keys(changes))('%s while a checkout is open: it is voided first', async (change) => {
    const reference = referenceIn(await beginPaying(invoice.paymentUrl));
    const answer = await changes[change]?.();
    expect(answer?.json.error).toBeUndefined();
    expect(double.act(reference, 'pay')).toBe(false);
    expect((await checkoutsOf()).map(({ status, description }) => [status, description])).toEqual([
      ['voided', ''],
    ]);
  });

  test.each(Object.keys(changes))('%s after the payer has paid: the payment wins', async (change) => {
    await payAtDouble(double, invoice.paymentUrl);
    const answer = await changes[change]?.();
    expect(answer?.json.error?.code).toBe('invoice_already_paid');
    expect(await statusOf()).toBe('paid');
    expect(await paymentsOf()).toHaveLength(1);
  });

  test.each(Object.keys(changes))(
    '%s while the provider does not answer: nothing changes',
    async (change) => {
      await beginPaying(invoice.paymentUrl);
      double.faults.inject({ fault: { kind: 'answer', status: 500 }, times: 100 });
      expect((await changes[change]?.())?.json.error?.code).toBe('payment_in_progress');
      double.faults.clear();
      expect((await changes[change]?.())?.json.error).toBeUndefined();
    },
  );

  test('sends a change twice under one key while a checkout is open, and gets one answer', async () => {
    await beginPaying(invoice.paymentUrl);
    const options = { headers: { 'Idempotency-Key': 'cancel-1' } };
    const path = `/api/invoices/${invoice.id}`;
    const answers = await Promise.all([
      merchant.api.delete(path, options),
      merchant.api.delete(path, options),
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  test('needs no void for a request that is invalid or changes nothing', async () => {
    const reference = referenceIn(await beginPaying(invoice.paymentUrl));
    const path = `/api/invoices/${invoice.id}`;
    expect((await merchant.api.patch(path, { amount: 2500 })).status).toBe(200);
    const wrong = { invoiceId: invoice.id, method: 'offline', amount: 1 };
    expect((await merchant.api.post('/api/payments', wrong)).json.error.code).toBe('invalid_amount');
    expect((await checkoutsOf()).map(({ status }) => status)).toEqual(['open']);
    expect(double.act(reference, 'pay')).toBe(true);
  });
});

describe('without any notification', () => {
  test('the worker settles a payment by itself', async () => {
    await payAtDouble(double, invoice.paymentUrl);
    await later(minuteMs);
    await paid();
  });

  test('the worker ends a checkout that nobody pays, and the invoice is free', async () => {
    await beginPaying(invoice.paymentUrl);
    for (let step = 0; step < 14; step++) await later(5 * minuteMs);
    await endedAs('expired');
    expect((await table.get(tableKeys.record(invoice.id)))?.openCheckout).toBeUndefined();
    expect(await paymentsOf()).toEqual([]);
    const [checkout] = await checkoutsOf();
    await waitUntil('no timer is left', async () => {
      // A sweep leaves a copy of a timer that its worker completes at the same time.
      await later(5 * minuteMs);
      return (await table.timersOf(checkout?.pk)).length === 0;
    });
  });
});

describe('a notification', () => {
  const send = async (options = {}, url = checkouts.notificationUrl(merchant)) => {
    const last = double.notifications.all.at(-1);
    if (!last) throw new Error('The double has no notification.');
    return double.notifications.send(url, last, options);
  };

  test('that is forged or old is refused, as is one for an account without the provider', async () => {
    await payAtDouble(double, invoice.paymentUrl);
    expect(await send({ secrets: ['whsec_forged'] })).toBe(400);
    expect(await send({ at: clock.now() - 10 * minuteMs })).toBe(400);
    expect(await send({ at: clock.now() + 10 * minuteMs })).toBe(400);
    const other = (await checkouts.newMerchant()).owner.account;
    expect(await send({}, `${stack.baseUrl}/notifications/stripe/${other}`)).toBe(200);
    expect(await send({}, `${stack.baseUrl}/notifications/stripe/acct_0000000000000000`)).toBe(400);
    expect(await send({}, `${stack.baseUrl}/notifications/unknown/${merchant.owner.account}`)).toBe(400);
    expect(await statusOf()).toBe('pending');
    expect([await send(), await send(), await send()]).toEqual([200, 200, 200]);
    await paid();
    expect(await paymentsOf()).toHaveLength(1);
  });

  test('reaches live mode if test mode has the same secret', async () => {
    const { saveConnection } = await import('../../shared/domain/payments/connections/change-connection.ts');
    const { notificationSecrets } = double.credentials.live;
    const credentials = { ...double.credentials.test, notificationSecrets };
    const connection = { currencies: ['USD'] as const, accountName: 'Druk Timber', credentials };
    await saveConnection({ ...merchant.owner, mode: 'test' }, 'stripe', () => connection, undefined);
    await payAtDouble(double, invoice.paymentUrl);
    expect(await send()).toBe(200);
    await paid();
  });

  test('that an ended checkout is paid is followed until the provider answers', async () => {
    await stack.queues.pause();
    await payAtDouble(double, invoice.paymentUrl);
    const [checkout] = await checkoutsOf();
    const { openCheckout: _, ...free } = (await table.get(tableKeys.record(invoice.id))) ?? {};
    await table.put({ ...checkout, status: 'expired' } as TestItem);
    await table.put(free as TestItem);
    double.faults.inject({ fault: { kind: 'answer', status: 500 }, times: 100 });
    expect(await send()).toBe(200);
    stack.queues.resume();
    await waitUntil('the worker will ask again', async () =>
      (await table.all('TIMER#')).some(
        ({ reference, due }) => reference === checkout?.pk && due > clock.now(),
      ),
    );
    double.faults.clear();
    await later(60 * minuteMs);
    await paid();
  });

  test('about a dispute shows it on the payment, and blocks refunds until it is closed', async () => {
    notify();
    await payAtDouble(double, invoice.paymentUrl);
    await paid();
    const [{ id, reference }] = await paymentsOf();
    const dispute = double.openDispute(reference);
    const shown = async () => (await merchant.api.get(`/api/payments/${id}`)).json.dispute;
    await waitUntil('the dispute is shown', shown);
    expect(await shown()).toMatchObject({ status: 'open', amount: 2500 });
    expect((await openPage(invoice.paymentUrl)).text).toContain('The bank has not decided yet about $25.00.');
    const refused = await merchant.api.post('/api/refunds', { paymentId: id });
    expect(refused.json.error).toMatchObject({ code: 'payment_not_refundable' });
    double.closeDispute(dispute, 'won');
    await waitUntil('the dispute is won', async () => (await shown()).status === 'won');
    expect((await merchant.api.post('/api/refunds', { paymentId: id })).status).toBe(201);
    const announced = async () => {
      const { json } = await merchant.api.get('/api/events?type=payment.disputed');
      return json.data.map(({ data }: { data: { dispute: { status: string } } }) => data.dispute.status);
    };
    await waitUntil('both events are stored', async () => (await announced()).length === 2);
    expect(await announced()).toEqual(['won', 'open']);
  });
});

describe('a provider', () => {
  test('that is down costs nothing: the page says so, and the next click works', async () => {
    const remove = double.faults.inject({ fault: { kind: 'answer', status: 503 }, times: 100 });
    const answer = await beginPaying(invoice.paymentUrl);
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('Online payment is not available at the moment');
    expect(answer.headers['retry-after']).toBe('60');
    remove();
    await payAtDouble(double, invoice.paymentUrl);
    expect(await checkoutsOf()).toHaveLength(1);
    await later(minuteMs);
    await paid();
  });

  test('that answers is not blamed for a failure of the table', async () => {
    const reference = await payAtDouble(double, invoice.paymentUrl);
    const [checkout] = await checkoutsOf();
    const isTimer = ({ operation, body }: DynamodbAttempt) =>
      operation === 'PutItem' && body.includes('TIMER#') && body.includes(checkout?.pk);
    const fault = injectFault(isTimer, respondWithError('AccessDeniedException'));
    const { remove } = interceptCalls(fault);
    const answer = await beginPaying(invoice.paymentUrl);
    remove();
    expect([fault.left(), answer.status]).toEqual([0, 500]);
    expect(answer.text).not.toContain('Online payment is not available at the moment');
    expect((await beginPaying(invoice.paymentUrl)).headers.location).toBe(`?checkout=${checkout?.pk}`);
    expect(double.act(reference, 'pay')).toBe(false);
    await paid();
  });

  test('whose answers are lost has one checkout and one payment', async () => {
    double.faults.inject({ fault: { kind: 'lose', when: 'after' }, times: 4 });
    await beginPaying(invoice.paymentUrl);
    double.faults.clear();
    await payAtDouble(double, invoice.paymentUrl);
    double.faults.inject({ fault: { kind: 'lose', when: 'after' }, times: 2 });
    for (let step = 0; step < 3; step++) await later(2 * minuteMs);
    await paid();
    expect(double.books().filter(({ key }) => key?.startsWith('co_')).length).toBeGreaterThan(0);
    expect(await paymentsOf()).toHaveLength(1);
  });

  test('that refuses the checkout frees the invoice, and the page says how else to pay', async () => {
    double.behavior.maxAmountMinor = 2_000;
    const answer = await beginPaying(invoice.paymentUrl);
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('does not accept this payment'),
    ]);
    expect((await checkoutsOf()).map(({ status }) => status)).toEqual(['voided']);
    const itemOf = async () => table.get(tableKeys.record(invoice.id));
    expect((await itemOf())?.checkoutRefusal).toMatchObject({ provider: 'stripe', reason: 'amount' });
    double.behavior.maxAmountMinor = undefined;
    referenceIn(await beginPaying(invoice.paymentUrl));
    expect((await itemOf())?.checkoutRefusal).toBeUndefined();
    expect((await merchant.api.delete(`/api/invoices/${invoice.id}`)).status).toBe(200);
  });

  test.each([
    ['below', { amount: 49 }],
    ['above', { amount: 100_000_000 }],
  ])('with published limits %s the amount shows no button', async (_, fields) => {
    const { id, paymentUrl } = await merchant.newInvoice(fields);
    const page = await openPage(paymentUrl);
    expect(page.text).toContain('does not accept this payment');
    expect(page.text).not.toContain('name="provider"');
    // The worker asks about the checkouts of other tests meanwhile.
    expect(double.requests.filter(({ body }) => body.includes(id))).toEqual([]);
  });

  test('that reports another amount pays nothing until the merchant accepts it', async () => {
    await payAtDouble(double, invoice.paymentUrl);
    const [checkout] = await checkoutsOf();
    await table.put({ ...checkout, amount: 2600, version: 9 } as TestItem);
    const item = await table.get(tableKeys.record(invoice.id));
    await table.put({ ...item, amount: 2600, version: 9 } as TestItem);
    await later(minuteMs);
    await waitUntil('the payment waits', async () => (await paymentsOf())[0]?.status === 'pending');
    expect(await statusOf()).toBe('pending');
    const cancelled = await merchant.api.delete(`/api/invoices/${invoice.id}`);
    expect(cancelled.json.error.code).toBe('payment_in_progress');
    const [{ id }] = await paymentsOf();
    expect((await merchant.api.post(`/api/payments/${id}/resolve`, { action: 'accept' })).status).toBe(200);
    await paid();
  });

  test('that reports another currency pays nothing, and blocks changes until it is clear', async () => {
    await payAtDouble(double, invoice.paymentUrl);
    const [checkout] = await checkoutsOf();
    await table.put({ ...checkout, currency: 'INR', version: 9 } as TestItem);
    await later(minuteMs);
    await waitUntil('the checkout is marked', async () => (await checkoutsOf())[0]?.hasMismatch);
    expect([await statusOf(), await paymentsOf()]).toEqual(['pending', []]);
    const cancelled = await merchant.api.delete(`/api/invoices/${invoice.id}`);
    expect(cancelled.json.error.code).toBe('payment_in_progress');
    const marked = (await checkoutsOf())[0];
    await table.put({ ...marked, currency: 'USD' } as TestItem);
    for (let step = 0; step < 4; step++) await later(2 * minuteMs);
    await paid();
  });

  test('whose refund is pending for days is asked until it has an outcome', async () => {
    await payAtDouble(double, invoice.paymentUrl);
    await later(minuteMs);
    await paid();
    const [{ id, reference }] = await paymentsOf();
    double.pendingRefunds = true;
    const { json: refund } = await merchant.api.post('/api/refunds', { paymentId: id, amount: 500 });
    const booked = () => double.books().find((each) => each.reference === reference)?.refunds ?? [];
    await waitUntil('the provider has the refund', () => booked().length === 1);
    for (let step = 0; step < 3; step++) await later(24 * 60 * minuteMs);
    expect((await merchant.api.get(`/api/refunds/${refund.id}`)).json.status).toBe('pending');
    expect(booked()).toHaveLength(1);
    double.settleRefund(booked()[0]?.reference ?? '', 'succeeded');
    await later(24 * 60 * minuteMs);
    await waitUntil('the refund is processed', async () => {
      const { json } = await merchant.api.get(`/api/refunds/${refund.id}`);
      return json.status === 'processed';
    });
    expect(booked()).toHaveLength(1);
  });
});

test('money that arrives although the invoice is cancelled is refunded by itself', async () => {
  await payAtDouble(double, invoice.paymentUrl);
  const item = await table.get(tableKeys.record(invoice.id));
  await table.put({ ...item, status: 'cancelled', version: item?.version + 1, objectVersion: 2 });
  await later(minuteMs);
  await waitUntil('the money is returned', async () => (await paymentsOf())[0]?.amountRefunded === 2500);
  const [{ reference }] = await paymentsOf();
  const booked = double.books().filter((each) => each.reference === reference);
  expect(booked.flatMap(({ refunds }) => refunds.map(({ amountMinor }) => amountMinor))).toEqual([2500]);
  expect((await openPage(invoice.paymentUrl)).text).toContain('The payment of $25.00 was refunded in full.');
});

test('money that was returned at the provider before the worker asked is no payment', async () => {
  await stack.queues.pause();
  await payAtDouble(double, invoice.paymentUrl);
  const [checkout] = await checkoutsOf();
  const booked = double.books().find(({ key }) => key === checkout?.pk);
  const refunded = await fetch(`${double.url}/v1/refunds`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${double.credentials.live.apiKey}` },
    body: new URLSearchParams({ payment_intent: booked?.reference ?? '' }),
  });
  expect(refunded.status).toBe(200);
  stack.queues.resume();
  await later(minuteMs);
  await endedAs('expired');
  expect([await statusOf(), await paymentsOf()]).toEqual(['pending', []]);
});

test('an open checkout of a cancelled invoice is voided', async () => {
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  const item = await table.get(tableKeys.record(invoice.id));
  await table.put({ ...item, status: 'cancelled', version: item?.version + 1, objectVersion: 2 });
  await later(minuteMs);
  await endedAs('voided');
  expect(double.act(reference, 'pay')).toBe(false);
});

test('an erasure reaches an open checkout, which can still be paid', async () => {
  const { eraseCustomer, newPseudonym } = await import('../../shared/operations/erasure/erase-customer.ts');
  const { customerId } = (await merchant.api.get(`/api/invoices/${invoice.id}`)).json;
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  await eraseCustomer(merchant.owner, customerId, {
    pseudonym: newPseudonym(),
    dryRun: false,
    wait: async () => {},
    onProgress: () => {},
  });
  const [erased] = await checkoutsOf();
  expect(erased).toMatchObject({ status: 'open', description: '[erased]' });
  expect(JSON.stringify(erased)).not.toContain(customerId);
  double.act(reference, 'pay');
  await later(minuteMs);
  await paid();
});

test('test mode with a connected sandbox shows the pay button in place of the test cards', async () => {
  const sandbox = await checkouts.newMerchant('test');
  const { paymentUrl, id } = await sandbox.newInvoice();
  const page = await openPage(paymentUrl);
  expect(page.text).not.toContain('name="number"');
  await payAtDouble(double, paymentUrl);
  await later(minuteMs);
  await waitUntil(
    'it is paid',
    async () => (await sandbox.api.get(`/api/invoices/${id}`)).json.status === 'paid',
  );
});

test('the pay button makes at most 3 calls to DynamoDB in sequence and one to the provider', async () => {
  const log = await listenToRequestLog();
  // The first click loads the secrets.
  await beginPaying((await merchant.newInvoice()).paymentUrl);
  const fields = payButtonOf(await openPage(invoice.paymentUrl));
  const answer = await pressPay(invoice.paymentUrl, fields);
  const reference = referenceIn(answer);
  // The worker may ask about checkouts of other tests at the same time.
  const own = double.requests.filter(
    ({ body, path }) => body.includes(invoice.id) || path.includes(reference),
  );
  expect(own).toHaveLength(1);
  const line = await waitUntil('the line', () =>
    log.lines.find(({ requestId }) => requestId === answer.headers['x-request-id']),
  );
  expect(line.dynamodbCallsInSequence).toBeLessThanOrEqual(3);
});
