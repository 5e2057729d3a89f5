/** Tests the payment page in a real browser: with and without scripts, by keyboard, and in every state and size. */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stack } from '../../infra/local/stack.ts';
import { renderPaymentPage } from '../../shared/web/pages/payment-page.ts';
import type { PaymentPageView } from '../../shared/web/pages/payment-page-view.ts';
import { invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { claimOnPage } from '../support/claims.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { formOf, goodCard, openPage, payOnPage, submit } from '../support/pay-page.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { sampleInvoice, sampleViewsOf } from '../unit/pages/sample-views.ts';

let stack: Stack;
let browser: TestBrowser;
let account: TestAccount;
beforeAll(async () => {
  [stack, browser] = await Promise.all([startTestStack(), startBrowser()]);
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
});
afterAll(async () => {
  await browser.close();
  await stack.close();
});

const invoiceOf = async (fields = {}, api = account.test) =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;
const paymentsOf = async ({ id }: { id: string }) =>
  (await account.test.get(`/api/payments?invoiceId=${id}`)).json.data;

async function fill(page: Page, { number, expiry, cvc }: typeof goodCard): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiry date').fill(expiry);
  await page.getByLabel('Security code').fill(cvc);
}

/** Keeps a page that waits for a payment from opening itself again while it is examined. */
const preventRefresh = (page: Page) =>
  page.route('**', async (route) => {
    const response = await route.fetch();
    const { refresh: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay / });
/** Waits until the page's heading contains `text`. */
const waitForHeading = (page: Page, text: string) =>
  page.getByRole('heading', { level: 1 }).filter({ hasText: text }).waitFor();

browserTest.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  'a payer is declined, corrects the card, pays and reloads the receipt: %s',
  async (_, javaScriptEnabled) => {
    const invoice = await invoiceOf({ amount: 250_000, currency: 'BTN' });
    const page = await browser.open({ javaScriptEnabled });
    const requests: string[] = [];
    const consoleMessages: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    page.on('console', (message) => consoleMessages.push(message.text()));
    await page.goto(invoice.paymentUrl);
    await waitForHeading(page, 'Nu. 2,500.00');
    expect(requests).toEqual([`GET ${invoice.paymentUrl}`]);

    await fill(page, { ...goodCard, number: '4000 0000 0000 0002' });
    await payButton(page).click();
    expect(await page.getByRole('alert').textContent()).toContain('The card was declined');
    expect(await page.getByLabel('Card number').inputValue()).toBe('');

    await fill(page, { ...goodCard, number: '4242 4242 4242 4241' });
    await payButton(page).click();
    expect(await page.getByRole('alert').textContent()).toContain('card number');
    expect(await page.locator(':focus').getAttribute('name')).toBe('number');
    expect(await page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true');

    await fill(page, goodCard);
    await payButton(page).click();
    await waitForHeading(page, 'Paid');
    expect(new URL(page.url()).pathname).toBe(new URL(invoice.paymentUrl).pathname);
    await page.reload();
    await waitForHeading(page, 'Paid');
    expect(await paymentsOf(invoice)).toMatchObject([{ status: 'completed' }, { status: 'failed' }]);
    expect(requests.every((request) => request.includes(invoice.paymentUrl))).toBe(true);
    expect(consoleMessages.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  },
);

browserTest('the page works by keyboard: Tab moves through the fields in order, and Enter pays', async () => {
  const invoice = await invoiceOf();
  const page = await browser.open();
  await page.goto(invoice.paymentUrl);
  const typed: Record<string, string> = goodCard;
  const stops: string[] = [];
  for (let stop = 0; stop < 12 && !stops.includes('BUTTON'); stop++) {
    await page.keyboard.press('Tab');
    const name = await page
      .locator(':focus')
      .evaluate((element) => element.getAttribute('name') ?? element.tagName);
    stops.push(name);
    if (typed[name]) await page.keyboard.type(typed[name]);
  }
  expect(stops.filter((name) => name !== 'SUMMARY')).toEqual(['number', 'expiry', 'cvc', 'BUTTON']);
  await page.keyboard.press('Enter');
  await waitForHeading(page, 'Paid');
});

browserTest('a form that is sent again from the browser history does not pay twice', async () => {
  const invoice = await invoiceOf();
  const page = await browser.open();
  await page.goto(invoice.paymentUrl);
  await fill(page, goodCard);
  await payButton(page).click();
  await waitForHeading(page, 'Paid');
  await page.goBack();
  if (await payButton(page).isVisible()) {
    await fill(page, goodCard);
    await payButton(page).click();
  }
  await waitForHeading(page, 'Paid');
  expect(await paymentsOf(invoice)).toHaveLength(1);
});

browserTest('a page that is opened with another host name can pay', async () => {
  const invoice = await invoiceOf();
  const page = await browser.open();
  await page.goto(invoice.paymentUrl.replace('127.0.0.1', 'localhost'));
  await fill(page, goodCard);
  await payButton(page).click();
  await waitForHeading(page, 'Paid');
});

browserTest('a form on another site cannot pay', async () => {
  const invoice = await invoiceOf();
  const { attempt, version, amount } = formOf(await openPage(invoice.paymentUrl));
  const page = await browser.open();
  const fields = Object.entries({ attempt, version, amount, ...goodCard })
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join('');
  await page.route('http://elsewhere.localhost/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${invoice.paymentUrl}">${fields}<button>Win</button></form>`,
    }),
  );
  await page.goto('http://elsewhere.localhost/');
  await page.getByRole('button').click();
  await waitForHeading(page, 'not accepted');
  expect(await paymentsOf(invoice)).toEqual([]);
});

/** For each state of the page, a function that creates it and returns the URL. */
const states: Record<string, () => Promise<string>> = {
  pending: async () => (await invoiceOf()).paymentUrl,
  'pending, in live mode': async () => (await invoiceOf({}, account.live)).paymentUrl,
  'pending, with a long description': async () =>
    (await invoiceOf({ description: `${'Supercalifragilistic'.repeat(60)}\n\n${'word '.repeat(300)}` }))
      .paymentUrl,
  overdue: async () => {
    const { id, paymentUrl } = await invoiceOf({ dueDate: new Date(Date.now() + 1_500).toISOString() });
    await waitUntil(
      'the invoice is overdue',
      async () => (await account.test.get(`/api/invoices/${id}`)).json.status === 'overdue',
    );
    return paymentUrl;
  },
  declined: async () => {
    const { paymentUrl } = await invoiceOf();
    return paymentUrl + (await payOnPage(paymentUrl, { number: '4000000000009995' })).headers.location;
  },
  changed: async () => `${(await invoiceOf()).paymentUrl}?changed`,
  'in progress': async () => {
    const { paymentUrl } = await invoiceOf();
    await payOnPage(paymentUrl, { number: '4000000000000077' });
    return paymentUrl;
  },
  paid: async () => {
    const { paymentUrl } = await invoiceOf();
    await payOnPage(paymentUrl);
    return paymentUrl;
  },
  'paid offline': async () => {
    const { id, paymentUrl } = await invoiceOf();
    await account.test.post('/api/payments', { invoiceId: id, method: 'offline', reference: 'Cheque 7' });
    return paymentUrl;
  },
  refunded: async () => {
    const { paymentUrl, ...invoice } = await invoiceOf();
    await payOnPage(paymentUrl);
    const [{ id }] = await paymentsOf(invoice);
    await account.test.post('/api/refunds', { paymentId: id });
    await waitUntil('the refund is shown', async () =>
      (await openPage(paymentUrl)).text.includes('Refunded'),
    );
    return paymentUrl;
  },
  cancelled: async () => {
    const { id, paymentUrl } = await invoiceOf();
    await account.test.delete(`/api/invoices/${id}`);
    return paymentUrl;
  },
  claim: async () => `${(await invoiceOf()).paymentUrl}?claim`,
  'claimed, under review': async () => {
    const invoice = await invoiceOf();
    await claimOnPage(invoice, { reference: 'x'.repeat(100) });
    return invoice.paymentUrl;
  },
  'claim rejected': async () => {
    const invoice = await invoiceOf();
    await claimOnPage(invoice);
    const newest = inNewestVersion(account.test);
    const { claim } = (await newest.get(`/api/invoices/${invoice.id}`)).json;
    const reason = `No such transfer.\n${'x'.repeat(300)}`;
    await newest.post(`/api/invoices/${invoice.id}/claim/reject`, { claimId: claim.id, reason });
    return invoice.paymentUrl;
  },
  'live, with payment instructions': async () => {
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(account.accountId, {
      displayName: 'Druk Shop',
      paymentInstructions: 'Bank of Bhutan\nAccount 12345',
      paymentQr: 'bob:12345',
    });
    return (await invoiceOf({}, account.live)).paymentUrl;
  },
  'not found': async () => (await invoiceOf()).paymentUrl.replace(/.{26}$/, '0'.repeat(26)),
};

const wide = { width: 1180, height: 900 };
const phone = { width: 320, height: 640 };

/** The states with the parts that axe can object to: a form, an error, a receipt and a QR code. */
const examined = ['overdue', 'declined', 'paid', 'live, with payment instructions'];

browserTest.each(Object.entries(states).filter(([name]) => isExhaustive || examined.includes(name)))(
  isExhaustive
    ? '%s: accessible in light and dark, and fits into 320 px'
    : '%s: accessible, and fits into 320 px',
  async (_, createState) => {
    const url = await createState();
    const page = await browser.open({ colorScheme: 'light', viewport: wide, bypassCSP: true });
    await preventRefresh(page);
    await page.goto(url);
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth');
    if (isExhaustive) {
      expect(await violationsOf(page)).toEqual([]);
      expect(await widthOf()).toBeLessThanOrEqual(wide.width);
    }
    await page.setViewportSize(phone);
    expect(await violationsOf(page)).toEqual([]);
    expect(await widthOf()).toBeLessThanOrEqual(phone.width);
    if (isExhaustive) {
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violationsOf(page, { onlyColors: true })).toEqual([]);
    }
    await page.context().close();
  },
);

browserTest('pages with errors and with too many attempts are accessible', async () => {
  const { paymentUrl } = await invoiceOf();
  for (const action of ['empty fields', 'too many attempts'] as const) {
    if (action === 'too many attempts') {
      const wrong = { ...formOf(await openPage(paymentUrl)), ...goodCard, cvc: '1' };
      await Promise.all(Array.from({ length: 20 }, () => submit(paymentUrl, wrong)));
    }
    const page = await browser.open({ bypassCSP: true });
    await page.goto(paymentUrl);
    await payButton(page).click();
    expect({ action, violations: await violationsOf(page) }).toEqual({ action, violations: [] });
  }
});

browserTest('every interactive element is at least 44 px high', async () => {
  const { paymentUrl } = await invoiceOf();
  const page = await browser.open({ viewport: { width: 320, height: 640 } });
  await page.goto(paymentUrl);
  const heights = await page
    .locator('input:not([type=hidden]), button, summary, a')
    .evaluateAll((targets) => targets.map((target) => target.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThanOrEqual(5);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
});

browserTest(
  'the printed receipt has the amount, the method and the ids, but no buttons or links',
  async () => {
    const { id, paymentUrl } = await invoiceOf();
    await payOnPage(paymentUrl);
    const page = await browser.open();
    await page.goto(paymentUrl);
    await page.emulateMedia({ media: 'print' });
    // Only visible text.
    const text = await page.evaluate<string>('document.body.innerText');
    for (const part of ['$25.00', 'Visa •••• 4242', id, 'pay_']) expect(text).toContain(part);
    expect(text.toUpperCase()).toContain('TEST MODE');
    expect(await page.locator('button:visible, a:visible').count()).toBe(0);
  },
);

/** The states with the most rows, and those with a code to scan. */
const longStates = ['refunded', 'dispute lost', 'second payment not refunded', 'filled code', 'UPI link'];

browserTest('a page with six lines of description prints on one sheet of US Letter, and of A4', async () => {
  const description = Array.from({ length: 6 }, (_, line) => `${line + 1} chairs with woven seats`).join(
    '\n',
  );
  const instructions = 'Bank of Bhutan\nAccount 200123456\nDruk Timber & Sons\nSend the advice to us';
  const views = sampleViewsOf({ ...sampleInvoice, description }, { instructions, qr: 'qr' });
  expect(Object.keys(views)).toEqual(expect.arrayContaining(longStates));
  const page = await browser.open();
  for (const state of isExhaustive ? Object.keys(views) : longStates) {
    await page.setContent(renderPaymentPage(views[state] as PaymentPageView));
    for (const format of ['Letter', 'A4']) {
      const pdf = (await page.pdf({ format })).toString('latin1');
      expect([state, format, pdf.match(/\/Type\s*\/Page\b/g)?.length]).toEqual([state, format, 1]);
    }
  }
});
