/** Tests payments of parts over HTTP: amounts, parallel payers, the page, cancellation, documents, and earlier versions. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { formOf, goodCard, openPage, submit } from '../../support/pay-page.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  cardBody,
  cardNumbers,
  codesOf,
  newInvoice,
  offlineBody,
  repeatInParallel,
  underKey,
  waitForOutcome,
  waitForResource,
} from './new-payment.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack.close());

const newPartial = (fields: object = {}) => newInvoice(api, { acceptPartial: true, ...fields });
const pay = (id: string, amount?: number, fields: object = {}) =>
  api.post('/api/payments', offlineBody(id, { ...(amount !== undefined && { amount }), ...fields }));
const moneyOf = async (id: string) => {
  const { status, amountPaid, amountDue, amountWrittenOff } = (await api.get(`/api/invoices/${id}`)).json;
  return { status, amountPaid, amountDue, amountWrittenOff };
};
const ofMoney = (status: string, amountPaid: number, amountDue: number, amountWrittenOff = 0) => ({
  status,
  amountPaid,
  amountDue,
  amountWrittenOff,
});

describe('the amount of a payment', () => {
  test('is a part of what is due, and the last part pays the invoice', async () => {
    const invoice = await newPartial();
    expect(invoice).toMatchObject({ acceptPartial: true, ...ofMoney('pending', 0, 2500) });
    expect((await pay(invoice.id, 1000)).json).toMatchObject({ amount: 1000, status: 'completed' });
    expect(await moneyOf(invoice.id)).toEqual(ofMoney('pending', 1000, 1500));
    const tooMuch = await pay(invoice.id, 1501);
    expectError(tooMuch, 400, 'invalid_amount', 'amount');
    expect(tooMuch.json.error.message).toBe(
      'amount must be at most what is due, 1500 ($15.00). Send that amount. Or, if you received more, send acceptOver: true to keep the rest as credit of the customer.',
    );
    expect((await api.post('/api/payments', cardBody(invoice.id, undefined, { amount: 500 }))).status).toBe(
      201,
    );
    expect((await pay(invoice.id)).json.amount).toBe(1000);
    expect(await moneyOf(invoice.id)).toEqual(ofMoney('paid', 2500, 0));
    expectError(await pay(invoice.id), 400, 'invoice_already_paid');
    const { data } = (await api.get(`/api/payments?invoiceId=${invoice.id}`)).json;
    expect(data.map(({ amount }: { amount: number }) => amount)).toEqual([1000, 500, 1000]);
    const events = await waitUntil('all events are in the log', async () => {
      const { json } = await api.get('/api/events?limit=100');
      const about = json.data.filter(({ data }: { data: { id: string } }) => data.id === invoice.id);
      return about.length >= 4 && about;
    });
    expect(events.map(({ type, previous }: { type: string; previous?: object }) => [type, previous])).toEqual(
      [
        ['invoice.paid', undefined],
        ['invoice.updated', { amountPaid: 1000, amountDue: 1500 }],
        ['invoice.updated', { amountPaid: 0, amountDue: 2500 }],
        ['invoice.created', undefined],
      ],
    );
  });

  test('by card has a minimum, and leaves nothing or at least as much', async () => {
    const { id } = await newPartial();
    for (const amount of [99, 2401, 2501]) {
      const response = await api.post('/api/payments', cardBody(id, undefined, { amount }));
      expectError(response, 400, 'invalid_amount', 'amount');
      expect(response.json.error.message).toMatch(/100 \(\$1\.00\)|2500 \(\$25\.00\)/);
    }
    expect(await moneyOf(id)).toEqual(ofMoney('pending', 0, 2500));
    const declined = await api.post('/api/payments', cardBody(id, cardNumbers.declined, { amount: 500 }));
    expect(declined.json).toMatchObject({ status: 'failed', amount: 500 });
    const slow = await api.post('/api/payments', cardBody(id, cardNumbers.slow, { amount: 500 }));
    expect(slow.json.status).toBe('pending');
    expectError(await pay(id, 100), 400, 'payment_in_progress');
    await waitForOutcome(api, 'payments', slow.json.id);
    expect(await moneyOf(id)).toEqual(ofMoney('pending', 500, 2000));
  });

  test('is what is due without acceptPartial, which a change allows and forbids', async () => {
    const { id } = await newInvoice(api);
    expectError(await pay(id, 100), 400, 'invalid_amount', 'amount');
    const changed = await api.patch(`/api/invoices/${id}`, { acceptPartial: true });
    expect(changed.json.acceptPartial).toBe(true);
    expect((await pay(id, 100)).status).toBe(201);
    expect((await api.patch(`/api/invoices/${id}`, { acceptPartial: false })).json.acceptPartial).toBe(false);
    const refused = await pay(id, 100);
    expectError(refused, 400, 'invalid_amount', 'amount');
    expect(refused.json.error.message).toContain('2400 ($24.00)');
    expectError(
      await api.patch(`/api/invoices/${id}`, { acceptPartial: 'yes' }),
      400,
      'invalid_accept_partial',
      'acceptPartial',
    );
    expect((await pay(id)).json.amount).toBe(2400);
  });
});

test('of payers who pay at once, no more than what is due is taken, and each key pays once', async () => {
  const { id } = await newPartial();
  const rests = await repeatInParallel(6, () => pay(id, 1500));
  expect(codesOf(rests)).toEqual([201, ...Array(5).fill('invalid_amount')]);
  const same = await repeatInParallel(4, () => pay(id, 400, {}).then((each) => each));
  expect(codesOf(same)).toEqual([201, 201, 'invalid_amount', 'invalid_amount']);
  expect(await moneyOf(id)).toEqual(ofMoney('pending', 2300, 200));
  const keyed = await repeatInParallel(4, () =>
    api.post('/api/payments', offlineBody(id, { amount: 150 }), underKey(`part-${id}`)),
  );
  expect(codesOf(keyed)).toEqual([201, 201, 201, 201]);
  expect(new Set(keyed.map(({ text }) => text)).size).toBe(1);
  const cards = await repeatInParallel(3, () => api.post('/api/payments', cardBody(id)));
  expect(codesOf(cards).filter((code) => code === 201)).toHaveLength(1);
  expect(await moneyOf(id)).toEqual(ofMoney('paid', 2500, 0));
});

describe('an invoice that has received a part', () => {
  test('does not change to less, and is paid by a change to what it has received', async () => {
    const { id } = await newPartial();
    await pay(id, 1000);
    const less = await api.patch(`/api/invoices/${id}`, { amount: 999 });
    expectError(less, 400, 'invalid_amount', 'amount');
    expect(less.json.error.message).toContain('1000 ($10.00)');
    expect((await api.patch(`/api/invoices/${id}`, { amount: 1000 })).json).toMatchObject(
      ofMoney('paid', 1000, 0),
    );
    expect((await api.get(`/api/invoices?status=paid&limit=1`)).json.data[0].id).toBe(id);
  });

  test('is cancelled only with its refunds, which the worker carries out', async () => {
    const { id } = await newPartial();
    const [first, second] = [(await pay(id, 1000)).json, (await pay(id, 500)).json];
    const byCard = (await api.post('/api/payments', cardBody(id, undefined, { amount: 300 }))).json;
    await api.post('/api/refunds', { paymentId: first.id, amount: 200 });
    await waitForResource(api, `/api/payments/${first.id}`, ({ amountRefunded }) => amountRefunded === 200);
    expect((await moneyOf(id)).amountPaid).toBe(1800);
    const refused = await api.delete(`/api/invoices/${id}`);
    expectError(refused, 400, 'invoice_partly_paid');
    expect(refused.json.error.message).toContain('1800 ($18.00)');
    expectError(await api.post(`/api/invoices/${id}/replace`, {}), 400, 'invoice_partly_paid');
    expectError(await api.delete(`/api/invoices/${id}?payments=keep`), 400, 'invalid_payments', 'payments');
    expect((await api.delete(`/api/invoices/${id}?payments=refund`)).json.status).toBe('cancelled');
    for (const { id: paymentId, amount } of [first, second, byCard])
      await waitForResource(
        api,
        `/api/payments/${paymentId}`,
        ({ amountRefunded }) => amountRefunded === amount,
      );
    expect(await moneyOf(id)).toEqual(ofMoney('cancelled', 1800, 0));
    const { data } = (await api.get(`/api/refunds?invoiceId=${id}`)).json;
    expect(data.map(({ amount }: { amount: number }) => amount).sort()).toEqual([200, 300, 500, 800]);
    expect(data[0].reason).toBe('The invoice was cancelled.');
  });

  test('shows payers what is left', async () => {
    const { id, paymentUrl } = await newPartial();
    await pay(id, 1000);
    const page = await (await fetch(paymentUrl)).text();
    expect(page).toContain('$15.00');
    expect(page).toMatch(/Amount paid<\/dt><dd>\$10\.00/);
    expect(page).toMatch(/name="amount" value="1500"/);
    await pay(id);
    const receipt = await (await fetch(paymentUrl)).text();
    expect(receipt).toContain('$25.00');
    expect(receipt).not.toContain('$15.00');
  });
});

test('payers choose a part on the page, and cannot pay more than what is due', async () => {
  const { id, paymentUrl } = await newPartial();
  const payPart = async (part: string) =>
    submit(paymentUrl, { ...formOf(await openPage(paymentUrl)), ...goodCard, part });
  expect((await payPart('10.00')).status).toBe(303);
  expect(await moneyOf(id)).toEqual(ofMoney('pending', 1000, 1500));
  for (const wrong of ['15.01', '0.99', '14.50', 'all']) {
    const { headers } = await payPart(wrong);
    expect(headers.location).toBe('?part');
  }
  expect((await openPage(paymentUrl, '?part')).text).toContain('This amount cannot be paid.');
  // The page shows what was due before another payment.
  const stale = formOf(await openPage(paymentUrl));
  await pay(id, 500);
  expect((await submit(paymentUrl, { ...stale, ...goodCard, part: '2.00' })).headers.location).toBe(
    '?changed',
  );
  expect(await moneyOf(id)).toEqual(ofMoney('pending', 1500, 1000));
  await payPart('');
  expect(await moneyOf(id)).toEqual(ofMoney('paid', 2500, 0));
});

describe('a voided part', () => {
  const voidPart = (paymentId: string, reason = 'Typed the wrong amount', options = {}) =>
    api.post(`/api/payments/${paymentId}/void`, { reason }, options);
  const bank = { bank: 'Bank of Bhutan', reference: 'FT 77' };

  test('counts no longer for the invoice, its page and its lists, and its bank reference is free again', async () => {
    const { id, paymentUrl } = await newPartial();
    await pay(id, 300);
    const { id: wrong } = (await pay(id, 1000, bank)).json;
    expectError(await pay(id, 1000, bank), 400, 'reference_already_used');
    const voided = await voidPart(wrong);
    expect(voided.json).toMatchObject({
      status: 'completed',
      amountRefunded: 0,
      voidedAt: voided.json.updatedAt,
      voidReason: 'Typed the wrong amount',
    });
    expect(await moneyOf(id)).toEqual(ofMoney('pending', 300, 2200));
    const page = await (await fetch(paymentUrl)).text();
    expect(page).toMatch(/Amount paid<\/dt><dd>\$3\.00/);
    expect(page).toMatch(/name="amount" value="2200"/);
    const { data } = (await api.get(`/api/payments?invoiceId=${id}&status=completed`)).json;
    expect(data.map(({ voidedAt }: { voidedAt: string | null }) => voidedAt === null)).toEqual([false, true]);
    const events = await waitUntil('the events of the void', async () => {
      const { data: all } = (await api.get('/api/events?limit=100')).json;
      const own = all.filter(({ data: about }: { data: { id: string } }) => [id, wrong].includes(about.id));
      return own.some(({ type }: { type: string }) => type === 'payment.voided') && own.slice(0, 2);
    });
    expect(events).toMatchObject([
      { type: 'invoice.updated', previous: { amountPaid: 1300, amountDue: 1200 } },
      { type: 'payment.voided', data: { id: wrong, voidReason: 'Typed the wrong amount' } },
    ]);
    expectError(await voidPart(wrong), 400, 'payment_not_voidable');
    expectError(await api.post('/api/refunds', { paymentId: wrong }), 400, 'payment_not_refundable');
    expect((await pay(id, 900, bank)).status).toBe(201);
    await pay(id);
    expect(await moneyOf(id)).toEqual(ofMoney('paid', 2500, 0));
  });

  test('of an invoice without other payments leaves it as if it had received none', async () => {
    const { id } = await newPartial();
    await voidPart((await pay(id, 100)).json.id);
    expect(await moneyOf(id)).toEqual(ofMoney('pending', 0, 2500));
    expect((await pay(id)).json.amount).toBe(2500);
    expect(await moneyOf(id)).toEqual(ofMoney('paid', 2500, 0));
  });

  test('needs a reason, and money that counts for an open invoice', async () => {
    const { id } = await newPartial();
    const { id: first } = (await pay(id, 100)).json;
    const path = `/api/payments/${first}/void`;
    for (const [body, code] of [
      [{}, 'invalid_reason'],
      [{ reason: '' }, 'invalid_reason'],
      [{ reason: 'x'.repeat(501) }, 'invalid_reason'],
    ] as const)
      expectError(await api.post(path, body), 400, code, 'reason');
    const byCard = (await api.post('/api/payments', cardBody(id, undefined, { amount: 100 }))).json;
    expectError(await voidPart(byCard.id), 400, 'payment_not_voidable');
    const refunded = (await pay(id, 100)).json;
    await api.post('/api/refunds', { paymentId: refunded.id, amount: 1 });
    expectError(await voidPart(refunded.id), 400, 'payment_not_voidable');
    const rest = (await pay(id)).json;
    for (const paid of [first, rest.id]) {
      // Another payment of the invoice has refunds, so no other invoice replaces it.
      const refused = await voidPart(paid);
      expectError(refused, 400, 'payment_not_voidable');
      expect(refused.json.error.message).toContain('Refund this payment');
    }
    expectError(await voidPart(first.replace(/.$/, '_')), 404, 'payment_not_found');
  });

  test('has one effect in races: with itself, a refund of it, and other parts', async () => {
    const { id } = await newPartial();
    const parts = [];
    for (const amount of [100, 200, 300, 400]) parts.push((await pay(id, amount)).json.id as string);
    const [twice = '', refunded = '', ...others] = parts;
    const twiceCodes = codesOf(await repeatInParallel(4, () => voidPart(twice)));
    expect(twiceCodes).toEqual([200, ...Array(3).fill('payment_not_voidable')]);
    const keyed = await repeatInParallel(3, () => voidPart(others[0] ?? '', 'Twice', underKey(`void-${id}`)));
    expect(new Set(keyed.map(({ text }) => text)).size).toBe(1);
    const [refund, void_] = await Promise.all([
      api.post('/api/refunds', { paymentId: refunded }),
      voidPart(refunded),
    ]);
    const isVoided = void_.status === 200;
    expect([refund.status, void_.status]).toEqual(isVoided ? [400, 200] : [201, 400]);
    await Promise.all([voidPart(others[1] ?? ''), pay(id, 50)]);
    expect(await moneyOf(id)).toEqual(ofMoney('pending', isVoided ? 50 : 250, isVoided ? 2450 : 2250));
  });

  test('is fully refunded for clients of the first version, which can void it', async () => {
    const { id } = await newPartial();
    const { id: wrong } = (await pay(id, 1000)).json;
    const voided = await account.test.post(`/api/payments/${wrong}/void`, { reason: 'Wrong' });
    expect(voided.json).toMatchObject({ status: 'completed', amount: 1000, amountRefunded: 1000 });
    expect(voided.json.voidedAt).toBeUndefined();
    expect((await account.test.get(`/api/payments/${wrong}`)).json.amountRefunded).toBe(1000);
    expect((await api.get(`/api/payments/${wrong}`)).json.amountRefunded).toBe(0);
  });
});

describe('a payment with a difference', () => {
  let own: TestAccount;
  let merchant: Api;
  beforeAll(async () => {
    own = await newAccount(stack.baseUrl);
    merchant = inNewestVersion(own.test);
    await changeProfile({ legalName: 'Druk Crafts', address: { country: 'BT' }, writeOffPercent: 10 });
  });
  const changeProfile = async (change: object) => {
    const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(own.accountId, change);
  };
  const settle = (writeOff: number, reason = 'tds') => ({ settle: { writeOff, reason } });
  const payWith = (id: string, fields: object) =>
    merchant.post('/api/payments', offlineBody(id, { ...fields }));
  const dueOf = async (id: string) => {
    const { status, amountPaid, amountDue, amountWrittenOff } = (await merchant.get(`/api/invoices/${id}`))
      .json;
    return { status, amountPaid, amountDue, amountWrittenOff };
  };

  test('pays the invoice, whose rest is written off, also without acceptPartial', async () => {
    const whole = await newInvoice(merchant);
    const paid = await payWith(whole.id, settle(250));
    expect(paid.json).toMatchObject({ amount: 2250, settle: { writeOff: 250, reason: 'tds' } });
    expect(await dueOf(whole.id)).toEqual(ofMoney('paid', 2250, 0, 250));
    expect((await merchant.get(`/api/payments/${paid.json.id}`)).json).toEqual(paid.json);
    expect((await own.test.get(`/api/payments/${paid.json.id}`)).json.settle).toBeUndefined();
    const parts = await newInvoice(merchant, { acceptPartial: true });
    await payWith(parts.id, { amount: 1000 });
    expect((await payWith(parts.id, { amount: 1400, ...settle(100, 'discount') })).status).toBe(201);
    expect(await dueOf(parts.id)).toEqual(ofMoney('paid', 2400, 0, 100));
    const page = await (await fetch(parts.paymentUrl)).text();
    expect(page).toContain('$24.00');
  });

  test('has a limit of the account, and comes to what is due', async () => {
    const { id } = await newInvoice(merchant);
    for (const [fields, code, field, text] of [
      [settle(251), 'invalid_settle', 'settle.writeOff', 'at most 250 ($2.50): 10 percent'],
      [{ amount: 2300, ...settle(100) }, 'invalid_amount', 'amount', '2400 ($24.00)'],
      [settle(0), 'invalid_settle', 'settle.writeOff', '1 to'],
      [settle(1, 'tip'), 'invalid_settle', 'settle.reason', 'tds, bank_charge, discount, other'],
      [{ settle: {} }, 'invalid_settle', 'settle.writeOff', 'settle'],
      [{ settle: 5 }, 'invalid_settle', 'settle', 'writeOff and reason'],
    ] as const) {
      const refused = await payWith(id, fields);
      expectError(refused, 400, code, field);
      expect(refused.json.error.message).toContain(text);
    }
    const byCard = await merchant.post('/api/payments', cardBody(id, undefined, settle(100)));
    expectError(byCard, 400, 'invalid_settle', 'settle');
    const without = await newInvoice(api);
    const refused = await pay(without.id, undefined, settle(1));
    expectError(refused, 400, 'invalid_settle', 'settle.writeOff');
    expect(refused.json.error.message).toContain('seller.writeOffPercent');
    expect(await dueOf(id)).toEqual(ofMoney('pending', 0, 2500));
    const earlier = await own.test.post('/api/payments', offlineBody(id, settle(100)));
    expectError(earlier, 400, 'unknown_parameter', 'settle');
  });

  test('and the default of parts follow the account, also for invoices of the first version', async () => {
    await changeProfile({ acceptPartial: true });
    const { id } = await newInvoice(own.test);
    expect((await merchant.get(`/api/invoices/${id}`)).json.acceptPartial).toBe(true);
    expect((await newInvoice(merchant, { acceptPartial: false })).acceptPartial).toBe(false);
    await changeProfile({ acceptPartial: false, writeOffPercent: 0 });
    expect((await newInvoice(merchant)).acceptPartial).toBe(false);
    expectError(await payWith(id, settle(1)), 400, 'invalid_settle', 'settle.writeOff');
  });
});

test('a payment in another currency than that of its invoice is refused', async () => {
  const { id } = await newPartial();
  for (const body of [offlineBody(id, { currency: 'INR' }), cardBody(id, undefined, { currency: 'BTN' })]) {
    const refused = await api.post('/api/payments', body);
    expectError(refused, 400, 'invalid_currency', 'currency');
    expect(refused.json.error.message).toContain('USD');
  }
  expectError(await pay(id, 100, { currency: 'EUR' }), 400, 'invalid_currency', 'currency');
  expect((await pay(id, 100, { currency: 'USD' })).status).toBe(201);
});

test('clients of the first version see ten fields, and cannot ask for parts', async () => {
  const { id } = await newPartial();
  await pay(id, 1000);
  const shown = (await account.test.get(`/api/invoices/${id}`)).json;
  expect(Object.keys(shown)).toHaveLength(10);
  const refused = await account.test.patch(`/api/invoices/${id}`, { acceptPartial: false });
  expectError(refused, 400, 'unknown_parameter', 'acceptPartial');
});
