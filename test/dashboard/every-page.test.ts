/**
 * Opens every page of the dashboard in Chromium, and the pages of errors and of failed forms: on a phone, and one of each kind
 * with axe. In an exhaustive run it examines each with axe, and also on a wide screen, in dark and with the keyboard. With the variable `SCREENSHOTS`, it also stores an image of
 * each in that directory.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stack } from '../../infra/local/stack.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { claimOnPage } from '../support/claims.ts';
import { type DashboardAccount, newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { switchMailsOn } from '../support/mails.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

const phone = { width: 320, height: 640 };
const wide = { width: 1280, height: 800 };
const hour = 60 * 60 * 1000;

/** A page of each kind. Axe takes two thirds of the time of this test. */
const examined = [
  'overview',
  'invoices',
  'invoices-wrong-filter',
  'invoice',
  'invoice-edit',
  'invoice-wrong',
  'invoice-lines-wrong',
  'webhook',
  'keys',
  'mails',
  'seller',
  'seller-wrong',
  'empty-customers',
  'no-csrf',
  'sign-in',
  'sign-in-again',
];

let stack: Stack;
let browser: TestBrowser;
let receiver: MailboxReceiver;
let account: DashboardAccount;
let empty: DashboardAccount;
let ids: Record<
  | 'customer'
  | 'draft'
  | 'product'
  | 'schedule'
  | 'stopped'
  | 'invoice'
  | 'lines'
  | 'claimed'
  | 'paid'
  | 'payment'
  | 'webhook'
  | 'delivery'
  | 'event'
  | 'exported'
  | 'member'
  | 'statement'
  | 'row',
  string
>;
let invitation: string;

beforeAll(async () => {
  receiver = await startMailboxReceiver();
  process.env.WEBHOOK_ALLOWED_PORTS = new URL(receiver.mailbox().url).port;
  [stack, browser] = await Promise.all([startTestStack(withDashboard()), startBrowser()]);
  [account, empty] = await Promise.all([newDashboardAccount(stack), newDashboardAccount(stack)]);
  ids = await fillAccount();
  invitation = await addEndedInvitation();
});

afterAll(async () => {
  delete process.env.WEBHOOK_ALLOWED_PORTS;
  await browser?.close();
  await stack?.close();
  await receiver?.close();
});

/** Creates records of each kind, with the longest texts that clients may send. */
async function fillAccount(): Promise<typeof ids> {
  const api = inNewestVersion(account.test);
  const mailbox = receiver.mailbox();
  mailbox.respondWith(() => ({ status: 500, body: `{"error":"${'The database is down. '.repeat(20)}"}` }));
  const webhook = (
    await api.post('/api/webhooks', { url: mailbox.url, events: ['*'], description: 'd'.repeat(255) })
  ).json.id;
  const create = async (fields: object) => {
    const { status, json } = await api.post('/api/invoices', invoiceBody({ ...fields }));
    expect(status).toBe(201);
    return json.id;
  };
  const customerId = 'c'.repeat(120);
  const metadata = { [`${'k'.repeat(40)}`]: 'v'.repeat(500), note: 'Two\nlines', orderId: '1047' };
  const address = { line1: '12 Norzin Lam', city: 'l'.repeat(100), postalCode: '11001', country: 'BT' };
  const contact = { name: 'n'.repeat(200), email: 'dorji@example.bt', phone: '+975 17 12 34 56', address };
  const own = { reference: 'r'.repeat(128), metadata };
  const taxIds = [{ type: 'bt_tpn', value: 't'.repeat(50) }];
  const customer = (await api.post('/api/customers', { ...contact, taxIds, ...own })).json.id;
  const sold = { name: 'n'.repeat(200), description: 'd'.repeat(500), unit: 'u'.repeat(50) };
  const product = (
    await api.post('/api/products', { ...sold, unitAmounts: { BTN: 1, USD: 999_999_999_999 } })
  ).json.id;
  const invoice = await create({
    customerId,
    amount: 999_999_999_999,
    description: `${'Website design. '.repeat(50)}\n${'w'.repeat(900)}`,
    ...own,
  });
  const paid = await create({
    customerId: customer,
    amount: 123_456,
    dueDate: '2099-01-01',
    currency: 'BTN',
  });
  const line = { description: 'l'.repeat(500), quantity: '999999.999999', unitAmount: 100, tax: 'bt_gst_5' };
  const lines = await create({ amount: undefined, currency: 'BTN', lines: [line, line, line] });
  const claimed = await create({});
  const { paymentUrl } = (await api.get(`/api/invoices/${claimed}`)).json;
  await claimOnPage({ paymentUrl }, { bank: 'b'.repeat(100), reference: 'r'.repeat(100) });
  const unfinished = { description: 'd'.repeat(500), currency: 'BTN', lines: [line], ...own };
  const draft = (await api.post('/api/drafts', unfinished)).json.id;
  const repeated = {
    customerId,
    currency: 'BTN',
    description: 'd'.repeat(1000),
    lines: [line, line],
    metadata,
  };
  const monthly = { every: { n: 999, unit: 'month' }, startOn: '2090-01-31', invoice: repeated };
  const schedule = (await api.post('/api/schedules', { ...monthly, count: 9999, dueInDays: 365 })).json.id;
  await api.post(`/api/schedules/${schedule}/skip`, {});
  // The account sends no mails any more, so it stops.
  await switchMailsOn(account.accountId, ['invoice']);
  const addressed = { ...repeated, customerId: 'dorji@example.bt' };
  const stopped = (await api.post('/api/schedules', { ...monthly, invoice: addressed, mode: 'send' })).json
    .id;
  await switchMailsOn(account.accountId, []);
  await api.post(`/api/schedules/${stopped}/run`, {});
  await waitUntil(
    'the schedule stops',
    async () => (await api.get(`/api/schedules/${stopped}`)).json.failure !== null,
  );
  const pay = { invoiceId: paid, method: 'offline', reference: 'r'.repeat(100) };
  const payment = (await api.post('/api/payments', pay)).json.id;
  await api.post('/api/refunds', { paymentId: payment, amount: 1_000, reason: 'r'.repeat(500) });
  await api.delete(`/api/invoices/${await create({})}`);
  const list = async (path: string) => (await api.get(path)).json.data;
  await waitUntil('all events', async () => (await list('/api/events')).length >= 6);
  await waitUntil('an attempt', async () =>
    (await list(`/api/webhooks/${webhook}/deliveries`)).some(
      ({ attempts }: { attempts: [] }) => attempts.length > 0,
    ),
  );
  const words = (length: number) => 'Word '.repeat(length / 5).trim();
  const seller = {
    legalName: 'n'.repeat(200),
    address: { line1: 'l'.repeat(200), state: 's'.repeat(100), country: 'BT' },
    taxIds: [{ type: 'other' as const, value: 't'.repeat(50) }],
    terms: words(2000),
    footer: 'f'.repeat(500),
    signatory: 's'.repeat(100),
  };
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, seller);
  const [{ id: event }] = await list('/api/events');
  const delivery = (await list(`/api/webhooks/${webhook}/deliveries`)).at(-1).id;
  const { readMembers } = await import('../../shared/domain/users/member-store.ts');
  const { members } = await readMembers(account.accountId);
  const member = members.at(-1)?.user ?? '';
  const texts = { reference: 'r'.repeat(255), text: 't'.repeat(500), name: 'n'.repeat(200) };
  const bank = { bank: 'b'.repeat(100), currency: 'USD' };
  const rows = [{ day: '2026-03-31', amount: 999_999_999_999, ...texts }];
  const statement = (await api.post('/api/statements', { ...bank, rows })).json.id;
  const row = (await list(`/api/statements/${statement}/rows`))[0].id;
  const exported = (await api.post('/api/exports', { kind: 'payments', filters: { currency: 'BTN' } })).json
    .id;
  await waitUntil(
    'the files',
    async () => (await api.get(`/api/exports/${exported}`)).json.status !== 'running',
  );
  return {
    statement,
    row,
    customer,
    draft,
    product,
    schedule,
    stopped,
    invoice,
    lines,
    claimed,
    paid,
    payment,
    webhook,
    delivery,
    event,
    exported,
    member,
  };
}

/** Adds an invitation that has ended. Returns the path of its link. */
async function addEndedInvitation(): Promise<string> {
  const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
  const { addInvitation, invitationTokenOf } = await import('../../shared/domain/users/members.ts');
  const { invitationPath } = await import('../../shared/domain/users/dashboard-paths.ts');
  const token = invitationTokenOf(Buffer.alloc(20, 7));
  const invited = { token, email: 'guest@example.com', role: 'viewer' } as const;
  const { accountId } = await newAccount(stack.baseUrl);
  await changeMembers(accountId, (current) => addInvitation(current, invited, Date.now() - 200 * hour));
  return invitationPath(accountId, token);
}

interface Shown {
  readonly name: string;
  readonly path: string;
  /** 200 if absent. */
  readonly status?: number;
  /** Uses the page after it was opened. Returns when the page to check is shown. */
  readonly use?: (page: Page) => Promise<unknown>;
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
/** Asks for another line. A page that is opened at a fragment begins there for the keyboard, so this leaves the fragment out. */
const addLine = async (page: Page) => {
  await page.evaluate(
    "for (const each of document.querySelectorAll('[formaction]')) each.removeAttribute('formaction')",
  );
  await press('Add a line')(page);
};
/** Sends an invoice with a line that has no quantity. The account has a seller profile, so the lines are open. */
const sendWrongLine = async (page: Page) => {
  await page.getByLabel('Description of line 1').fill('Tea');
  await page.getByLabel('Quantity of line 1').fill('');
  await press('Create invoice')(page);
};
const breakToken = (page: Page) =>
  page.evaluate("for (const field of document.getElementsByName('csrf')) field.value = 'x'");

/** The pages of an owner. */
function ownersPages(): Shown[] {
  const {
    customer,
    draft,
    product,
    schedule,
    stopped,
    invoice,
    lines,
    claimed,
    paid,
    payment,
    webhook,
    delivery,
    event,
    exported,
    member,
  } = ids;
  const { statement, row } = ids;
  const settings = '/settings';
  const pages = [
    ['overview', ''],
    ['invoices', '/invoices'],
    ['invoices-second-page', '/invoices?limit=1&offset=1'],
    ['invoices-none-match', '/invoices?status=overdue'],
    ['invoices-wrong-filter', '/invoices?status=lost'],
    ['invoices-selected', `/invoices/selected?id=${invoice}&id=${paid}`],
    ['invoice-new', '/invoices/new'],
    ['invoice', `/invoices/${invoice}`],
    ['invoice-with-lines', `/invoices/${lines}`],
    ['invoice-edit', `/invoices/${invoice}/edit`],
    ['invoice-replace', `/invoices/${invoice}/replace`],
    ['invoice-cancel', `/invoices/${invoice}/cancel`],
    ['invoice-payment', `/invoices/${invoice}/payment`],
    ['invoice-send', `/invoices/${invoice}/send`],
    ['invoice-claimed', `/invoices/${claimed}`],
    ['invoice-paid', `/invoices/${paid}`],
    ['drafts', '/drafts'],
    ...['', '/edit', '/delete', '/finalize'].map((form) => [
      `draft${form.replace('/', '-')}`,
      `/drafts/${draft}${form}`,
    ]),
    ['schedules', '/schedules'],
    ['schedule-new', `/schedules/new?from=${invoice}`],
    ['schedule-stopped', `/schedules/${stopped}`],
    ...['', '/edit', '/end'].map((form) => [
      `schedule${form.replace('/', '-')}`,
      `/schedules/${schedule}${form}`,
    ]),
    ['payments', '/payments'],
    ['payment', `/payments/${payment}`],
    ['refund', `/payments/${payment}/refund`],
    ['refunds', '/refunds'],
    ['exports', '/exports'],
    ['export-kinds', '/exports/new'],
    ['export-new', '/exports/new?kind=refunds'],
    ['export', `/exports/${exported}`],
    ['mails', '/mails'],
    ['mail-preview', '/mails/preview'],
    ['mail-to-merchant', '/mails/preview?kind=disputed'],
    ['payment-page-preview', '/payment-page/BTN'],
    ['bank-statements', '/bank-statements'],
    ['bank-statement-new', '/bank-statements/new'],
    ['bank-statement', `/bank-statements/${statement}`],
    ['bank-statement-row', `/bank-statements/${statement}/rows/${row}`],
    ['products', '/products'],
    ['product-new', '/products/new'],
    ['product', `/products/${product}`],
    ['product-edit', `/products/${product}/edit`],
    ['product-delete', `/products/${product}/delete`],
    ['customers', '/customers'],
    ['customers-none-match', '/customers?email=nobody'],
    ['customer-new', '/customers/new'],
    ['customer', `/customers/${customer}`],
    ['customer-edit', `/customers/${customer}/edit`],
    ['customer-delete', `/customers/${customer}/delete`],
    ['webhooks', '/webhooks'],
    ['webhook-new', '/webhooks/new'],
    ['webhook', `/webhooks/${webhook}`],
    ...['edit', 'delete', 'rotate-secret', 'recover'].map((form) => [
      `webhook-${form}`,
      `/webhooks/${webhook}/${form}`,
    ]),
    ['delivery', `/webhooks/${webhook}/deliveries/${delivery}`],
    ['events', '/events'],
    ['event', `/events/${event}`],
    ['clock', '/clock'],
    ['settings', settings],
    ['keys', `${settings}/keys`],
    ['key-new', `${settings}/keys/new`],
    ['account', `${settings}/account`],
    ['account-edit', `${settings}/account/edit`],
    ['seller', `${settings}/invoices`],
    ['seller-edit', `${settings}/invoices/edit`],
    ['members', `${settings}/members`],
    ['member', `${settings}/members/${member}`],
    ['audit-log', `${settings}/audit-log`],
  ] as [string, string][];
  const of = (shown: Shown): Shown => ({ ...shown, path: account.path(shown.path) });
  return [
    ...pages.map(([name, path]) => of({ name, path })),
    of({ name: 'invoice-wrong', path: '/invoices/new', use: press('Create invoice'), status: 400 }),
    of({ name: 'invoice-lines', path: `/invoices/${lines}/edit`, use: addLine }),
    of({ name: 'invoice-lines-wrong', path: '/invoices/new', status: 400, use: sendWrongLine }),
    of({ name: 'customer-wrong', path: '/customers/new', use: press('Create customer'), status: 400 }),
    { name: 'seller-wrong', path: empty.path('/settings/invoices/edit'), use: press('Save'), status: 400 },
    of({ name: 'clock-wrong', path: '/clock', use: press('Move the clock'), status: 400 }),
    of({ name: 'webhook-tested', path: `/webhooks/${webhook}`, use: press('Send test event') }),
    of({
      name: 'key-revoke',
      path: `${settings}/keys`,
      use: (page) => page.locator('a[href$="/revoke"]').first().click(),
    }),
    of({
      name: 'no-csrf',
      path: '/invoices/new',
      status: 403,
      use: async (page) => {
        await breakToken(page);
        await press('Create invoice')(page);
      },
    }),
    of({ name: 'no-record', path: '/invoices/inv_1', status: 404 }),
    { name: 'live-overview', path: account.path('', 'live') },
    ...[
      '',
      '/invoices',
      '/drafts',
      '/payments',
      '/bank-statements',
      '/refunds',
      '/customers',
      '/webhooks',
      '/events',
      '/settings/audit-log',
      '/settings/invoices',
      '/mails',
    ].map((path) => ({
      name: `empty${path.replaceAll('/', '-')}`,
      path: empty.path(path),
    })),
    { name: 'accounts', path: '/accounts' },
    { name: 'sessions', path: '/sign-in/sessions' },
    { name: 'no-page', path: '/nowhere', status: 404 },
    { name: 'invitation-ended', path: invitation, status: 403 },
  ];
}

/** Pages without a session, or with one that is not enough. */
function refusedPages(): (Shown & { readonly session?: 'viewer' | 'old' })[] {
  const { webhook } = ids;
  return [
    { name: 'sign-in', path: '/sign-in?notice=signed_out' },
    { name: 'sign-in-failed', path: '/sign-in/callback?state=x', status: 400 },
    { name: 'role-refused', path: account.path('/settings/audit-log'), status: 403, session: 'viewer' },
    { name: 'viewer-webhook', path: account.path(`/webhooks/${webhook}`), session: 'viewer' },
    {
      name: 'sign-in-again',
      path: account.path('/settings/account/edit', 'live'),
      status: 403,
      session: 'old',
    },
    {
      name: 'session-ended',
      path: account.path('/invoices/new'),
      status: 403,
      session: 'old',
      use: async (page) => {
        await page.context().clearCookies();
        await press('Create invoice')(page);
      },
    },
  ];
}

browserTest(
  isExhaustive
    ? 'every page has no accessibility violation in light and in dark, and fits a phone and a wide screen'
    : 'every page fits a phone, and one of each kind has no accessibility violation',
  async () => {
    const open = async (session?: 'owner' | 'viewer' | 'old') => {
      const page = await browser.open({ bypassCSP: true });
      const age = session === 'old' ? hour : 0;
      if (session) await signInBrowser(page.context(), stack, session === 'viewer' ? session : 'owner', age);
      return page;
    };
    const owner = await open('owner');
    const problems: string[] = [];
    for (const shown of ownersPages()) problems.push(...(await problemsOf(owner, shown)));
    for (const { session, ...shown } of refusedPages()) {
      const page = await open(session);
      problems.push(...(await problemsOf(page, shown)));
      await page.context().close();
    }
    expect(problems).toEqual([]);
  },
);

async function problemsOf(page: Page, { name, path, status = 200, use }: Shown): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  let answer = await page.goto(`${stack.dashboard?.url}${path}`);
  if (use) {
    const answering = page.waitForResponse((response) => response.request().isNavigationRequest());
    await Promise.all([answering, use(page)]);
    answer = await answering;
    await page.waitForLoadState();
  }
  const problems: string[] = [];
  if (answer?.status() !== status) problems.push(`status ${answer?.status()}`);
  if (isExhaustive || examined.includes(name)) problems.push(...(await violationsOf(page)));
  problems.push(...(await widthProblemsOf(page, phone)));
  if (isExhaustive) problems.push(...(await moreProblemsOf(page, name)));
  return problems.map((problem) => `${name}: ${problem}`);
}

async function widthProblemsOf(page: Page, viewport: typeof phone): Promise<string[]> {
  await page.setViewportSize(viewport);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  return width > viewport.width ? [`${width} pixels wide at ${viewport.width}`] : [];
}

/** Checks the page with the keyboard, and each size in each color scheme. */
async function moreProblemsOf(page: Page, name: string): Promise<string[]> {
  const problems = await keyboardProblemsOf(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [phone, wide]) {
      problems.push(...(await widthProblemsOf(page, viewport)));
      const { SCREENSHOTS } = process.env;
      if (SCREENSHOTS)
        await page.screenshot({
          path: `${SCREENSHOTS}/${name}-${viewport.width}-${colorScheme}.png`,
          fullPage: true,
        });
    }
  }
  return [...problems, ...(await violationsOf(page))];
}

/** Describes what the tabulator key can reach, in the order of the page. A group of radio buttons is one stop. */
const stopsOfPage = `[...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex="0"]')]
  .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && each.type !== 'hidden' && (each.type !== 'radio' || each.checked))
  .map((each, index) => { each.dataset.stop = String(index); return each.outerHTML.slice(0, 90); })`;

/** Returns the number of the stop that has the focus, whether the focus can be seen, and whether it is in a frame. */
const focusOfPage = `(() => {
  const focused = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { left, top, right } = focused.getBoundingClientRect();
  const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && right > 0 && left < innerWidth && top < innerHeight;
  return { stop: focused.dataset.stop, isSeen, isInFrame: focused.tagName === 'IFRAME' };
})()`;

/** Walks through a page with the tabulator key: it reaches everything in the order of the page, with a visible focus. */
async function keyboardProblemsOf(page: Page): Promise<string[]> {
  const stops = await page.evaluate<string[]>(stopsOfPage);
  // A field with an error may have the focus already.
  await page.evaluate('document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)');
  const problems: string[] = [];
  const moveFocus = async () => {
    await page.keyboard.press('Tab');
    return page.evaluate<{ stop?: string; isSeen: boolean; isInFrame: boolean }>(focusOfPage);
  };
  for (const [index, stop] of stops.entries()) {
    let focus = await moveFocus();
    // A date and a time have parts, and each is a stop.
    for (let part = 0; part < 7 && focus.stop === String(index - 1); part++) focus = await moveFocus();
    // A mail in a frame has links of its own.
    for (let link = 0; link < 7 && focus.isInFrame; link++) focus = await moveFocus();
    if (focus.stop !== String(index)) return [`the focus is at ${focus.stop}, not at ${index}: ${stop}`];
    if (!focus.isSeen) problems.push(`no visible focus: ${stop}`);
  }
  return problems;
}
