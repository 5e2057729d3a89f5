/**
 * Sends every form of the dashboard without each of its fields, with each field twice, with unknown choices and with a card
 * number in each text. All of these are refused and change nothing, so the unchanged form works afterwards.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { bankStatementActions } from '../../shared/web/dashboard/bank-statements/bank-statement-actions.ts';
import { clockActions } from '../../shared/web/dashboard/clock/clock-actions.ts';
import { customerActions } from '../../shared/web/dashboard/customers/customer-actions.ts';
import type { DashboardAction } from '../../shared/web/dashboard/definitions.ts';
import { exportActions } from '../../shared/web/dashboard/exports/export-actions.ts';
import { draftActions } from '../../shared/web/dashboard/invoices/draft-actions.ts';
import { invoiceActions } from '../../shared/web/dashboard/invoices/invoice-actions.ts';
import { keyActions } from '../../shared/web/dashboard/keys/key-actions.ts';
import { memberActions } from '../../shared/web/dashboard/members/member-actions.ts';
import { refundAction } from '../../shared/web/dashboard/payments/refund-action.ts';
import { voidAction } from '../../shared/web/dashboard/payments/void-action.ts';
import { productActions } from '../../shared/web/dashboard/products/product-actions.ts';
import { providerActions } from '../../shared/web/dashboard/providers/provider-actions.ts';
import { scheduleActions } from '../../shared/web/dashboard/schedules/schedule-actions.ts';
import { sellerAction } from '../../shared/web/dashboard/seller/seller-action.ts';
import { accountAction } from '../../shared/web/dashboard/settings/account-action.ts';
import { webhookActions } from '../../shared/web/dashboard/webhooks/webhook-actions.ts';
import { webhookSends } from '../../shared/web/dashboard/webhooks/webhook-sends.ts';
import { createClaimed, createPartPayment } from '../contract/examples.ts';
import { futureSchedule } from '../infra/schedule-calls.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import {
  formsOf,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { switchMailsOn } from '../support/mails.ts';
import { png } from '../support/pictures.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

const actions: readonly DashboardAction[] = [
  ...bankStatementActions,
  ...clockActions,
  ...customerActions,
  ...draftActions,
  ...exportActions,
  ...invoiceActions,
  ...keyActions,
  ...memberActions,
  ...productActions,
  ...providerActions,
  ...scheduleActions,
  ...webhookActions,
  ...webhookSends,
  accountAction,
  refundAction,
  voidAction,
  sellerAction,
];
const actionsWithFields = actions.filter(
  ({ fields = [], optionalFields = [] }) => fields.length + optionalFields.length > 0,
);

interface Form {
  /** What makes the form valid, in addition to what its page shows. */
  readonly values?: Readonly<Record<string, string>>;
  /** The texts that people type, each with a value that contains a card number. All other texts are identifiers. */
  readonly cards?: Readonly<Record<string, string>>;
  /** The page with the form, if it is not that of the action. */
  readonly page?: string;
  /** The path and the fields of the form that leads to the form. */
  readonly after?: readonly [path: string, fields: Readonly<Record<string, string>>];
}

const card = '4242 4242 4242 4242';
const customerCards = { name: card, line1: card, line2: card, city: card, state: card, postalCode: card };
const metadata = `note=${card}`;
const buyerCards = {
  buyerName: card,
  buyerLine1: card,
  buyerLine2: card,
  buyerCity: card,
  buyerState: card,
  buyerPostalCode: card,
  deliveryLine1: card,
  deliveryLine2: card,
  deliveryCity: card,
  deliveryState: card,
  deliveryPostalCode: card,
};
const invoiceCards = { description: card, lineDescription: card, lineUnit: card, metadata, ...buyerCards };

const bankFile = Buffer.from('Date,Text,Amount\n31/03/2026,Tea,5.00\n').toString('base64');
const bankUpload = { bank: 'Bank of Bhutan', currency: 'BTN', file: bankFile };
const members = '/settings/members';
/** The forms, by the path of their action. */
const forms: Readonly<Record<string, Form>> = {
  '/bank-statements/new': { values: bankUpload, cards: { bank: card } },
  '/bank-statements/import': { after: ['/bank-statements/new', bankUpload] },
  '/bank-statements/:id/rows/:row/match': { page: '/bank-statements/:id/rows/:row' },
  '/bank-statements/:id/rows/:row/payment': { page: '/bank-statements/:recorded' },
  '/bank-statements/:id/rows/:row/refund': { page: '/bank-statements/:returned' },
  '/clock/forward': { page: '/clock', values: { advanceSeconds: '3600' } },
  '/clock/to': { page: '/clock', values: { to: new Date(Date.now() + 864e6).toISOString().slice(0, 16) } },
  '/customers/new': { values: { name: 'Dorji' }, cards: { ...customerCards, metadata } },
  '/customers/:id/reminders': { page: '/customers/:id' },
  '/customers/:id/edit': { cards: { ...customerCards, metadata } },
  '/drafts/:id/edit': { cards: invoiceCards },
  '/drafts/:id/finalize': {},
  '/exports/new': { page: '/exports/new?kind=refunds' },
  '/invoices/new': {
    values: { customerId: 'a@example.com', amount: '5', currency: 'BTN', description: 'Tea' },
    cards: invoiceCards,
  },
  '/invoices/:id/edit': { cards: invoiceCards },
  '/invoices/:id/replace': { cards: invoiceCards },
  '/invoices/:id/payment': {
    values: { reference: 'Receipt 17', receivedOn: '2026-01-02', bank: 'Cash' },
    cards: { reference: card, bank: card, note: card },
  },
  '/invoices/:id/claim/confirm': { page: '/invoices/:claimed' },
  '/invoices/:id/claim/reject': {
    page: '/invoices/:doubted',
    values: { reason: 'No such transfer' },
    cards: { reason: card },
  },
  '/invoices/:id/reminders': { page: '/invoices/:id' },
  '/invoices/selected/send': { page: '/invoices/selected?id=:id' },
  '/invoices/selected/remind': { page: '/invoices/selected?id=:id' },
  '/invoices/selected/cancel': { page: '/invoices/selected?id=:id' },
  '/invoices/:id/send': { values: { to: 'dorji@example.bt' }, cards: { message: card } },
  '/payments/:id/refund': { values: { amount: '1' }, cards: { reason: card } },
  '/payments/:id/void': { values: { reason: 'Typed by mistake' }, cards: { reason: card } },
  '/products/new': {
    values: { name: 'Tea', priceBTN: '5' },
    cards: { name: card, description: card, unit: card },
  },
  '/products/:id/edit': { cards: { name: card, description: card, unit: card } },
  '/schedules/new': {
    values: {
      startOn: '2099-01-31',
      customerId: 'a@example.com',
      amount: '5',
      currency: 'BTN',
      description: 'Tea',
    },
    cards: invoiceCards,
  },
  '/schedules/:id/edit': { cards: invoiceCards },
  '/schedules/:id/run': { page: '/schedules/:id' },
  '/schedules/:id/skip': { page: '/schedules/:id' },
  '/schedules/:id/pause': { page: '/schedules/:id' },
  '/schedules/:id/resume': { page: '/schedules/:id' },
  '/schedules/:id/end': {},
  '/settings/account/edit': {
    cards: {
      name: card,
      displayName: card,
      contact: card,
      address: card,
      paymentInstructions: card,
      paymentInstructionsBtn: card,
      paymentInstructionsUsd: card,
      paymentInstructionsInr: card,
      mailName: card,
    },
  },
  '/settings/invoices/edit': {
    values: { legalName: 'Druk Crafts', country: 'BT' },
    cards: {
      legalName: card,
      line1: card,
      line2: card,
      city: card,
      state: card,
      postalCode: card,
      terms: card,
      footer: card,
      signatory: card,
      taxes: `own_a 3 2026-01-01 ${card}`,
    },
  },
  '/settings/keys/new': { values: { name: 'Shop' }, cards: { name: card, note: card } },
  '/settings/keys/:key/edit': { cards: { name: card, note: card } },
  '/settings/keys/:key/roll-over': { values: { overlapHours: '1' } },
  [`${members}/invitations`]: { page: members, values: { email: 'new@example.com', role: 'viewer' } },
  [`${members}/invitations/withdraw`]: { page: members },
  [`${members}/:user/role`]: { page: `${members}/:user`, values: { role: 'developer' } },
  '/settings/providers/:provider/connect': {},
  '/settings/providers/:provider/rotate': {},
  '/webhooks/new': {
    values: { url: 'https://example.com/', events: '*' },
    cards: {
      url: 'https://example.com/4242424242424242',
      description: card,
      filters: `data.metadata.note = ${card}`,
    },
  },
  '/webhooks/:id/edit': {
    values: { events: '*' },
    cards: {
      url: 'https://example.com/4242424242424242',
      description: card,
      filters: `data.metadata.note = ${card}`,
    },
  },
  '/webhooks/:id/rotate-secret': { values: { overlapHours: '1' } },
  '/webhooks/:id/recover': { values: { since: '2026-01-31T00:00:00Z' } },
};

/** The texts that a card number may look like: they have a form of their own, or another system chose them. */
const identifiers = [
  'amount',
  'apiKey',
  'buyerTaxIds',
  'color',
  'allowedAddresses',
  'count',
  'country',
  'creditNoteDigits',
  'creditNoteNext',
  'creditNotePrefix',
  'receiptDigits',
  'receiptNext',
  'receiptPrefix',
  'customerId',
  'day',
  'deliveryCountry',
  'discount',
  'dueDate',
  'dueInDays',
  'email',
  'endOn',
  'every',
  'expiresOn',
  'file',
  'fiscalYearStart',
  'from',
  'invoice',
  'invoiceDigits',
  'invoiceId',
  'invoiceNext',
  'invoicePrefix',
  'lineDiscount',
  'lineProductCode',
  'lineQuantity',
  'lineTaxPercent',
  'lineUnitPrice',
  'logo',
  'mailDaysOff',
  'mailNotices',
  'mailNoticesTo',
  'mailReminderHour',
  'mailReminders',
  'mailReplyTo',
  'maximumINR',
  'maximumUSD',
  'notificationSecret',
  'overlapHours',
  'payLinkDays',
  'paymentId',
  'paymentDays',
  'paymentQr',
  'phone',
  'priceBTN',
  'priceINR',
  'priceUSD',
  'productCode',
  'reference',
  'since',
  'startOn',
  'taxIds',
  'timeZone',
  'to',
  'upiId',
  'writeOffPercent',
  'receivedOn',
  'writeOff',
];

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;
let double: Awaited<ReturnType<typeof startStripeDouble>>;
/** The parts of paths, by the path before them. */
let parts: Readonly<Record<string, string>>;
let valuesHere: Readonly<Record<string, Readonly<Record<string, string>>>>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  double = await startStripeDouble();
  process.env.STRIPE_API_URL = double.url;
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  // Only an account in India has the fields of its GST, and only a form with a logo offers to remove it.
  const logo = { data: png().toString('base64') };
  const address = { line1: '1 MG Road', state: 'Karnataka', country: 'IN' };
  const seller = { legalName: 'Bengaluru Tea', address, logo, writeOffPercent: 10 };
  await changeSeller(account.accountId, seller);
  await switchMailsOn(account.accountId);
  const api = account.test;
  const create = async (path: string, body: object) => (await api.post(path, body)).json.id as string;
  const invoice = await create('/api/invoices', invoiceBody());
  const paid = await create('/api/invoices', invoiceBody());
  const payment = await create('/api/payments', { invoiceId: paid, method: 'offline' });
  const part = await createPartPayment(api);
  const customer = await create('/api/customers', { name: 'Pema' });
  const webhook = await create('/api/webhooks', { url: 'https://example.com/', events: ['*'] });
  await owner.submit(await owner.get(account.path(members)), '/invitations', {
    email: 'invited@example.com',
    role: 'viewer',
  });
  const { readMembers } = await import('../../shared/domain/users/member-store.ts');
  const stored = await readMembers(account.accountId);
  const { listKeys } = await import('../../shared/domain/accounts/key-store.ts');
  const [key] = await listKeys({ account: account.accountId, mode: 'test' });
  const claimed = await createClaimed(api);
  const doubted = await createClaimed(api);
  const rows = [
    { day: '2026-03-31', amount: 5 },
    { day: '2026-03-31', amount: 6, reference: 'Row 6' },
    { day: new Date().toISOString().slice(0, 10), amount: -1 },
  ];
  const statement = await create('/api/statements', { bank: 'Bank', currency: 'USD', rows });
  await create('/api/refunds', { paymentId: payment, amount: 1 });
  const [row, ofRecorded, ofRefund] = (await api.get(`/api/statements/${statement}/rows`)).json.data;
  const recorded = await create('/api/invoices', invoiceBody({ amount: 6 }));
  await create('/api/payments', { invoiceId: recorded, method: 'offline', reference: 'Row 6' });
  parts = {
    '/bank-statements/:id/rows/:row/payment': `${statement}/rows/${ofRecorded.id}`,
    '/bank-statements/:id/rows/:row/refund': `${statement}/rows/${ofRefund.id}`,
    '/bank-statements/:returned': `${statement}/rows/${ofRefund.id}`,
    '/bank-statements/:recorded': `${statement}/rows/${ofRecorded.id}`,
    '/bank-statements/:id/rows/:row': `${statement}/rows/${row.id}`,
    '/customers/:id': customer,
    '/drafts/:id': await create('/api/drafts', invoiceBody()),
    '/invoices/selected?id=:id': await create('/api/invoices', invoiceBody()),
    // Only an open invoice has the choice of a reminder.
    '/invoices/:id/send': await create('/api/invoices', invoiceBody()),
    // A replaced invoice has no more forms.
    '/invoices/:id/replace': await create('/api/invoices', invoiceBody()),
    // Before the part that begins with the same letters.
    '/invoices/:id/reminders': invoice,
    '/invoices/:id/claim/confirm': claimed.id,
    '/invoices/:claimed': claimed.id,
    '/invoices/:id/claim/reject': doubted.id,
    '/invoices/:doubted': doubted.id,
    '/invoices/:id': invoice,
    '/payments/:id/void': part,
    '/payments/:id': payment,
    '/products/:id': await create('/api/products', { name: 'Tea', unitAmounts: { BTN: 500 } }),
    '/schedules/:id/end': await create('/api/schedules', futureSchedule()),
    '/schedules/:id': await create('/api/schedules', futureSchedule()),
    '/webhooks/:id': webhook,
    '/settings/keys/:key': key?.keyId ?? '',
    [`${members}/:user`]: stored.members.find(({ role }) => role === 'viewer')?.user ?? '',
    '/settings/providers/:provider': 'stripe',
  };
  const { apiKey, notificationSecrets } = double.credentials.test;
  const credentials = { apiKey, notificationSecret: notificationSecrets[0] ?? '' };
  const payable = await create('/api/invoices', invoiceBody({ amount: 5 }));
  valuesHere = {
    '/bank-statements/:id/rows/:row/match': { invoice: payable },
    [`${members}/invitations/withdraw`]: { invitation: stored.invitations[0]?.id ?? '' },
    '/settings/providers/:provider/connect': { ...credentials, currencies: 'USD' },
    '/settings/providers/:provider/rotate': { ...credentials, notificationSecret: 'whsec_another_secret' },
  };
});
afterAll(async () => {
  delete process.env.STRIPE_API_URL;
  await double?.close();
  await stack?.close();
});

/** Puts the ids into a path. */
function withParts(path: string): string {
  const place = Object.keys(parts).find((each) => path.startsWith(each));
  return place ? path.replace(place, place.replace(/:\w+(\/rows\/:\w+)?/, parts[place] ?? '')) : path;
}

interface Input {
  readonly name: string;
  readonly kind: 'hidden' | 'text' | 'choice' | 'checkbox';
}

/** Returns the inputs of a form, without those that every form has. */
function inputsOf(page: VisitedPage, action: string): Input[] {
  const form =
    new RegExp(`<form method="post" action="${action}"[\\s\\S]*?</form>`).exec(page.text)?.[0] ?? '';
  const inputs = new Map<string, Input>();
  for (const [tag, element] of form.matchAll(/<(input|textarea|select|button)\b[^>]*>/g)) {
    const [, name] = /\bname="([^"]*)"/.exec(tag) ?? [];
    const [, type = 'text'] = /\btype="([^"]*)"/.exec(tag) ?? [];
    if (name === undefined || ['csrf', 'sender', 'attempt'].includes(name)) continue;
    const isChoice = element === 'select' || element === 'button' || type === 'radio';
    const kind = isChoice ? 'choice' : type === 'hidden' || type === 'checkbox' ? type : 'text';
    inputs.set(name, { name, kind });
  }
  return [...inputs.values()];
}

interface OpenForm {
  readonly inputs: readonly Input[];
  readonly valid: Readonly<Record<string, string>>;
  send(fields: Readonly<Record<string, string>> | [string, string][]): Promise<VisitedPage>;
}

async function openForm(path: string): Promise<OpenForm> {
  const { values, page: pagePath = path, after } = forms[path] ?? {};
  const action = account.path(withParts(path));
  // The page of a clock that still moves has no forms, and opens itself again.
  const { page, form } = await waitUntil(`there is a form ${action}`, async () => {
    const before = after && (await owner.get(account.path(after[0])));
    const page =
      after && before
        ? await owner.submit(before, after[0], after[1])
        : await owner.get(account.path(withParts(pagePath)));
    const form = formsOf(page).find((each) => each.action.endsWith(action));
    return form && { page, form };
  });
  return {
    inputs: inputsOf(page, form.action),
    valid: { ...form.initial, ...values, ...valuesHere[path] },
    send: (fields) => owner.post(form.action, fields),
  };
}

const without = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));

test('every form with fields is here', () => {
  expect(actionsWithFields.map(({ path }) => path).sort()).toEqual(Object.keys(forms).sort());
});

test.each(actionsWithFields.map((action) => [action.path, action] as const))(
  '%s',
  async (path, { fields = [], optionalFields = [] }) => {
    const { inputs, valid, send } = await openForm(path);
    expect(inputs.map(({ name }) => name).sort()).toEqual([...fields, ...optionalFields].sort());

    for (const name of fields) {
      const missing = await send(without(valid, name));
      expect([name, missing.status, headingOf(missing)]).toEqual([name, 400, 'This form is incomplete']);
      const twice = await send([...Object.entries(valid), [name, valid[name] ?? '']]);
      expect([name, twice.status, headingOf(twice)]).toEqual([name, 400, 'This form is incomplete']);
    }

    for (const { name } of inputs.filter(({ kind }) => kind === 'choice' || kind === 'checkbox')) {
      for (const value of ['', 'unknown', `x${valid[name]}`]) {
        if (value === valid[name]) continue;
        const unknown = await send({ ...valid, [name]: value });
        expect([name, value, unknown.status]).toEqual([name, value, 400]);
      }
    }

    const { cards = {} } = forms[path] ?? {};
    for (const [name, text] of Object.entries(cards)) {
      const refused = await send({ ...valid, [name]: text });
      expect([name, refused.status]).toEqual([name, 400]);
      expect(refused.text).toContain('must not contain a card number');
    }
    const others = inputs.filter(({ name, kind }) => kind === 'text' && !Object.hasOwn(cards, name));
    expect(others.filter(({ name }) => !identifiers.includes(name))).toEqual([]);

    const done = await send(valid);
    expect([
      path,
      [200, 303].includes(done.status) ? 'done' : `${done.status} ${/class="wrong"[^<]*/.exec(done.text)}`,
    ]).toEqual([path, 'done']);
  },
);
