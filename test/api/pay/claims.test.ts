/**
 * Tests what a payer claims to have paid by bank transfer: the form of the payment page, what it refuses, what the page and the API show
 * of it, and the decision of the merchant, alone and beside others. Takes 6 seconds.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { claimDay, claimFormOf, claimOnPage } from '../../support/claims.ts';
import { exhaustiveTest } from '../../support/exhaustive-test.ts';
import { expectError } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { openPage } from '../../support/pay-page.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  cardBody,
  cardNumbers,
  codesOf,
  newInvoice,
  offlineBody,
  repeatInParallel,
  timestamp,
  underKey,
  waitForOutcome,
} from '../payments/new-payment.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  const paymentInstructions = 'Bank of Bhutan\nAccount 12345';
  await updateSettings(account.accountId, { displayName: 'Druk Shop', paymentInstructions });
});
afterAll(() => stack.close());

const dayMs = 86_400_000;
const reason = 'No transfer with <b>this</b> number.\nAsk your bank.';

const read = async (id: string) => (await api.get(`/api/invoices/${id}`)).json;
const claimOf = async (id: string) => (await read(id)).claim;
/** Creates an invoice with an open claim. Returns the ids. */
const newClaimed = async (fields: Record<string, unknown> = {}, claimed = {}) => {
  const invoice = await newInvoice(api, fields);
  expect((await claimOnPage(invoice, { reference: invoice.id, ...claimed })).status).toBe(303);
  return { ...invoice, claim: (await claimOf(invoice.id)).id as string };
};
const reject = (id: string, claim: string) =>
  api.post(`/api/invoices/${id}/claim/reject`, { claimId: claim, reason });
const confirm = (id: string, claim: string, fields: Record<string, unknown> = {}, options = {}) =>
  api.post('/api/payments', offlineBody(id, { claim, ...fields }), options);
const isPayment = (id: string, claim: string, paymentId: string) =>
  api.post(`/api/invoices/${id}/claim/confirm`, { claimId: claim, paymentId });
const textOf = ({ text }: HttpResponse) => text.replace(/<head>.*?<\/head>/s, '').replace(/<[^>]*>/g, ' ');
const paymentsOf = async (id: string) => (await api.get(`/api/payments?invoiceId=${id}`)).json.data;

test('a payer claims a transfer, which pays nothing until the merchant confirms it with a payment', async () => {
  const invoice = await newInvoice(api);
  const page = await openPage(invoice.paymentUrl);
  expect(page.text).toContain('<a href="?claim">I have paid by bank transfer</a>');
  const form = await openPage(invoice.paymentUrl, '?claim');
  for (const name of ['bank', 'reference', 'paidOn', 'amount'])
    expect(form.text).toContain(`<label for="${name}">`);
  expect(form.text).toContain('value="25.00"');
  const sent = await claimOnPage(invoice, { reference: '<i>JRN</i> 1' });
  expect([sent.status, sent.headers.location]).toEqual([303, '?']);
  const claim = await claimOf(invoice.id);
  expect(claim).toEqual({
    id: expect.stringMatching(/^clm_[0-9a-z]{26}$/),
    status: 'open',
    amount: 2500,
    paidOn: claimDay(),
    bank: 'Bank of Bhutan',
    reference: '<i>JRN</i> 1',
    reason: null,
    claimedAt: timestamp,
  });
  const waiting = await openPage(invoice.paymentUrl);
  expect(waiting.text).toContain('&lt;i&gt;JRN&lt;/i&gt; 1');
  expect(textOf(waiting)).toContain('Your payment is under review.');
  expect(waiting.text).not.toContain('?claim');
  // The address of the form leads to the page, too.
  expect(textOf(await openPage(invoice.paymentUrl, '?claim'))).toContain('under review');
  expect(await read(invoice.id)).toMatchObject({ status: 'pending', amountPaid: 0, amountDue: 2500 });
  expect(await paymentsOf(invoice.id)).toEqual([]);
  const { json: payment, status } = await confirm(invoice.id, claim.id);
  expect(status).toBe(201);
  expect(payment).toMatchObject({ claim: claim.id, amount: 2500, bank: 'Bank of Bhutan' });
  expect(payment).toMatchObject({ reference: '<i>JRN</i> 1', receivedOn: claimDay(), method: 'offline' });
  expect(await read(invoice.id)).toMatchObject({ status: 'paid', claim: { status: 'confirmed' } });
  const events = await waitUntil('the events of the claim', async () => {
    const { data } = (await api.get('/api/events?limit=100')).json;
    const own = data.filter((event: { data: { id: string } }) => event.data.id === invoice.id);
    return own.length === 3 && own;
  });
  expect(events).toMatchObject([
    { type: 'invoice.paid', data: { claim: { status: 'confirmed' } } },
    { type: 'invoice.claimed', objectVersion: 2, data: { status: 'pending', claim } },
    { type: 'invoice.created', data: { claim: null } },
  ]);
  const earlier = (await account.test.get(`/api/invoices/${invoice.id}`)).json;
  expect(earlier).not.toHaveProperty('claim');
});

test('a rejection tells the payer why, once, and the payer can claim again', async () => {
  const { id, paymentUrl, claim } = await newClaimed();
  const [one, two] = [await reject(id, claim), await reject(id, claim)];
  expect(one.json.claim).toMatchObject({ id: claim, status: 'rejected', reason });
  expectError(two, 400, 'invalid_claim', 'claimId');
  expectError(await confirm(id, claim), 400, 'invalid_claim', 'claim');
  const page = await openPage(paymentUrl);
  expect(page.text).toContain('No transfer with &lt;b&gt;this&lt;/b&gt; number.\nAsk your bank.');
  expect(textOf(page)).toContain('Your payment was not found.');
  expect(page.text).toContain('href="?claim"');
  expect((await claimOnPage({ paymentUrl }, { amount: '24.99' })).status).toBe(303);
  const again = await claimOf(id);
  expect(again).toMatchObject({ status: 'open', amount: 2499, reason: null });
  expect(again.id).not.toBe(claim);
  expect(textOf(await openPage(paymentUrl))).not.toContain('No transfer with');
  // A decision about the former claim never decides about the new one.
  expectError(await reject(id, claim), 400, 'invalid_claim', 'claimId');
  expectError(await confirm(id, claim), 400, 'invalid_claim', 'claim');
  // The invoice takes no parts, so the merchant says with which amount the claim is confirmed.
  expectError(await confirm(id, again.id), 400, 'invalid_amount', 'amount');
  expect((await confirm(id, again.id, { amount: 2500 })).json).toMatchObject({
    amount: 2500,
    claim: again.id,
  });
});

describe('the form refuses', () => {
  const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  test.each([
    ['bank', '', 'the name of your bank'],
    ['bank', 'Bank\u0000of', 'the name of your bank'],
    ['bank', '4242 4242 4242 4242', 'the name of your bank'],
    ['reference', 'a\u202eb', 'the journal number'],
    ['reference', 'x'.repeat(101), 'the journal number'],
    ['paidOn', dayIn(2), 'It must not be in the future'],
    ['paidOn', dayIn(-400), 'more than a year before the invoice.'],
    ['paidOn', '1999-01-01', 'more than a year before the invoice.'],
    ['paidOn', '2026-02-30', 'It must not be in the future'],
    ['amount', '25.01', 'at most $25.00.'],
    ['amount', '0', 'at most $25.00.'],
    ['amount', 'INR 20', 'at most $25.00.'],
    ['amount', '-1', 'at most $25.00.'],
    ['amount', '1.001', 'at most $25.00.'],
  ])('%s %j, and shows what is right again', async (field, value, message) => {
    const invoice = await newInvoice(api);
    const refused = await claimOnPage(invoice, { [field]: value });
    expect(refused.status).toBe(400);
    expect(textOf(refused).replaceAll('\u00a0', ' ')).toContain(message);
    expect(refused.text).toMatch(
      new RegExp(`<input id="${field}"[^>]* value="(25.00)?"[^>]* aria-invalid="true"`),
    );
    const [[name = '', kept]] = Object.entries(claimFormOf()).filter(
      ([each]) => each !== field && each !== 'claim',
    ) as [[string, string]];
    expect(refused.text).toMatch(new RegExp(`<input id="${name}"[^>]* value="${kept}"`));
    expect(await claimOf(invoice.id)).toBeNull();
  });

  test('a second claim while one is open, and a claim on an invoice that is paid or cancelled', async () => {
    const open = await newClaimed();
    const second = await claimOnPage(open, { reference: 'another' });
    expect([second.status, second.headers.location]).toEqual([303, '?']);
    expect(await claimOf(open.id)).toMatchObject({ id: open.claim, reference: open.id });
    const [paid, cancelled] = [await newInvoice(api), await newInvoice(api)];
    await api.post('/api/payments', offlineBody(paid.id));
    await api.delete(`/api/invoices/${cancelled.id}`);
    for (const invoice of [paid, cancelled]) {
      expect((await claimOnPage(invoice)).status).toBe(303);
      expect(await claimOf(invoice.id)).toBeNull();
      expect((await openPage(invoice.paymentUrl, '?claim')).text).not.toContain('name="claim"');
    }
    const { id } = await newInvoice(api);
    await claimOnPage({ paymentUrl: open.paymentUrl.replace(open.id, id) }, { amount: '1' });
    expect(await claimOf(id)).toMatchObject({ amount: 100 });
  });

  test('more than what a part has left due', async () => {
    const invoice = await newInvoice(api, { acceptPartial: true });
    await api.post('/api/payments', offlineBody(invoice.id, { amount: 1000 }));
    expect((await claimOnPage(invoice, { amount: '15.01' })).status).toBe(400);
    expect((await openPage(invoice.paymentUrl, '?claim')).text).toContain('value="15.00"');
    const sent = await claimOnPage(invoice, { amount: '5', reference: invoice.id });
    expect(sent.status).toBe(303);
    const { id } = await claimOf(invoice.id);
    expect((await confirm(invoice.id, id)).json).toMatchObject({ amount: 500, claim: id });
    expect(await read(invoice.id)).toMatchObject({ amountDue: 1000, claim: { status: 'confirmed' } });
  });

  exhaustiveTest('more claims than attempts to pay by card, in an hour', async () => {
    const invoice = await newInvoice(api);
    for (let count = 0; count < 20; count++) {
      expect((await claimOnPage(invoice)).status).toBe(303);
      expect((await reject(invoice.id, (await claimOf(invoice.id)).id)).status).toBe(200);
    }
    expect((await claimOnPage(invoice)).status).toBe(429);
    expect(await claimOf(invoice.id)).toMatchObject({ status: 'rejected' });
  });
});

test.each([
  ['dz', 'བརྟག་དཔྱད་འབད་དོ།'],
  ['hi', 'आपके भुगतान की जाँच हो रही है।'],
])('the form and its outcome are in %s', async (language, text) => {
  const { paymentUrl } = await newInvoice(api);
  const page = await openPage(paymentUrl, `?claim&lang=${language}`);
  expect(page.text).toContain(`<form method="post" action="?lang=${language}"`);
  expect(page.text).not.toMatch(/Your bank|Journal number/);
  const sent = await claimOnPage({ paymentUrl: `${paymentUrl}?lang=${language}` });
  expect(sent.status).toBe(303);
  expect(textOf(await openPage(paymentUrl, sent.headers.location))).toContain(text);
});

test('a claim has the time of an account whose clock is ahead, and so has its day', async () => {
  const ahead = inNewestVersion((await newAccount(stack.baseUrl)).test);
  const to = new Date(Date.now() + 9 * dayMs).toISOString();
  expect((await ahead.post('/api/test/clock', { to })).status).toBe(200);
  await waitUntil('the clock', async () => (await ahead.get('/api/test/clock')).json.status === 'ready');
  const invoice = await newInvoice(ahead);
  expect((await claimOnPage(invoice, { paidOn: to.slice(0, 10) })).status).toBe(303);
  const { claim } = (await ahead.get(`/api/invoices/${invoice.id}`)).json;
  expect(claim.claimedAt > to).toBe(true);
});

test('a claim that is wrong in a request is refused, and changes nothing', async () => {
  const { id, claim } = await newClaimed();
  const other = await newClaimed();
  expectError(await confirm(id, other.claim), 400, 'invalid_claim', 'claim');
  expectError(await confirm(id, ''), 400, 'invalid_claim', 'claim');
  expectError(await confirm(id, claim, { currency: 'INR' }), 400, 'invalid_currency', 'currency');
  expectError(await confirm(id, claim, { amount: 2501 }), 400, 'invalid_amount', 'amount');
  expectError(await api.post('/api/payments', { ...cardBody(id), claim }), 400, 'invalid_claim', 'claim');
  const unexplained = await api.post(`/api/invoices/${id}/claim/reject`, { claimId: claim });
  expectError(unexplained, 400, 'invalid_reason', 'reason');
  expectError(await reject(id, other.claim), 400, 'invalid_claim', 'claimId');
  const earlier = await account.test.post('/api/payments', offlineBody(id, { claim }));
  expectError(earlier, 400, 'unknown_parameter', 'claim');
  // The reference of a transfer pays once, also by a claim.
  const same = await newClaimed({}, { reference: 'JRN 77' });
  expect((await confirm(same.id, same.claim)).status).toBe(201);
  const twice = await newClaimed({}, { reference: 'JRN 77' });
  expectError(await confirm(twice.id, twice.claim), 400, 'reference_already_used');
  expect(await claimOf(twice.id)).toMatchObject({ status: 'open' });
  expect((await confirm(twice.id, twice.claim, { allowDuplicateReference: true })).status).toBe(201);
  expect(await read(id)).toMatchObject({ status: 'pending', claim: { status: 'open' } });
});

describe('a row of a bank statement', () => {
  /** Lets a row pay an invoice with a claim of 1000. */
  const matchRow = async (
    invoiceId: string,
    fields: object,
    target: Record<string, unknown> = { invoiceId },
  ) => {
    const rows = [{ day: claimDay(2), amount: 1000, ...fields }];
    const { json: statement } = await api.post('/api/statements', { bank: invoiceId, currency: 'BTN', rows });
    const path = `/api/statements/${statement.id}/rows`;
    const [{ id }] = (await api.get(path)).json.data;
    const { status, json } = await api.post(`${path}/${id}/match`, target);
    expect([status, json.statementRow]).toEqual([201, id]);
    return json;
  };
  const claimed = () => newClaimed({ currency: 'BTN', acceptPartial: true }, { amount: '10.00' });

  test.each([
    ['day', {}],
    ['journal number', { day: claimDay(15) }],
  ])('with the amount and the %s of a claim confirms it, and the money counts once', async (what, fields) => {
    const { id, claim } = await claimed();
    const reference = what === 'day' ? { reference: `FT ${id}` } : { reference: id };
    expect((await matchRow(id, { ...fields, ...reference })).claim).toBe(claim);
    expect(await read(id)).toMatchObject({ amountPaid: 1000, claim: { status: 'confirmed' } });
    expectError(await confirm(id, claim), 400, 'invalid_claim', 'claim');
    expect(await read(id)).toMatchObject({ amountPaid: 1000 });
  });

  test.each([
    ['amount', { amount: 900 }],
    ['day and number', { day: claimDay(15) }],
  ])('with another %s leaves the claim to people', async (_, fields) => {
    const { id } = await claimed();
    expect((await matchRow(id, fields)).claim).toBeNull();
    expect((await claimOf(id)).status).toBe('open');
  });

  test('that is a payment which people have recorded confirms the claim of its amount', async () => {
    const { id, claim } = await claimed();
    const { json: recorded } = await api.post('/api/payments', offlineBody(id, { amount: 1000 }));
    const { statementRow, ...linked } = await matchRow(id, {}, { paymentId: recorded.id });
    expect(linked).toMatchObject({ id: recorded.id, claim });
    expect(await read(id)).toMatchObject({ amountPaid: 1000, claim: { status: 'confirmed' } });
    // Another amount says nothing about the claim.
    const other = await claimed();
    const { json: less } = await api.post('/api/payments', offlineBody(other.id, { amount: 999 }));
    expect((await matchRow(other.id, {}, { paymentId: less.id })).claim).toBeNull();
    expect((await claimOf(other.id)).status).toBe('open');
  });
});

describe('money that is recorded already', () => {
  const claimed = () => newClaimed({ acceptPartial: true }, { amount: '10.00' });
  const record = async (id: string, fields: Record<string, unknown>) =>
    (await api.post('/api/payments', offlineBody(id, fields))).json.id as string;

  test.each([
    ['amount', () => ({ amount: 1000 })],
    ['journal number', (id: string) => ({ amount: 990, reference: id.toUpperCase() })],
  ])(
    'of the same %s is counted again only if the merchant says that it is other money',
    async (_, fieldsOf) => {
      const { id, claim } = await claimed();
      const paymentId = await record(id, fieldsOf(id));
      const refused = await confirm(id, claim);
      expectError(refused, 400, 'reference_already_used');
      expect(refused.json.error.message).toContain(paymentId);
      expect(await read(id)).toMatchObject({ claim: { status: 'open' } });
      expect(await paymentsOf(id)).toHaveLength(1);
      expect((await confirm(id, claim, { allowDuplicateReference: true })).status).toBe(201);
      expect(await paymentsOf(id)).toHaveLength(2);
    },
  );

  test('is named before its amount is judged, although it leaves less due than the claim', async () => {
    const { id, claim } = await claimed();
    const paymentId = await record(id, { amount: 1000 });
    await record(id, { amount: 501 });
    const refused = await confirm(id, claim);
    expectError(refused, 400, 'reference_already_used');
    expect(refused.json.error.message).toContain(paymentId);
    const allowed = await confirm(id, claim, { allowDuplicateReference: true });
    expectError(allowed, 400, 'invalid_amount', 'amount');
  });

  test.each([
    ['amount', {}, 400],
    ['amount, with its journal number', { reference: 'JRN 55' }, 200],
  ])('of another %s closes the claim only with the number', async (_, fields, status) => {
    const { id, claim } = await newClaimed({ acceptPartial: true }, { amount: '10.00', reference: 'jrn55' });
    const paymentId = await record(id, { amount: 100, ...fields });
    const answer = await isPayment(id, claim, paymentId);
    if (status === 400) expectError(answer, 400, 'invalid_payment', 'paymentId');
    const isConfirmed = answer.status === 200;
    expect([answer.status, (await claimOf(id)).status]).toEqual([status, isConfirmed ? 'confirmed' : 'open']);
    expect((await paymentsOf(id))[0].claim).toBe(isConfirmed ? claim : null);
  });

  test('closes the claim without new money, if the merchant says which payment it is', async () => {
    const { id, claim, paymentUrl } = await claimed();
    const paymentId = await record(id, { amount: 1000 });
    const other = await claimed();
    const wrong = await isPayment(other.id, other.claim, paymentId);
    expectError(wrong, 400, 'invalid_payment', 'paymentId');
    const path = `/api/invoices/${id}/claim`;
    const unnamed = await api.post(`${path}/confirm`, { claimId: claim });
    expectError(unnamed, 400, 'invalid_payment', 'paymentId');
    const both = await api.post(`${path}/reject`, { claimId: claim, paymentId, reason });
    expectError(both, 400, 'unknown_parameter', 'paymentId');
    const { status, json } = await isPayment(id, claim, paymentId);
    expect(status).toBe(200);
    expect(json).toMatchObject({ amountPaid: 1000, claim: { status: 'confirmed', reason: null } });
    expect(await paymentsOf(id)).toMatchObject([{ id: paymentId, claim, amount: 1000 }]);
    expectError(await isPayment(id, claim, paymentId), 400, 'invalid_claim', 'claimId');
    const page = textOf(await openPage(paymentUrl));
    expect(page).not.toContain('Your payment was not found.');
    expect(page).not.toContain('under review');
    // The payment of a claim is not that of the next one, so each month of equal parts is confirmed without a question.
    expect((await claimOnPage({ paymentUrl }, { amount: '10', reference: `next ${id}` })).status).toBe(303);
    const { id: next } = await claimOf(id);
    expectError(await isPayment(id, next, paymentId), 400, 'invalid_payment', 'paymentId');
    expect((await confirm(id, next)).status).toBe(201);
    expect(await read(id)).toMatchObject({ amountPaid: 2000, claim: { status: 'confirmed' } });
  });

  test('and a confirmation at once: the money counts once', async () => {
    const { id, claim } = await claimed();
    const answers = await Promise.all([
      confirm(id, claim),
      api.post('/api/payments', offlineBody(id, { amount: 1000 })),
      api.post('/api/payments', offlineBody(id, { amount: 500 })),
    ]);
    const { amountPaid } = await read(id);
    const confirmed = answers[0].status === 201;
    expect(answers.slice(1).map(({ status }) => status)).toEqual([201, 201]);
    expect(amountPaid).toBe(confirmed ? 2500 : 1500);
    if (!confirmed) expectError(answers[0], 400, 'reference_already_used');
  });
});

describe('at once', () => {
  test('of confirmations and rejections, one decides, and a key decides once', async () => {
    const { id, claim } = await newClaimed({ acceptPartial: true });
    const answers = await repeatInParallel(6, (index) =>
      index % 2 === 0 ? confirm(id, claim, { amount: 500, reference: `${index}` }) : reject(id, claim),
    );
    const decided = answers.filter(({ status }) => status < 300);
    expect(decided).toHaveLength(1);
    expect(codesOf(answers).slice(1)).toEqual(Array(5).fill('invalid_claim'));
    const isConfirmed = decided[0]?.status === 201;
    expect(await claimOf(id)).toMatchObject({ status: isConfirmed ? 'confirmed' : 'rejected' });
    expect(await paymentsOf(id)).toHaveLength(isConfirmed ? 1 : 0);
    const keyed = await newClaimed({ acceptPartial: true });
    const same = await repeatInParallel(4, () => confirm(keyed.id, keyed.claim, {}, underKey(keyed.claim)));
    expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await paymentsOf(keyed.id)).toHaveLength(1);
  });

  test('of two claims, one is stored', async () => {
    const invoice = await newInvoice(api);
    const sent = await repeatInParallel(4, (index) => claimOnPage(invoice, { reference: `JRN ${index}` }));
    expect(sent.map(({ status }) => status)).toEqual(Array(4).fill(303));
    const { claim, updatedAt } = await read(invoice.id);
    expect([claim.status, claim.claimedAt]).toEqual(['open', updatedAt]);
  });

  test('a claim and a card: the card pays, and the claim is closed or was never open', async () => {
    const invoice = await newInvoice(api);
    const [paid, claimed] = await Promise.all([
      api.post('/api/payments', cardBody(invoice.id)),
      claimOnPage(invoice),
    ]);
    expect([paid.status, claimed.status]).toEqual([201, 303]);
    const { status, claim, amountPaid } = await read(invoice.id);
    expect([status, amountPaid, claim?.status ?? 'closed']).toEqual(['paid', 2500, 'closed']);
    // While a card payment is in progress, nobody can confirm. Then nothing is left to confirm.
    const { id, claim: open, paymentUrl } = await newClaimed();
    const { json: payment } = await api.post('/api/payments', cardBody(id, cardNumbers.slow));
    expectError(await confirm(id, open), 400, 'payment_in_progress');
    expect((await waitForOutcome(api, 'payments', payment.id)).status).toBe('completed');
    expect(await claimOf(id)).toMatchObject({ id: open, status: 'closed' });
    for (const late of [await confirm(id, open), await reject(id, open)]) expect(late.status).toBe(400);
    expect(await paymentsOf(id)).toHaveLength(1);
    expect(textOf(await openPage(paymentUrl))).not.toContain('under review');
  });
});
