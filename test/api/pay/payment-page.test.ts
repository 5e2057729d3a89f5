/** The payment page over plain HTTP: its states, its form, and what it refuses. How it looks is a browser's test. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { setClock } from '../../../shared/time.ts';
import {
  type Api,
  invoiceBody,
  listenToRequestLog,
  newAccount,
  type TestAccount,
} from '../../support/api.ts';
import { freshAddress, type HttpResponse, request } from '../../support/http.ts';
import { attemptOf } from '../../support/pay.ts';
import { formOf, goodCard, openPage, pay, submit } from '../../support/pay-page.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
afterAll(() => stack.close());

interface Invoice {
  readonly id: string;
  readonly paymentUrl: string;
}

const fresh = () => newAccount(stack.baseUrl);
const invoiceOf = async (api: Api, fields = {}): Promise<Invoice> =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;
const paymentsOf = async (api: Api, { id }: Invoice) =>
  (await api.get(`/api/payments?invoiceId=${id}`)).json.data;
const statusOf = async (api: Api, { id }: Invoice) => (await api.get(`/api/invoices/${id}`)).json.status;

async function settings(account: TestAccount, change: Record<string, string>): Promise<void> {
  const { updateSettings } = await import('../../../shared/accounts/store.ts');
  await updateSettings(account.accountId, change);
}

/** A redirect after a form, as it is followed. */
const landing = async ({ paymentUrl }: Invoice, { headers }: HttpResponse) =>
  openPage(paymentUrl, headers.location === '?' ? '' : headers.location);

describe('states', () => {
  test('a pending invoice shows its amount and a form; all of it is one request, escaped, and small', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api, {
      amount: 12_345_650,
      currency: 'BTN',
      description: '<b>"A" & B</b>',
    });
    const page = await openPage(invoice.paymentUrl);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Nu. 1,23,456.50');
    expect(page.text).toContain('&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt;');
    expect(page.text).not.toMatch(
      /<script|<link[^>]*href="(?!data:)|<img[^>]*src="(?!data:)|url\((?!data:)|@import/,
    );
    expect(page.bytes.length).toBeLessThan(30 * 1024);
    expect(formOf(page)).toEqual({ attempt: expect.any(String), version: '1', amount: '12345650' });
  });

  test('it needs no key, says who it is not for, and cannot be framed, scripted or kept', async () => {
    const { test: api } = await fresh();
    const { headers } = await openPage((await invoiceOf(api)).paymentUrl);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|script-src|https?:/);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('paid, cancelled and overdue invoices say so, and only the last takes a payment', async () => {
    const { test: api } = await fresh();
    const [paid, cancelled] = [await invoiceOf(api), await invoiceOf(api)];
    await api.post('/api/payments', { invoiceId: paid.id, method: 'offline', reference: 'Cheque 7' });
    await api.delete(`/api/invoices/${cancelled.id}`);
    const receipt = await openPage(paid.paymentUrl);
    expect(receipt.text).toContain('Cheque 7');
    expect(receipt.text).toContain('Paid');
    expect(receipt.text).not.toContain('<form');
    const gone = await openPage(cancelled.paymentUrl);
    expect(gone.text).toContain('cancelled');
    expect(gone.text).not.toContain('<form');
    const overdue = await invoiceOf(api, { dueDate: new Date(Date.now() + 1500).toISOString() });
    await waitUntil('the invoice is overdue', async () => (await statusOf(api, overdue)) === 'overdue');
    expect((await openPage(overdue.paymentUrl)).text).toContain('Overdue');
    expect((await landing(overdue, await pay(overdue.paymentUrl))).text).toContain('Visa •••• 4242');
    expect(await statusOf(api, overdue)).toBe('paid');
  });

  test('an id of nothing, a malformed one and one of another resource are 404, and look alike', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const { json: payment } = await api.post('/api/payments', { invoiceId: invoice.id, method: 'offline' });
    const base = invoice.paymentUrl.replace(invoice.id, '');
    const pages = await Promise.all(
      [`inv_${'0'.repeat(26)}`, 'inv_x', payment.id, '%00'].map((id) => openPage(base + id)),
    );
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
  });

  test("live mode without a provider shows the account's instructions, if it has any, and takes nothing", async () => {
    const account = await fresh();
    const invoice = await invoiceOf(account.live);
    const bare = await openPage(invoice.paymentUrl);
    expect(bare.text).not.toContain('<form');
    expect(bare.text).not.toContain('Test mode');
    const other = await fresh();
    const change = {
      displayName: 'Druk <Shop>',
      paymentInstructions: 'Bank of Bhutan\nAccount 12345',
      paymentQr: 'bob:12345',
    };
    await settings(other, change);
    const instructed = await openPage((await invoiceOf(other.live)).paymentUrl);
    expect(instructed.text).toContain('Druk &lt;Shop&gt;');
    expect(instructed.text).toMatch(/Bank of Bhutan\s*(<br>)?\s*Account 12345/);
    expect(instructed.text).toContain('<svg');
    const sent = await submit(invoice.paymentUrl, {
      attempt: 'a'.repeat(26),
      version: '1',
      amount: '2500',
      ...goodCard,
    });
    expect(sent.status).toBe(303);
    expect(await paymentsOf(account.live, invoice)).toEqual([]);
  });

  test('a payment in progress is said to be, and takes no other; once it is through, the page is the receipt', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const sent = await pay(invoice.paymentUrl, { number: '4000000000000077' });
    expect(sent.status).toBe(303);
    const waiting = await landing(invoice, sent);
    expect(waiting.text).toContain('in progress');
    expect(waiting.text).not.toContain('<form');
    await waitUntil('the receipt is shown', async () =>
      (await openPage(invoice.paymentUrl)).text.includes('Visa •••• 0077'),
    );
  });
});

describe('the form', () => {
  test('a declined card is told why, and another one pays', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const declined = await landing(invoice, await pay(invoice.paymentUrl, { number: '4000000000009995' }));
    expect(declined.text).toContain('insufficient funds');
    expect((await submit(invoice.paymentUrl, { ...formOf(declined), ...goodCard })).headers.location).toBe(
      '?',
    );
    expect(await paymentsOf(api, invoice)).toMatchObject([
      { status: 'completed', card: { brand: 'visa', last4: '4242' } },
      { status: 'failed', failureCode: 'insufficient_funds' },
    ]);
    expect(await statusOf(api, invoice)).toBe('paid');
  });

  test("another invoice's declined payment is not told about", async () => {
    const { test: api } = await fresh();
    const [invoice, other] = [await invoiceOf(api), await invoiceOf(api)];
    const { headers } = await pay(other.paymentUrl, { number: '4000000000000002' });
    expect((await openPage(invoice.paymentUrl, headers.location)).text).not.toContain('did not go through');
  });

  test('sent ten times at once, and again later, it is one payment with one result', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const fields = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard, number: '4000000000000002' };
    const send = () => submit(invoice.paymentUrl, fields);
    const answers = [...(await Promise.all(Array.from({ length: 10 }, send))), await send()];
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.location}`)).size).toBe(1);
    expect(await paymentsOf(api, invoice)).toHaveLength(1);
  });

  test('two payers at once: one payment, and both see the invoice paid', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const answers = await Promise.all([pay(invoice.paymentUrl), pay(invoice.paymentUrl)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    await waitUntil('the receipt is shown', async () =>
      (await openPage(invoice.paymentUrl)).text.includes('Visa •••• 4242'),
    );
    const completed = (await paymentsOf(api, invoice)).filter(
      ({ status }: { status: string }) => status === 'completed',
    );
    expect(completed).toHaveLength(1);
  });

  test.each([
    ['amount', { amount: 9900 }],
    ['description', { description: 'Something else' }],
  ])('if the %s was changed since it was shown, it says so and charges nothing', async (_, change) => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = formOf(await openPage(invoice.paymentUrl));
    await api.patch(`/api/invoices/${invoice.id}`, change);
    const sent = await submit(invoice.paymentUrl, { ...form, ...goodCard });
    expect(sent.headers.location).toBe('?changed');
    const page = await landing(invoice, sent);
    expect(page.text).toContain('has changed');
    expect(await paymentsOf(api, invoice)).toEqual([]);
    expect((await submit(invoice.paymentUrl, { ...formOf(page), ...goodCard })).headers.location).toBe('?');
    expect(await statusOf(api, invoice)).toBe('paid');
  });

  test('an amount that was tampered with pays nothing', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = { ...formOf(await openPage(invoice.paymentUrl)), amount: '1' };
    expect((await submit(invoice.paymentUrl, { ...form, ...goodCard })).headers.location).toBe('?changed');
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });

  test.each([
    ['number', { number: '4242424242424241' }, 'number-error'],
    ['number that is no test card', { number: '4000056655665556' }, 'test cards'],
    ['expiry', { expiry: '13/30' }, 'expiry-error'],
    ['expiry in the past', { expiry: '01/20' }, 'passed'],
    ['security code', { cvc: '12' }, 'cvc-error'],
  ])('a wrong %s is 400, tied to its field, and nothing typed is repeated', async (_, wrong, said) => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const answer = await pay(invoice.paymentUrl, { number: '4000000000000069', cvc: '739', ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(said);
    expect(answer.text).toContain('aria-invalid="true"');
    for (const secret of ['4242424242424241', '4000056655665556', '"739"', '"12"']) {
      expect(answer.text).not.toContain(secret);
    }
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a neighbouring site', { 'Sec-Fetch-Site': 'same-site' }],
    ['another origin, by an older browser', { Origin: 'https://evil.example' }],
    ['nowhere that can be named', { Origin: 'null' }],
    ['a script that sends JSON', { 'Content-Type': 'application/json' }],
  ])('sent from %s it is 403 and pays nothing', async (_, headers) => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const fields = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
    expect(
      (await submit(invoice.paymentUrl, fields, { headers: headers as Record<string, string> })).status,
    ).toBe(403);
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });

  test('without what the page puts into it, broken or oversize, it is refused', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = formOf(await openPage(invoice.paymentUrl));
    const answers = await Promise.all([
      submit(invoice.paymentUrl, goodCard),
      submit(invoice.paymentUrl, { ...form, ...goodCard, attempt: 'x' }),
      submit(invoice.paymentUrl, { ...form, ...goodCard, version: '-1' }),
      submit(invoice.paymentUrl, { ...form, ...goodCard, padding: 'x'.repeat(20_000) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });
});

describe('limits', () => {
  /** What gets as far as an attempt, and is not carried out as the invoice was never in that version. */
  const idle = (count: number) => ({
    ...{ attempt: attemptOf(count), version: '99', amount: '12345650' },
    ...goodCard,
  });

  test("an invoice takes 20 attempts an hour, wherever from, and the account's own limit counts none", async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const before = Number((await api.get('/api/invoices')).headers['x-ratelimit-remaining']);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, count) => submit(invoice.paymentUrl, idle(count))),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(20);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.text).toContain('Too many attempts');
    const wait = Number(refused?.headers['retry-after']);
    const toNextHour = 3600 - ((Date.parse(refused?.headers.date ?? '') / 1000) % 3600);
    expect(Math.abs(wait - toNextHour)).toBeLessThanOrEqual(5);
    expect(Number((await api.get('/api/invoices')).headers['x-ratelimit-remaining'])).toBe(before - 1);
  });

  test('forms that are wrong are no attempts', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = formOf(await openPage(invoice.paymentUrl));
    for (let count = 0; count < 25; count++) {
      expect((await submit(invoice.paymentUrl, { ...form, ...goodCard, cvc: '1' })).status).toBe(400);
    }
    expect((await submit(invoice.paymentUrl, { ...form, ...goodCard })).status).toBe(303);
    expect(await paymentsOf(api, invoice)).toMatchObject([{ status: 'completed' }]);
  });

  test('the last attempt, sent twice, leads to the receipt both times', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
    for (let count = 0; count < 19; count++) await submit(invoice.paymentUrl, idle(count));
    const first = await submit(invoice.paymentUrl, form);
    const second = await submit(invoice.paymentUrl, form);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect((await landing(invoice, second)).text).toContain('Paid');
    expect((await submit(invoice.paymentUrl, idle(19))).status).toBe(429);
  });

  test('an address makes 60 attempts an hour, whatever invoices they are for', async () => {
    const { test: api } = await fresh();
    const localAddress = freshAddress();
    const invoices = await Promise.all(Array.from({ length: 4 }, () => invoiceOf(api)));
    const answers: HttpResponse[] = [];
    for (const { paymentUrl } of invoices) {
      const sent = Array.from({ length: 18 }, (_, count) =>
        submit(paymentUrl, idle(count), { localAddress }),
      );
      answers.push(...(await Promise.all(sent)));
    }
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12);
  });
});

test('a form that was opened before the due date pays the invoice after it', async () => {
  const { test: api } = await fresh();
  const due = new Date(Date.now() + 3_600_000).toISOString();
  const { json: invoice } = await api.post('/api/invoices', invoiceBody({ dueDate: due }));
  const form = formOf(await openPage(invoice.paymentUrl));
  setClock(() => Date.now() + 3_601_000);
  try {
    await waitUntil('it is overdue', async () => {
      return (await api.get(`/api/invoices/${invoice.id}`)).json.status === 'overdue';
    });
    const sent = await submit(invoice.paymentUrl, { ...form, ...goodCard });
    expect((await landing(invoice, sent)).text).toContain('Paid');
  } finally {
    setClock();
  }
});

test('what was typed for the expiry is shown again, but not what may be a card number', async () => {
  const { test: api } = await fresh();
  const invoice = await invoiceOf(api);
  const form = formOf(await openPage(invoice.paymentUrl));
  const answerTo = async (expiry: string) =>
    (await submit(invoice.paymentUrl, { ...form, ...goodCard, expiry })).text;
  expect(await answerTo('13 / 2030')).toContain('value="13 / 2030"');
  expect(await answerTo('5555 5555')).not.toContain('value="5555');
  expect(await answerTo('5555 5555 5555 4444')).not.toContain('value="5555');
});

test('receipt and cancelled invoice say what was refunded', async () => {
  const { test: api } = await fresh();
  const invoice = await invoiceOf(api);
  await pay(invoice.paymentUrl);
  expect((await openPage(invoice.paymentUrl)).text).not.toContain('Refunded');
  const [payment] = await paymentsOf(api, invoice);
  const refund = { paymentId: payment.id, amount: 1500 };
  expect((await api.post('/api/refunds', refund)).status).toBe(201);
  await waitUntil('the receipt says so', async () => {
    return /Refunded<\/dt><dd>\$15\.00</.test((await openPage(invoice.paymentUrl)).text);
  });
});

describe('cost and secrets', () => {
  test('the page is one call, once its account is known to the instance', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    await openPage(invoice.paymentUrl);
    expect(log.lineOf(await openPage(invoice.paymentUrl))).toMatchObject({ dynamodbCalls: 1 });
    const declined = await landing(invoice, await pay(invoice.paymentUrl, { number: '4000000000000002' }));
    expect(log.lineOf(declined)).toMatchObject({ dynamodbCallsInSequence: 1 });
    await pay(invoice.paymentUrl);
    expect(log.lineOf(await openPage(invoice.paymentUrl))).toMatchObject({ dynamodbCalls: 1 });
  });

  test('no card number or security code is in the table or the log', async () => {
    const { test: api } = await fresh();
    const written: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((chunk: unknown, ...rest: unknown[]) => {
      written.push(String(chunk));
      return (write as (...all: unknown[]) => boolean).call(process.stdout, chunk, ...rest);
    }) as typeof process.stdout.write;
    try {
      for (const number of ['5555 5555 5555 4444', '4000000000000127', '4000056655665556']) {
        await pay((await invoiceOf(api)).paymentUrl, { number, cvc: '7319' });
      }
    } finally {
      process.stdout.write = write;
    }
    const kept = JSON.stringify(await tableOf(stack).all('')) + JSON.stringify(log.lines) + written.join('');
    for (const secret of [
      '5555555555554444',
      '5555 5555',
      '4000000000000127',
      '4000056655665556',
      '12 / 39',
    ]) {
      expect(kept).not.toContain(secret);
    }
    expect(kept).not.toMatch(/"7319\\?"|cvc\W{1,4}7319/);
  });

  test('other methods are 404, and HEAD is GET without a body', async () => {
    const { test: api } = await fresh();
    const { paymentUrl } = await invoiceOf(api);
    const { origin: baseUrl, pathname: path } = new URL(paymentUrl);
    const head = await request({ baseUrl, path, method: 'HEAD', localAddress: freshAddress() });
    expect([head.status, head.text]).toEqual([200, '']);
    const put = await request({ baseUrl, path, method: 'PUT', localAddress: freshAddress() });
    expect(put.status).toBe(404);
  });
});
