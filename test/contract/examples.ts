/**
 * Lists the endpoints for the contract tests, with one successful request for each. The route table contains everything else
 * that these tests need.
 */

import { randomUUID } from 'node:crypto';
import { type Route, routes } from '../../shared/api/routes.ts';
import { realClock } from '../../shared/base/clock.ts';
import { idPrefixes, type Mode, modes, randomCheckoutId } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { type Permission, permissions } from '../../shared/domain/auth/permissions.ts';
import type { Invoice } from '../../shared/domain/invoices/invoice.ts';
import { readInvoiceOfAnyAccount } from '../../shared/domain/invoices/invoice-store.ts';
import type { Checkout } from '../../shared/domain/payments/checkouts/checkout.ts';
import { absentCheckout } from '../../shared/domain/payments/checkouts/record.ts';
import { completeCheckout } from '../../shared/domain/payments/checkouts/settled-changes.ts';
import { openCheckout } from '../../shared/domain/payments/checkouts/transitions.ts';
import type { Payment } from '../../shared/domain/payments/payment.ts';
import { absentPayment, identifyPayment } from '../../shared/domain/payments/payment-store.ts';
import { accountStateAttributes, hourOf } from '../../shared/store/account-state.ts';
import { Command } from '../../shared/store/commit/command.ts';
import { commitInBackground } from '../../shared/store/commit/commit.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { allocateSequenceNumber } from '../../shared/store/sequence-numbers.ts';
import { type Api, apiOf, invoiceBody, type TestAccount } from '../support/api.ts';
import { claimFormOf } from '../support/claims.ts';
import { switchMailsOn } from '../support/mails.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { isExhaustive } from '../support/run.ts';
import { createStatement, statementBody } from '../support/statements.ts';
import { uploadFile } from '../support/upload-file.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface Endpoint {
  readonly name: keyof typeof routes;
  readonly route: Route;
  readonly method: string;
  /** Every path parameter is a well-formed ID that does not exist. The catch-all route has a path without a route. */
  readonly path: string;
}

interface Example {
  readonly path: string;
  readonly body?: unknown;
}

/** All routes under `/api/`, and the catch-all route. */
export const endpoints: readonly Endpoint[] = Object.entries<Route>(routes)
  .filter(([, { method, path }]) => method === 'ANY' || path.startsWith('/api/'))
  .map(([name, route]) => ({
    name: name as keyof typeof routes,
    route,
    method: route.method === 'ANY' ? 'GET' : route.method,
    path: route.method === 'ANY' ? '/api/no-such-thing' : withUnknownIds(route.path),
  }));

/** Returns a row of `describe.each` for each endpoint that matches `filter`. */
export function rowsOf(filter: (endpoint: Endpoint) => boolean): [string, Endpoint][] {
  return endpoints
    .filter(filter)
    .map((endpoint) => [`${endpoint.route.method} ${endpoint.route.path}`, endpoint]);
}

/**
 * Returns rows as `rowsOf`, for rules that one implementation keeps for all routes. A run that is not exhaustive tests such rules
 * with one route of each method.
 */
export function sampledRowsOf(filter: (endpoint: Endpoint) => boolean): [string, Endpoint][] {
  const rows = rowsOf(filter);
  if (isExhaustive) return rows;
  const methodOf = ([, { route }]: [string, Endpoint]) => route.method;
  return rows.filter((row, index) => rows.findIndex((other) => methodOf(other) === methodOf(row)) === index);
}

// Filters for `rowsOf`.
export const serves = ({ route }: Endpoint) => route.method !== 'ANY';
export const hasId = ({ route }: Endpoint) => serves({ route } as Endpoint) && route.path.includes('{');
export const changes = (endpoint: Endpoint) => serves(endpoint) && endpoint.route.method !== 'GET';

/** Creates the resources that the request needs, and returns the request. */
export async function exampleOf({ name }: Endpoint, api: Api): Promise<Example> {
  const example = examples[name as keyof typeof examples];
  if (!example) throw new Error(`${name} has no example. Add one to test/contract/examples.ts.`);
  return example(api);
}

async function createInvoice(api: Api): Promise<string> {
  const { json } = await api.post('/api/invoices', invoiceBody());
  return `/api/invoices/${json.id}`;
}

async function createPayment(api: Api): Promise<string> {
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  const { json } = await api.post('/api/payments', { invoiceId: invoice.id, method: 'offline' });
  return json.id;
}

/** Creates a payment of which the provider took another amount than that of its invoice. Returns its ID. */
export async function createHeldPayment(api: Api, amount = 1500): Promise<string> {
  const { json } = await api.post('/api/invoices', invoiceBody({ amount }));
  const loaded = await readInvoiceOfAnyAccount(json.id);
  if (!loaded?.record) throw new Error('The invoice does not exist.');
  const { owner } = loaded;
  const absent = absentCheckout(owner, randomCheckoutId());
  const begun = { ...owner, id: absent.id, provider: 'stripe', returnUrl: 'https://pay.example/' } as const;
  const [opened, bound] = openCheckout(begun, loaded.record, now());
  const identity = identifyPayment(await allocateSequenceNumber(owner, 'payment'));
  const target = { checkout: opened.record, invoice: bound.record, payment: { identity } };
  const reference = `pi_${absent.id}`;
  const taken = { card: null, reference, amountMinor: json.amount + 100, refundedMinor: 0, fees: null };
  const [payment, invoice, checkout] = completeCheckout(target, taken, undefined, now());
  if (!payment || !invoice || !checkout) throw new Error('The payment is not held.');
  const heldInvoice = { ...invoice, record: { ...invoice.record, version: loaded.record.version + 1 } };
  const heldCheckout = { ...checkout, record: { ...checkout.record, version: 1 } };
  const command = new Command<[Payment, Invoice, Checkout]>(
    [absentPayment(identity), loaded, absent],
    () => ({ changes: [payment, heldInvoice, heldCheckout], answer: undefined }),
  );
  await commitInBackground(command, realClock(now()));
  return identity.id;
}

/** Creates a part payment that was received outside the service. Returns its ID. */
export async function createPartPayment(api: Api): Promise<string> {
  const newest = inNewestVersion(api);
  const invoice = invoiceBody({ amount: 250_000, acceptPartial: true });
  const { id: invoiceId } = (await newest.post('/api/invoices', invoice)).json;
  return (await newest.post('/api/payments', { invoiceId, method: 'offline', amount: 100_000 })).json.id;
}

/** Creates an invoice of a seller, and waits for its document. */
export async function createDocument(api: Api): Promise<{ id: string }> {
  const { json: first } = await api.post('/api/invoices', invoiceBody());
  const owner = (await readInvoiceOfAnyAccount(first.id))?.owner;
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(owner?.account ?? '', { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const path = `${await createInvoice(api)}/documents`;
  return waitUntil('the document is issued', async () => (await api.get(path)).json.data[0]);
}

/** Creates a draft of a whole invoice. Returns its path. */
async function createDraft(api: Api): Promise<string> {
  const body = { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Tea' };
  const { json } = await api.post('/api/drafts', body);
  return `/api/drafts/${json.id}`;
}

/** The body of a monthly schedule, whose first time is far ahead. */
export const scheduleBody = (fields: object = {}) => ({
  every: { n: 1, unit: 'month' },
  startOn: '2099-01-31',
  invoice: { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Hosting' },
  ...fields,
});

async function createSchedule(api: Api): Promise<string> {
  const { json } = await api.post('/api/schedules', scheduleBody());
  return `/api/schedules/${json.id}`;
}

/** Returns a request that sends a new invoice. An address gets three mails an hour. */
async function mailRequest(api: Api) {
  const path = await createInvoice(api);
  const owner = (await readInvoiceOfAnyAccount(path.split('/').at(-1) ?? ''))?.owner;
  await switchMailsOn(owner?.account ?? '');
  return { path: `${path}/send`, body: { to: `payer-${randomUUID()}@example.bt` } };
}

/** Sends a new invoice. Returns the id of the mail. */
async function createMail(api: Api): Promise<string> {
  const { path, body } = await mailRequest(api);
  return (await api.post(path, body)).json.id;
}

/** Creates a customer. Returns its path. */
async function createCustomer(api: Api): Promise<string> {
  const { json } = await api.post('/api/customers', { name: 'Dorji' });
  return `/api/customers/${json.id}`;
}

/** Creates a product. Returns its path. */
async function createProduct(api: Api): Promise<string> {
  const { json } = await api.post('/api/products', { name: 'Tea', unitAmounts: { BTN: 5000 } });
  return `/api/products/${json.id}`;
}

/** Creates a webhook endpoint whose URL has no server. Returns its path. */
async function createWebhook(api: Api): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', events: ['*'] };
  const { json, status, text } = await api.post('/api/webhooks', body);
  if (status !== 201) throw new Error(text);
  return `/api/webhooks/${json.id}`;
}

const sellerBody = { legalName: 'Druk Crafts', address: { country: 'BT' } };
const newKeyBody = { name: 'Shop', permissions: ['keys:write'] };

/** Creates an API key. Returns its path. */
async function createKeyPath(api: Api): Promise<string> {
  const { json, status, text } = await api.post('/api/keys', newKeyBody);
  if (status !== 201) throw new Error(text);
  return `/api/keys/${json.id}`;
}

/** Creates an account whose key of test mode names all permissions, also those that manage keys. */
export async function newAccountWithAllPermissions(baseUrl: string): Promise<TestAccount> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { accountId, keys } = await createAccount({ name: 'Test', plan: 'enterprise' });
  const [test, live] = await Promise.all(modes.map((mode) => newKey({ accountId }, { mode, permissions })));
  return {
    accountId,
    test: apiOf(baseUrl, test ?? keys.test),
    live: apiOf(baseUrl, live ?? keys.live),
  };
}

/** The contract does not include web pages and the notifications of providers. */
type OtherRoute =
  | 'receiveNotification'
  | 'docs'
  | 'getPaymentPagePdf'
  | 'getPaymentPageLogo'
  | 'showReminders'
  | 'stopReminders'
  | 'docsPages'
  | 'llms'
  | 'notFound'
  | 'openApi'
  | 'securityText'
  | 'showPaymentPage'
  | 'submitPaymentPage';

type Examples = Record<Exclude<keyof typeof routes, OtherRoute>, (api: Api) => Promise<Example>>;

const examples: Examples = {
  listInvoices: async () => ({ path: '/api/invoices' }),
  createInvoice: async () => ({ path: '/api/invoices', body: invoiceBody() }),
  getInvoice: async (api) => ({ path: await createInvoice(api) }),
  updateInvoice: async (api) => ({ path: await createInvoice(api), body: { amount: 4100 } }),
  cancelInvoice: async (api) => ({ path: await createInvoice(api) }),
  confirmClaim: async (api) => {
    const { id, claim, paymentId } = await createClaimedPart(api);
    return { path: `/api/invoices/${id}/claim/confirm`, body: { claimId: claim, paymentId } };
  },
  rejectClaim: async (api) => {
    const { id, claim } = await createClaimed(api);
    return { path: `/api/invoices/${id}/claim/reject`, body: { claimId: claim, reason: 'No such transfer' } };
  },
  replaceInvoice: async (api) => ({ path: `${await createInvoice(api)}/replace`, body: { amount: 4100 } }),
  listDrafts: async () => ({ path: '/api/drafts' }),
  createDraft: async () => ({ path: '/api/drafts', body: { customerId: 'c_7', description: 'Tea' } }),
  getDraft: async (api) => ({ path: await createDraft(api) }),
  updateDraft: async (api) => ({ path: await createDraft(api), body: { description: 'Cups' } }),
  deleteDraft: async (api) => ({ path: await createDraft(api) }),
  finalizeDraft: async (api) => ({ path: `${await createDraft(api)}/finalize` }),
  listSchedules: async () => ({ path: '/api/schedules' }),
  createSchedule: async () => ({ path: '/api/schedules', body: scheduleBody() }),
  getSchedule: async (api) => ({ path: await createSchedule(api) }),
  updateSchedule: async (api) => ({ path: await createSchedule(api), body: { status: 'paused' } }),
  skipSchedule: async (api) => ({ path: `${await createSchedule(api)}/skip` }),
  runSchedule: async (api) => ({ path: `${await createSchedule(api)}/run` }),
  previewSchedule: async (api) => ({ path: `${await createSchedule(api)}/preview` }),
  listScheduleOccurrences: async (api) => ({ path: `${await createSchedule(api)}/occurrences` }),
  listExports: async () => ({ path: '/api/exports' }),
  createExport: async (api) => {
    // An account has at most five exports at the same time.
    await waitUntil('no export runs', async () => {
      const { data } = (await api.get('/api/exports')).json;
      return (data ?? []).every(({ status }: { readonly status: string }) => status !== 'running');
    });
    return { path: '/api/exports', body: { kind: 'invoices' } };
  },
  getExport: async (api) => ({
    path: `/api/exports/${(await api.post('/api/exports', { kind: 'invoices' })).json.id}`,
  }),
  listStatements: async () => ({ path: '/api/statements' }),
  createStatement: async () => ({ path: '/api/statements', body: statementBody() }),
  getStatement: async (api) => ({ path: (await createStatement(api)).path }),
  listStatementRows: async (api) => ({ path: `${(await createStatement(api)).path}/rows` }),
  matchStatementRow: async (api) => ({
    path: `${(await createStatement(api)).row}/match`,
    body: { invoiceId: (await createInvoice(api)).split('/').at(-1) },
  }),
  linkStatementFile: async () => ({ path: '/api/statement-files/link?size=5' }),
  previewStatementFile: async (api) => {
    const file = await uploadFile(api, 'Date,Amount\n2026-03-31,25.00\n');
    return { path: `/api/statement-files/preview?file=${file}&currency=BTN` };
  },
  ignoreStatementRow: async (api) => ({ path: `${(await createStatement(api)).row}/ignore` }),
  listDocuments: async () => ({ path: '/api/documents' }),
  getDocument: async (api) => ({ path: `/api/documents/${(await createDocument(api)).id}` }),
  getDocumentPdf: async (api) => ({ path: `/api/documents/${(await createDocument(api)).id}/pdf` }),
  listInvoiceDocuments: async (api) => ({ path: `${await createInvoice(api)}/documents` }),
  sendInvoice: (api) => mailRequest(api),
  listInvoiceMails: async (api) => ({ path: `${await createInvoice(api)}/mails` }),
  listMails: async () => ({ path: '/api/mails' }),
  allowMailAddress: async (api) => ({ path: `/api/mails/${await createMail(api)}/allow-address` }),
  listPayments: async () => ({ path: '/api/payments' }),
  createPayment: async (api) => {
    const { json } = await api.post('/api/invoices', invoiceBody());
    return { path: '/api/payments', body: { invoiceId: json.id, method: 'offline' } };
  },
  getPayment: async (api) => ({ path: `/api/payments/${await createPayment(api)}` }),
  resolvePayment: async (api) => ({
    path: `/api/payments/${await createHeldPayment(api)}/resolve`,
    body: { action: 'accept' },
  }),
  voidPayment: async (api) => ({
    path: `/api/payments/${await createPartPayment(api)}/void`,
    body: { reason: 'Typed the wrong amount' },
  }),
  listRefunds: async () => ({ path: '/api/refunds' }),
  createRefund: async (api) => ({ path: '/api/refunds', body: { paymentId: await createPayment(api) } }),
  getRefund: async (api) => {
    const { json } = await api.post('/api/refunds', { paymentId: await createPayment(api) });
    return { path: `/api/refunds/${json.id}` };
  },
  listCustomers: async () => ({ path: '/api/customers' }),
  createCustomer: async () => ({
    path: '/api/customers',
    body: { name: 'Dorji', email: 'dorji@example.bt' },
  }),
  getCustomer: async (api) => ({ path: await createCustomer(api) }),
  updateCustomer: async (api) => ({ path: await createCustomer(api), body: { phone: '+975 17 123 456' } }),
  deleteCustomer: async (api) => ({ path: await createCustomer(api) }),
  listProducts: async () => ({ path: '/api/products' }),
  createProduct: async () => ({
    path: '/api/products',
    body: { name: 'Tea', unitAmounts: { BTN: 5000, USD: 70 }, tax: 'bt_gst_5' },
  }),
  getProduct: async (api) => ({ path: await createProduct(api) }),
  updateProduct: async (api) => ({ path: await createProduct(api), body: { status: 'archived' } }),
  deleteProduct: async (api) => ({ path: await createProduct(api) }),
  listEvents: async () => ({ path: '/api/events' }),
  getEvent: async (api) => {
    await createInvoice(api);
    const findEvent = async () => (await api.get('/api/events')).json.data?.[0];
    const { id } = await waitUntil('the event', findEvent);
    return { path: `/api/events/${id}` };
  },
  listWebhooks: async () => ({ path: '/api/webhooks' }),
  createWebhook: async () => ({
    path: '/api/webhooks',
    body: { url: 'http://127.0.0.1:9/', events: ['*'] },
  }),
  getWebhook: async (api) => ({ path: await createWebhook(api) }),
  updateWebhook: async (api) => ({ path: await createWebhook(api), body: { description: 'Shop' } }),
  deleteWebhook: async (api) => ({ path: await createWebhook(api) }),
  rotateWebhookSecret: async (api) => ({ path: `${await createWebhook(api)}/rotate-secret`, body: {} }),
  testWebhook: async (api) => ({ path: `${await createWebhook(api)}/test` }),
  listDeliveries: async (api) => ({ path: `${await createWebhook(api)}/deliveries` }),
  redeliver: async (api) => {
    const deliveries = `${await createWebhook(api)}/deliveries`;
    await createInvoice(api);
    const findDelivery = async () => (await api.get(deliveries)).json.data?.[0];
    const { id } = await waitUntil('the delivery', findDelivery);
    return { path: `${deliveries}/${id}/redeliver` };
  },
  startRecovery: async (api) => ({
    path: `${await createWebhook(api)}/recover`,
    body: { since: '2026-01-01T00:00:00Z' },
  }),
  listAuditLog: async () => ({ path: '/api/audit-log' }),
  listJournal: async () => ({ path: '/api/journal' }),
  getSummary: async () => ({ path: '/api/summary' }),
  getBalance: async () => ({ path: '/api/balance?customerId=dorji@example.bt' }),
  searchRecords: async () => ({ path: '/api/search?q=1250' }),
  listApiKeys: async () => ({ path: '/api/keys' }),
  createApiKey: async () => ({ path: '/api/keys', body: newKeyBody }),
  getApiKey: async (api) => ({ path: await createKeyPath(api) }),
  updateApiKey: async (api) => ({ path: await createKeyPath(api), body: { note: 'Ask Dorji' } }),
  revokeApiKey: async (api) => ({ path: await createKeyPath(api) }),
  getAccount: async () => ({ path: '/api/account' }),
  updateAccount: async () => ({ path: '/api/account', body: { seller: sellerBody } }),
  getTestClock: async () => ({ path: '/api/test/clock' }),
  moveTestClock: async () => ({ path: '/api/test/clock', body: { advanceSeconds: 60 } }),
  resetTestClock: async () => ({ path: '/api/test/clock' }),
  rollOverApiKey: async (api) => ({ path: `${await createKeyPath(api)}/roll-over`, body: {} }),
};

function withUnknownIds(path: string): string {
  return path.replace(/(\w+?)s\/\{\w+\}/g, (_, resource: string) => {
    const prefix = (idPrefixes as Record<string, string>)[resource] ?? resource;
    return `${resource}s/${prefix}_${'0'.repeat(26)}`;
  });
}

/** Creates another API key of an account and returns its value. */
export async function newKey(
  { accountId }: Pick<TestAccount, 'accountId'>,
  options: {
    permissions?: readonly Permission[];
    allowedAddresses?: readonly string[];
    expiresAt?: number;
    revoked?: boolean;
    mode?: Mode;
  } = {},
): Promise<string> {
  const { createKey, revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { revoked, mode = 'test', ...rest } = { permissions, ...options };
  const owner = { account: accountId, mode };
  const { value, keyId } = await createKey({ owner, name: 'Another', ...rest });
  if (revoked) await revokeKey(owner, keyId);
  return value;
}

export function allBut(...excepted: readonly Permission[]): Permission[] {
  return permissions.filter((other) => !excepted.includes(other));
}

const changeCharacter = (apiKey: string, at: number) => {
  const char = apiKey.at(at) === 'a' ? 'b' : 'a';
  return `${apiKey.slice(0, at)}${char}${at === -1 ? '' : apiKey.slice(at + 1)}`;
};

/** Returns values of the Authorization header that are not valid, made from a valid API key. */
export async function invalidAuthorizations(apiKey: string): Promise<Record<string, string | string[]>> {
  const { newApiKey } = await import('../../shared/domain/auth/api-key.ts');
  const neverIssued = await newApiKey({ account: 'acct_0000000000000000', mode: 'test' });
  return {
    'another scheme': `Basic ${apiKey}`,
    'another scheme, empty': 'Basic',
    'no scheme': apiKey,
    'not a key': 'Bearer nonsense',
    'a prefix only': 'Bearer sk_test_',
    'text after the key': `Bearer ${apiKey} x`,
    'a key in quotes': `Bearer "${apiKey}"`,
    'capital letters': `Bearer ${apiKey.toUpperCase()}`,
    'a truncated key': `Bearer ${apiKey.slice(0, -1)}`,
    'a wrong last character': `Bearer ${changeCharacter(apiKey, -1)}`,
    'a wrong character in the middle': `Bearer ${changeCharacter(apiKey, 40)}`,
    'the account part changed': `Bearer ${changeCharacter(apiKey, 12)}`,
    'the other mode': `Bearer ${apiKey.replace('sk_test_', 'sk_live_')}`,
    'an invented key in the correct form': `Bearer sk_test_1${'0'.repeat(54)}`,
    'a well-formed key that was never issued': `Bearer ${neverIssued}`,
    'a very long text': `Bearer sk_test_${'1'.repeat(5000)}`,
    'two different keys': [`Bearer ${apiKey}`, `Bearer ${neverIssued}`],
  };
}

export const missingAuthorizations: Record<string, string | undefined> = {
  'no header': undefined,
  'an empty header': '',
  'an empty bearer': 'Bearer',
  'an empty bearer, with spaces': 'Bearer   ',
  'an empty bearer in lower case': 'bearer',
};

/** Revokes all test keys of the account. */
export async function revokeAll(accountId: string): Promise<void> {
  const { listKeys, revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account: accountId, mode: 'test' } as const;
  for (const { keyId } of await listKeys(owner)) await revokeKey(owner, keyId);
}

/** Uses all requests of the account in this hour. */
export const exhaustRateLimit = (accountId: string): Promise<void> =>
  setInAccountState(accountId, accountStateAttributes.hour(hourOf(now())), 5000);

/** Marks the account as it is during maintenance. */
export const markMaintenance = (accountId: string): Promise<void> =>
  setInAccountState(accountId, accountStateAttributes.maintenance, true);

/** Makes the account state unreadable. */
export const damageAccountState = (accountId: string): Promise<void> =>
  setInAccountState(accountId, accountStateAttributes.clock, 'noon');

async function setInAccountState(accountId: string, name: string, value: unknown): Promise<void> {
  const [{ UpdateCommand }, { dynamodb }, { env }] = await Promise.all([
    import('@aws-sdk/lib-dynamodb'),
    import('../../shared/store/client.ts'),
    import('../../shared/base/env.ts'),
  ]);
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState({ account: accountId, mode: 'test' }),
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
}

/** Creates an invoice with an open claim, which a payer sends from the payment page. */
export async function createClaimed(api: Api): Promise<{ readonly id: string; readonly claim: string }> {
  const path = await createInvoice(api);
  const { id, paymentUrl } = (await api.get(path)).json;
  const body = new URLSearchParams(claimFormOf({ reference: id }));
  await fetch(paymentUrl, { method: 'POST', body, redirect: 'manual' });
  return { id, claim: (await inNewestVersion(api).get(path)).json.claim.id };
}

/** Creates an invoice with an open claim, and a payment of a part that can be its money. */
export async function createClaimedPart(
  api: Api,
): Promise<{ readonly id: string; readonly claim: string; readonly paymentId: string }> {
  const { id, claim } = await createClaimed(api);
  const newest = inNewestVersion(api);
  await newest.patch(`/api/invoices/${id}`, { acceptPartial: true });
  const { bank, reference } = claimFormOf({ reference: id });
  const part = { invoiceId: id, method: 'offline', amount: 1, bank, reference };
  const { json } = await newest.post('/api/payments', part);
  return { id, claim, paymentId: json.id };
}
