/** Tests the payment page over HTTP: its states, its form and rejected requests. Another test uses a real browser. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { checksumOf } from '../../../shared/domain/accounts/merchant-qr.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import {
  type Api,
  invoiceBody,
  listenToRequestLog,
  newAccount,
  type TestAccount,
} from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { freshAddress, type HttpResponse, request } from '../../support/http.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { formOf, goodCard, openPage, payOnPage, submit } from '../../support/pay-page.ts';
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

async function changeSettings(account: TestAccount, change: Record<string, string>): Promise<void> {
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, change);
}

/** Follows the redirect after a form. */
const followRedirect = async ({ paymentUrl }: Invoice, { headers }: HttpResponse) =>
  openPage(paymentUrl, headers.location === '?' ? '' : headers.location);

describe('states', () => {
  test('a pending invoice shows its amount and a form, in one small and escaped document', async () => {
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
    expect(formOf(page)).toEqual({
      attempt: expect.any(String),
      visit: expect.stringMatching(/^1\.\d+\.\w+\.[\w-]+$/),
      version: '1',
      amount: '12345650',
    });
  });

  test('it needs no key, and its headers forbid indexing, framing, scripts and caching', async () => {
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

  test('the payer chooses the language, which stays after a form, and the browser is asked first', async () => {
    const { test: api } = await fresh();
    const { paymentUrl } = await invoiceOf(api);
    const { origin, pathname } = new URL(paymentUrl);
    const open = (search: string, accepted: string) =>
      request({
        baseUrl: origin,
        path: `${pathname}${search}`,
        headers: { 'Accept-Language': accepted },
        localAddress: freshAddress(),
      });
    expect((await open('', 'hi-IN,en;q=0.5')).text).toContain('<html lang="hi">');
    const page = await open('?lang=dz', 'hi-IN,en;q=0.5');
    expect(page.text).toContain('<html lang="dz">');
    const form = { ...formOf(page), ...goodCard };
    const invalid = await submit(`${paymentUrl}?lang=dz`, { ...form, number: '42' });
    expect(invalid.text).toContain('<html lang="dz">');
    const paid = await submit(`${paymentUrl}?lang=dz`, form);
    expect(paid).toMatchObject({ status: 303, headers: { location: '?lang=dz' } });
    const receipt = await open('?lang=dz', 'en');
    expect(receipt.text).toContain('Visa •••• 4242');
    expect(receipt.text).toContain('<html lang="dz">');
  });

  test('the language of an invoice comes before that of the browser, until it is removed', async () => {
    const { test: first } = await fresh();
    const api = inNewestVersion(first);
    const { json } = await api.post('/api/invoices', { ...invoiceBody(), locale: 'hi' });
    expect(json).toMatchObject({ locale: 'hi' });
    const { origin, pathname } = new URL(json.paymentUrl);
    const open = () =>
      request({
        baseUrl: origin,
        path: pathname,
        headers: { 'Accept-Language': 'dz' },
        localAddress: freshAddress(),
      });
    expect((await open()).text).toContain('<html lang="hi">');
    const path = `/api/invoices/${json.id}`;
    expect((await api.patch(path, { locale: null })).json).toMatchObject({ locale: null });
    expect((await open()).text).toContain('<html lang="dz">');
    expectError(await api.patch(path, { locale: 'fr' }), 400, 'invalid_locale', 'locale');
    // Clients of the first version neither see nor send it.
    expect((await first.get(path)).json).not.toHaveProperty('locale');
    expect((await first.post('/api/invoices', { ...invoiceBody(), locale: 'hi' })).status).toBe(400);
  });

  test('paid, cancelled and overdue invoices show their status, and only the overdue one takes a payment', async () => {
    const { test: api } = await fresh();
    const [paid, cancelled] = [await invoiceOf(api), await invoiceOf(api)];
    await api.post('/api/payments', { invoiceId: paid.id, method: 'offline', reference: 'Cheque 7' });
    await api.delete(`/api/invoices/${cancelled.id}`);
    const receipt = await openPage(paid.paymentUrl);
    expect(receipt.text).toContain('Paid');
    // The merchant's note on the payment is not for the payer.
    expect(receipt.text).not.toContain('Cheque 7');
    expect(receipt.text).not.toContain('<form');
    const gone = await openPage(cancelled.paymentUrl);
    expect(gone.text).toContain('There is nothing to pay, and nothing was charged on this page.');
    expect(gone.text).not.toContain('<form');
    const overdue = await invoiceOf(api, { dueDate: new Date(Date.now() + 1500).toISOString() });
    await waitUntil('the invoice is overdue', async () => (await statusOf(api, overdue)) === 'overdue');
    expect((await openPage(overdue.paymentUrl)).text).toContain('Overdue');
    expect((await followRedirect(overdue, await payOnPage(overdue.paymentUrl))).text).toContain(
      'Visa •••• 4242',
    );
    expect(await statusOf(api, overdue)).toBe('paid');
  });

  test('with payLinkDays, links of paid and cancelled invoices expire, and those of payable ones do not', async () => {
    const { test: api, accountId } = await fresh();
    const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
    await updateSettings(accountId, { payLinkDays: 2 });
    const [paid, cancelled, open] = [await invoiceOf(api), await invoiceOf(api), await invoiceOf(api)];
    await api.post('/api/payments', { invoiceId: paid.id, method: 'offline' });
    await api.delete(`/api/invoices/${cancelled.id}`);
    const statuses = async () =>
      Promise.all([paid, cancelled, open].map(async ({ paymentUrl }) => (await openPage(paymentUrl)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const table = tableOf(stack);
    for (const { id } of [paid, cancelled, open]) {
      const item = await table.get(tableKeys.record(id));
      await table.put({ ...item, ...tableKeys.record(id), updatedAt: Date.now() - 2 * 24 * 3_600_000 });
    }
    expect(await statuses()).toEqual([404, 404, 200]);
    const expired = await openPage(paid.paymentUrl);
    expect(expired.text).toContain('Link expired');
    expect(expired.text).not.toContain(paid.id);
  });

  test('the log line names account and invoice', async () => {
    const { test: api, accountId } = await fresh();
    const invoice = await invoiceOf(api);
    const named = { account: accountId, mode: 'test', invoice: invoice.id };
    const page = await openPage(invoice.paymentUrl);
    expect(log.lineOf(page)).toMatchObject({ route: 'GET /pay/{id}', ...named });
    const response = await payOnPage(invoice.paymentUrl);
    expect(log.lineOf(response)).toMatchObject({ route: 'POST /pay/{id}', ...named });
  });

  test('unknown ids, malformed ids and ids of other resources return the same 404 page', async () => {
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

  test.each(['.', ')', ',', '%29.', '%E2%80%9D', '%20'])(
    'an address with %s at its end leads to the invoice',
    async (end) => {
      const { test: api } = await fresh();
      const { id, paymentUrl } = await invoiceOf(api);
      const { status, headers } = await openPage(`${paymentUrl}${end}`);
      expect({ status, location: headers.location }).toEqual({ status: 303, location: id });
    },
  );

  test("live mode without a provider shows the account's payment instructions, if set, and takes no payment", async () => {
    const account = await fresh();
    const invoice = await invoiceOf(account.live);
    const withoutInstructions = await openPage(invoice.paymentUrl);
    expect(withoutInstructions.text).not.toContain('<form');
    expect(withoutInstructions.text).not.toContain('Test mode');
    expect(withoutInstructions.text).toContain('Please ask the seller how to pay it.');
    const other = await fresh();
    const change = {
      displayName: 'Druk <Shop>',
      paymentInstructions: 'Bank of Bhutan\nAccount 12345',
      paymentQr: 'bob:12345',
    };
    await changeSettings(other, change);
    const withInstructions = await openPage((await invoiceOf(other.live)).paymentUrl);
    expect(withInstructions.text).toContain('Druk &lt;Shop&gt;');
    expect(withInstructions.text).toMatch(/Bank of Bhutan\s*(<br>)?\s*Account 12345/);
    expect(withInstructions.text).toContain('<svg');
    const sent = await submit(invoice.paymentUrl, {
      attempt: 'a'.repeat(26),
      version: '1',
      amount: '2500',
      ...goodCard,
    });
    expect(sent.status).toBe(303);
    expect(await paymentsOf(account.live, invoice)).toEqual([]);
  });

  test('live pages show the instructions of their currency, else the general ones, with values to copy', async () => {
    const account = await fresh();
    await changeSettings(account, {
      contact: '+975 17 12 34 56',
      paymentInstructions: 'Bank: General',
      paymentInstructionsUsd: 'SWIFT: <b>BHUBBTBT</b>\nAsk bank@druk.example',
    });
    const pageOf = async (currency: string) =>
      (await openPage((await invoiceOf(account.live, { currency, amount: 2500 })).paymentUrl)).text;
    const general = await pageOf('BTN');
    expect(general).toContain('<dt><bdi>Bank</bdi></dt><dd><bdi class="value">General</bdi>');
    expect(general).toContain('data-copy="25.00"');
    expect(general).toContain('<a href="tel:+97517123456">');
    const own = await pageOf('USD');
    expect(own).toContain('<bdi class="value">&lt;b&gt;BHUBBTBT&lt;/b&gt;</bdi>');
    expect(own).toContain('<a href="mailto:bank@druk.example">');
    expect(own).not.toContain('General');
  });

  test('live pages fill in amount and reference: a UPI link for INR, and a national QR code for BTN if it is on', async () => {
    const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
    const account = await fresh();
    const body = '00020101021126200006bt.rma01062001235204541153030645802BT5910Druk Store6007Thimphu6304';
    const national = body + checksumOf(body);
    await updateSettings(account.accountId, {
      displayName: 'Druk',
      upiId: 'druk@okbank',
      paymentQr: national,
      paymentQrAmount: true,
    });
    const pageOf = async (currency: string) => {
      const { text } = await openPage((await invoiceOf(account.live, { currency, amount: 2500 })).paymentUrl);
      return {
        text,
        reference: /<dt>Payment reference<\/dt><dd><strong class="id">([0-9A-Z-]{9})</.exec(text)?.[1],
      };
    };
    const upi = await pageOf('INR');
    const plain = upi.reference?.replace('-', '');
    const link = `upi://pay?pa=druk@okbank&pn=Druk&am=25.00&cu=INR&tn=${upi.reference}&tr=${plain}`;
    expect(upi.text).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    const filled = await pageOf('BTN');
    expect(filled.text).toContain(`540525.00`);
    expect(filled.text).toContain(`62130109${filled.reference}6304`);
    expect((await pageOf('USD')).text).toContain(national);
  });

  test('a payment in progress is shown and blocks others, and later the page shows the receipt', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const sent = await payOnPage(invoice.paymentUrl, { number: '4000000000000077' });
    expect(sent.status).toBe(303);
    const waiting = await followRedirect(invoice, sent);
    expect(waiting.text).toContain('in progress');
    const [{ id }] = await paymentsOf(api, invoice);
    expect(waiting.headers.refresh).toBe(`2; url=?payment=${id}&seen=1`);
    const refresh = async (seen: number) =>
      (await openPage(invoice.paymentUrl, `?payment=${id}&seen=${seen}`)).headers.refresh;
    expect(await refresh(10)).toBe(`5; url=?payment=${id}&seen=11`);
    expect(await refresh(35)).toBeUndefined();
    expect(waiting.text).not.toContain('<form');
    await waitUntil('the receipt is shown', async () =>
      (await openPage(invoice.paymentUrl)).text.includes('Visa •••• 0077'),
    );
  });
});

describe('money that a payer sent', () => {
  const refundOf = async (api: Api, paymentId: string, amount: number) => {
    const { json } = await api.post('/api/refunds', { paymentId, amount });
    await waitUntil('the refund is processed', async () => {
      const refund = await api.get(`/api/refunds/${json.id}`);
      return refund.json.status === 'processed';
    });
  };

  test('is shown as partly and as fully refunded, with the net amount', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    await payOnPage(invoice.paymentUrl);
    const [{ id, amount }] = await paymentsOf(api, invoice);
    await refundOf(api, id, 1000);
    const partly = await openPage(invoice.paymentUrl);
    expect(partly.text).toContain('<title>Receipt: Paid and partly refunded');
    expect(partly.text).toContain('$15.00');
    await refundOf(api, id, amount - 1000);
    const refunded = await openPage(invoice.paymentUrl);
    expect(refunded.text).toContain('<title>Receipt: Refunded');
    expect(refunded.text).toContain('$0.00');
    expect(refunded.text).toContain('Last refund');
    expect(refunded.text).not.toContain('icon check');
  });

  test('is shown as refused, as unsettled and as refunded after the invoice is cancelled', async () => {
    const { test: api } = await fresh();
    const [refused, unsettled] = [await invoiceOf(api), await invoiceOf(api)];
    await payOnPage(refused.paymentUrl, { number: '4000000000000002' });
    await payOnPage(unsettled.paymentUrl, { number: '4000000000000077' });
    for (const { id } of [refused, unsettled]) await api.delete(`/api/invoices/${id}`);
    expect((await openPage(refused.paymentUrl)).text).toContain('The payment was refused');
    const waiting = await openPage(unsettled.paymentUrl);
    expect(waiting.text).toContain('If it succeeds, all of it is refunded.');
    expect(waiting.headers.refresh).toBe('2; url=?seen=1');
    await waitUntil('the page shows the refund', async () =>
      (await openPage(unsettled.paymentUrl)).text.includes('The payment of $25.00 was refunded in full.'),
    );
  });
});

describe('the form', () => {
  test('a declined card is shown with the reason, and another card pays', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const declined = await followRedirect(
      invoice,
      await payOnPage(invoice.paymentUrl, { number: '4000000000009995' }),
    );
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

  test('an attempt is stored without anything derived from the code or the whole number of the card', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const form = formOf(await openPage(invoice.paymentUrl));
    const send = (card: Partial<typeof goodCard>) =>
      submit(invoice.paymentUrl, { ...form, ...goodCard, number: '4000000000000002', ...card });
    const locations = [{}, { cvc: '740' }, { expiry: '11 / 40' }].map(
      async (card) => (await send(card)).headers.location,
    );
    expect(new Set(await Promise.all(locations)).size).toBe(1);
    expect(await paymentsOf(api, invoice)).toMatchObject([{ status: 'failed', card: { last4: '0002' } }]);
  });

  test("another invoice's declined payment is not shown", async () => {
    const { test: api } = await fresh();
    const [invoice, other] = [await invoiceOf(api), await invoiceOf(api)];
    const { headers } = await payOnPage(other.paymentUrl, { number: '4000000000000002' });
    expect((await openPage(invoice.paymentUrl, headers.location)).text).not.toContain('did not go through');
  });

  test('a form that is sent ten times at once and again later makes one payment with one result', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const fields = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard, number: '4000000000000002' };
    const send = () => submit(invoice.paymentUrl, fields);
    const answers = [...(await Promise.all(Array.from({ length: 10 }, send))), await send()];
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.location}`)).size).toBe(1);
    expect(await paymentsOf(api, invoice)).toHaveLength(1);
  });

  test('two payers at the same time make one payment, and both see the paid invoice', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const answers = await Promise.all([payOnPage(invoice.paymentUrl), payOnPage(invoice.paymentUrl)]);
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
  ])(
    'if the %s changed after the page was opened, the page says so and charges nothing',
    async (_, change) => {
      const { test: api } = await fresh();
      const invoice = await invoiceOf(api);
      const form = formOf(await openPage(invoice.paymentUrl));
      await api.patch(`/api/invoices/${invoice.id}`, change);
      const sent = await submit(invoice.paymentUrl, { ...form, ...goodCard });
      expect(sent.headers.location).toBe('?changed');
      const page = await followRedirect(invoice, sent);
      expect(page.text).toContain('has changed');
      expect(await paymentsOf(api, invoice)).toEqual([]);
      expect((await submit(invoice.paymentUrl, { ...formOf(page), ...goodCard })).headers.location).toBe('?');
      expect(await statusOf(api, invoice)).toBe('paid');
    },
  );

  test('a form with a manipulated amount pays nothing', async () => {
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
  ])(
    'an invalid %s returns 400 with an error at its field, and card data is not repeated',
    async (_, fields, message) => {
      const { test: api } = await fresh();
      const invoice = await invoiceOf(api);
      const answer = await payOnPage(invoice.paymentUrl, {
        number: '4000000000000069',
        cvc: '739',
        ...fields,
      });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(message);
      expect(answer.text).toContain('aria-invalid="true"');
      for (const secret of ['4242424242424241', '4000056655665556', '"739"', '"12"']) {
        expect(answer.text).not.toContain(secret);
      }
      expect(await paymentsOf(api, invoice)).toEqual([]);
    },
  );

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another subdomain', { 'Sec-Fetch-Site': 'same-site' }],
    ['another origin in an older browser', { Origin: 'https://evil.example' }],
    ['a hidden origin', { Origin: 'null' }],
    ['a script that sends JSON', { 'Content-Type': 'application/json' }],
  ])('a form from %s returns 403 and pays nothing', async (_, headers) => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    const fields = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
    const answer = await submit(invoice.paymentUrl, fields, { headers: headers as Record<string, string> });
    expect(answer.status).toBe(403);
    expect(log.lineOf(answer)).toMatchObject({ status: 403, error: undefined });
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });

  test('a form with missing, invalid or too large fields is rejected', async () => {
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
    expect(answers.map((answer) => log.lineOf(answer).error)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(await paymentsOf(api, invoice)).toEqual([]);
  });
});

test('a form that was opened before the due date can pay the invoice after it', async () => {
  const { test: api } = await fresh();
  const due = new Date(Date.now() + 3_600_000).toISOString();
  const { json: invoice } = await api.post('/api/invoices', invoiceBody({ dueDate: due }));
  const form = formOf(await openPage(invoice.paymentUrl));
  setClock(() => Date.now() + 3_601_000);
  try {
    await waitUntil('the due date has passed', async () => {
      return (await api.get(`/api/invoices/${invoice.id}`)).json.status === 'overdue';
    });
    const sent = await submit(invoice.paymentUrl, { ...form, ...goodCard });
    expect((await followRedirect(invoice, sent)).text).toContain('Paid');
  } finally {
    setClock();
  }
});

test('the typed expiry date is shown again, but not a text that can be a card number', async () => {
  const { test: api } = await fresh();
  const invoice = await invoiceOf(api);
  const form = formOf(await openPage(invoice.paymentUrl));
  const answerTo = async (expiry: string) =>
    (await submit(invoice.paymentUrl, { ...form, ...goodCard, expiry })).text;
  expect(await answerTo('13 / 2030')).toContain('value="13 / 2030"');
  expect(await answerTo('5555 5555')).not.toContain('value="5555');
  expect(await answerTo('5555 5555 5555 4444')).not.toContain('value="5555');
});

test('the receipt shows the refunded amount', async () => {
  const { test: api } = await fresh();
  const invoice = await invoiceOf(api);
  await payOnPage(invoice.paymentUrl);
  expect((await openPage(invoice.paymentUrl)).text).not.toContain('Refunded');
  const [payment] = await paymentsOf(api, invoice);
  const refund = { paymentId: payment.id, amount: 1500 };
  expect((await api.post('/api/refunds', refund)).status).toBe(201);
  await waitUntil('the receipt shows the refund', async () => {
    return /Refunded<\/dt><dd>\$15\.00</.test((await openPage(invoice.paymentUrl)).text);
  });
});

describe('cost and secrets', () => {
  test('the page needs one DynamoDB call if the account settings are cached', async () => {
    const { test: api } = await fresh();
    const invoice = await invoiceOf(api);
    await openPage(invoice.paymentUrl);
    expect(log.lineOf(await openPage(invoice.paymentUrl))).toMatchObject({ dynamodbCalls: 1 });
    const declined = await followRedirect(
      invoice,
      await payOnPage(invoice.paymentUrl, { number: '4000000000000002' }),
    );
    expect(log.lineOf(declined)).toMatchObject({ dynamodbCallsInSequence: 1 });
    await payOnPage(invoice.paymentUrl);
    expect(log.lineOf(await openPage(invoice.paymentUrl))).toMatchObject({ dynamodbCalls: 1 });
  });

  test('the table and the log contain no card numbers and no security codes', async () => {
    const { test: api } = await fresh();
    const written: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((chunk: unknown, ...rest: unknown[]) => {
      written.push(String(chunk));
      return (write as (...all: unknown[]) => boolean).call(process.stdout, chunk, ...rest);
    }) as typeof process.stdout.write;
    try {
      for (const number of ['5555 5555 5555 4444', '4000000000000127', '4000056655665556']) {
        await payOnPage((await invoiceOf(api)).paymentUrl, { number, cvc: '7319' });
      }
    } finally {
      process.stdout.write = write;
    }
    const stored =
      JSON.stringify(await tableOf(stack).all('')) + JSON.stringify(log.lines) + written.join('');
    for (const secret of [
      '5555555555554444',
      '5555 5555',
      '4000000000000127',
      '4000056655665556',
      '12 / 39',
    ]) {
      expect(stored).not.toContain(secret);
    }
    expect(stored).not.toMatch(/"7319\\?"|cvc\W{1,4}7319/);
  });

  test('other methods return 404, and HEAD returns the headers of GET', async () => {
    const { test: api } = await fresh();
    const { paymentUrl } = await invoiceOf(api);
    const { origin: baseUrl, pathname: path } = new URL(paymentUrl);
    const head = await request({ baseUrl, path, method: 'HEAD', localAddress: freshAddress() });
    expect([head.status, head.text]).toEqual([200, '']);
    const put = await request({ baseUrl, path, method: 'PUT', localAddress: freshAddress() });
    expect(put.status).toBe(404);
  });
});
