/**
 * Sends a request that returns a given error code, for each code. Some codes need a separate request for each operation.
 * The codes and fields are repeated here on purpose: a test with the service's own table would not find an error in that table.
 */

import { setEnvironment } from '../../infra/local/environment.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import { realClock } from '../../shared/base/clock.ts';
import { randomCheckoutId } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { alternativesOf } from '../../shared/domain/auth/permissions.ts';
import type { Invoice } from '../../shared/domain/invoices/invoice.ts';
import { readInvoiceOfAnyAccount } from '../../shared/domain/invoices/invoice-store.ts';
import { putMail, readMail } from '../../shared/domain/mails/mail-store.ts';
import type { Checkout } from '../../shared/domain/payments/checkouts/checkout.ts';
import { absentCheckout } from '../../shared/domain/payments/checkouts/record.ts';
import { type NewCheckout, openCheckout } from '../../shared/domain/payments/checkouts/transitions.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { Command } from '../../shared/store/commit/command.ts';
import { commitInBackground } from '../../shared/store/commit/commit.ts';
import { writeTransaction } from '../../shared/store/transactions.ts';
import {
  cardBody,
  cardNumbers,
  cardOf,
  newInvoice,
  newPayment,
  waitForResource,
} from '../api/payments/new-payment.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { connectTo, payAtDouble } from '../support/checkouts.ts';
import type { HttpResponse } from '../support/http.ts';
import { injectFault, interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { switchMailsOn } from '../support/mails.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { createStatement } from '../support/statements.ts';
import {
  allBut,
  createClaimed,
  createHeldPayment,
  damageAccountState,
  type Endpoint,
  exampleOf,
  exhaustRateLimit,
  markMaintenance,
  newAccountWithAllPermissions,
  newKey,
  scheduleBody,
} from './examples.ts';

/** What a provocation needs for its request. */
export interface ProvocationContext {
  readonly baseUrl: string;
  readonly account: TestAccount;
  readonly endpoint: Endpoint;
}

type Provocation = (context: ProvocationContext) => Promise<HttpResponse>;

/** Sends a request of the operation that returns the error `code`. */
export function provoke(code: string, context: ProvocationContext): Promise<HttpResponse> {
  const { name } = context.endpoint;
  const provocation = byOperation[`${name} ${code}`] ?? common[code];
  if (provocation) return provocation(context);
  const field = fieldOf(code);
  if (field) return sendInvalid(field, context);
  throw new Error(`No request returns ${code} of ${name}. Add one to test/contract/provocations.ts.`);
}

/** Sends a request that succeeds. */
export async function succeed({ endpoint, account }: ProvocationContext): Promise<HttpResponse> {
  const { path, body } = await exampleOf(endpoint, account.test);
  return account.test.send(endpoint.method, path, { body });
}

/** Sends a request to an endpoint to which another request is sending an event. */
async function sendToBusyEndpoint({ endpoint, account: { accountId, test: api } }: ProvocationContext) {
  const { takeSendLease } = await import('../../shared/domain/webhooks/lease-store.ts');
  const { readWebhook } = await import('../../shared/domain/webhooks/webhook-store.ts');
  const { path } = await exampleOf(endpoint, api);
  const id = /wh_\w+/.exec(path)?.[0] ?? '';
  const { record } = await readWebhook({ account: accountId, mode: 'test' }, id);
  if (!record) throw new Error(`There is no endpoint ${id}.`);
  await takeSendLease(record);
  return api.send(endpoint.method, path);
}

const withAuthorization =
  (authorization: (context: ProvocationContext) => Promise<string | undefined>): Provocation =>
  async (context) => {
    const value = await authorization(context);
    const headers = value === undefined ? {} : { Authorization: value };
    return apiOf(context.baseUrl, undefined).send(context.endpoint.method, context.endpoint.path, {
      headers,
    });
  };

/** Sends the example request with a fault in its query, body or headers. */
const withFault =
  (fault: { query?: string; text?: string; headers?: Record<string, string>; more?: object }): Provocation =>
  async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    const { query = '', text, headers = {}, more } = fault;
    return api.send(endpoint.method, withQuery(path, query), {
      body: text ?? (body === undefined ? undefined : { ...(body as object), ...more }),
      headers,
    });
  };

/** Adds one parameter to a path, instead of the one of the same name that the path has. */
function withQuery(path: string, query: string): string {
  const [pathname, own] = path.split('?');
  const kept = own?.split('&').filter((each) => each.split('=')[0] !== query.slice(1).split('=')[0]) ?? [];
  const all = query === '' ? kept : [query.slice(1), ...kept];
  return all.length === 0 ? `${pathname}` : `${pathname}?${all.join('&')}`;
}

const common: Readonly<Record<string, Provocation>> = {
  invalid_force: withFault({ query: '?force=yes' }),
  invalid_payments: withFault({ query: '?payments=keep' }),
  missing_api_key: withAuthorization(async () => undefined),
  invalid_api_key: withAuthorization(async () => 'Bearer nonsense'),
  expired_api_key: withAuthorization(
    async ({ account }) => `Bearer ${await newKey(account, { expiresAt: Date.now() - 60_000 })}`,
  ),
  revoked_api_key: withAuthorization(
    async ({ account }) => `Bearer ${await newKey(account, { revoked: true })}`,
  ),
  address_not_allowed: withAuthorization(
    async ({ account }) => `Bearer ${await newKey(account, { allowedAddresses: ['192.0.2.1/32'] })}`,
  ),
  insufficient_permissions: withAuthorization(async ({ account, endpoint }) => {
    const permissions = allBut(...alternativesOf(endpoint.route.permission));
    return `Bearer ${await newKey(account, { permissions })}`;
  }),
  rate_limit_exceeded: withAuthorization(async ({ baseUrl }) => {
    const { accountId, test } = await newAccount(baseUrl);
    await exhaustRateLimit(accountId);
    return `Bearer ${test.apiKey}`;
  }),
  maintenance: async ({ baseUrl, endpoint }) => {
    const { accountId, test: api } = await newAccountWithAllPermissions(baseUrl);
    const { path, body } = await exampleOf(endpoint, api);
    await markMaintenance(accountId);
    return api.send(endpoint.method, path, { body });
  },
  record_unreadable: async ({ baseUrl, endpoint }) => {
    const { accountId, test: api } = await newAccountWithAllPermissions(baseUrl);
    const { path, body } = await exampleOf(endpoint, api);
    await damageAccountState(accountId);
    return api.send(endpoint.method, path, { body });
  },
  internal_error: async ({ endpoint, account }) => {
    const { path, body } = await exampleOf(endpoint, account.test);
    const interception = interceptCalls(
      injectFault(
        ({ operation, body }) => operation === 'UpdateItem' && body.includes(account.accountId),
        respondWithError('ValidationException'),
        Number.POSITIVE_INFINITY,
      ),
    );
    try {
      return await account.test.send(endpoint.method, path, { body });
    } finally {
      interception.remove();
    }
  },
  invalid_api_version: withFault({ headers: { 'X-API-Version': '2020-01-01' } }),
  invalid_query: withFault({ query: '?a=%ff' }),
  invalid_test_fault: withFault({ headers: { 'X-Test-Fault': 'sometimes' } }),
  test_fault_in_live_mode: async ({ endpoint, account: { test: api, live } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    return live.send(endpoint.method, path, { body, headers: { 'X-Test-Fault': 'slow=1' } });
  },
  unknown_parameter: (context) =>
    withFault(context.endpoint.method === 'GET' ? { query: '?color=red' } : { more: { color: 'red' } })(
      context,
    ),
  invalid_json: withFault({ text: '{' }),
  invalid_content_type: withFault({ text: '{}', headers: { 'Content-Type': 'text/plain' } }),
  body_too_large: (context) => {
    const maxBytes = context.endpoint.name === 'updateAccount' ? 327_680 : 65_536;
    return withFault({ text: ' '.repeat(maxBytes + 1) })(context);
  },
  invalid_idempotency_key: withFault({ headers: { 'Idempotency-Key': '' } }),
  idempotency_key_reused: async ({ endpoint, account: { test: api } }) => {
    const headers = { 'Idempotency-Key': `reused ${endpoint.name}` };
    const { path, body } = await exampleOf(endpoint, api);
    await api.send(endpoint.method, path, { body, headers });
    const other = await exampleOf(endpoint, api);
    return api.send(endpoint.method, `${other.path}?other=1`, { body: other.body, headers });
  },
};

/** The invalid field of each code that does not name it, as `invalid_due_date` names `dueDate`. */
const fields: Readonly<Record<string, string>> = {
  invalid_customer: 'customerId',
  invalid_invoice: 'invoiceId',
  invalid_payment: 'paymentId',
  invalid_refund: 'refundId',
  invalid_card_number: 'card.number',
  invalid_card_expiry: 'card.expYear',
  invalid_card_cvc: 'card.cvc',
};

function fieldOf(code: string): string | undefined {
  const [, words] = /^invalid_(.+)$/.exec(code) ?? [];
  return fields[code] ?? words?.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The first version does not have all parameters. */
const newestVersion = { 'X-API-Version': newestApiVersion };
const createAndSend = (api: Api, fields: object = {}) =>
  api.post('/api/invoices', invoiceBody({ send: true, ...fields }), { headers: newestVersion });

/** Makes a request while the deployment has no address of the sender. */
async function withoutMailFrom<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  const { MAIL_FROM = '' } = process.env;
  setEnvironment({ MAIL_FROM: '' });
  try {
    return await request();
  } finally {
    setEnvironment({ MAIL_FROM });
  }
}

/** Sends an invalid value: no field accepts NUL, and no parameter accepts an empty string. */
function sendInvalid(field: string, context: ProvocationContext): Promise<HttpResponse> {
  if (context.endpoint.method === 'GET') {
    const isOfInvoices = field === 'reference' && context.endpoint.name === 'listInvoices';
    const parameter = isOfInvoices ? 'paymentReference' : field;
    return withFault({ query: `?${parameter}=`, headers: newestVersion })(context);
  }
  const [outer = '', inner] = field.split('.');
  const headers = { 'X-API-Version': newestApiVersion };
  if (inner === undefined) return withFault({ more: { [outer]: '\0' }, headers })(context);
  return withFault({ more: { method: 'card', [outer]: cardOf(undefined, { [inner]: '\0' }) } })(context);
}

/** Sends a request with an ID that does not exist. */
const sendUnknownId: Provocation = async ({ endpoint, account: { test: api } }) => {
  const { body } = await exampleOf(endpoint, api);
  return api.send(endpoint.method, endpoint.path, { body });
};

const createCancelled = async (api: Api) => {
  const { id } = await newInvoice(api);
  await api.delete(`/api/invoices/${id}`);
  return id as string;
};
const createInProgress = async (api: Api) => (await newPayment(api, cardNumbers.slow)).invoice.id as string;
/** Creates an invoice with an open checkout at a provider that cannot be asked, because the account has no connection. */
/** Opens a checkout whose page a payer has seen. */
function openShownCheckout(identity: NewCheckout, invoice: Invoice) {
  const [checkout, bound] = openCheckout(identity, invoice, now());
  return [
    { ...checkout, record: { ...checkout.record, redirectUrl: 'https://pay.example/' } },
    bound,
  ] as const;
}

async function createWithOpenCheckout(api: Api): Promise<string> {
  const { id } = await newInvoice(api);
  const loaded = await readInvoiceOfAnyAccount(id);
  if (!loaded) throw new Error('The invoice does not exist.');
  const { owner } = loaded;
  const absent = absentCheckout(owner, randomCheckoutId());
  const identity = {
    ...owner,
    id: absent.id,
    provider: 'stripe',
    returnUrl: 'https://pay.example/',
  } as const;
  const command = new Command<[Checkout, Invoice]>([absent, loaded], (_, invoice) => ({
    changes: invoice ? openShownCheckout(identity, invoice) : [undefined, undefined],
    answer: undefined,
  }));
  await commitInBackground(command, realClock(now()));
  return id;
}
/** Updates an invoice that the payer has paid on the page of a provider. The service does not know that yet. */
const updateAfterCheckout: Provocation = async ({ baseUrl }) => {
  const { accountId: account, test: api } = await newAccount(baseUrl);
  const double = await startStripeDouble();
  setEnvironment({ STRIPE_API_URL: double.url });
  try {
    await connectTo(double, { account, mode: 'test' });
    const { id, paymentUrl } = await newInvoice(api, { currency: 'USD' });
    await payAtDouble(double, paymentUrl);
    return await api.patch(`/api/invoices/${id}`, { amount: 1 });
  } finally {
    delete process.env.STRIPE_API_URL;
    await double.close();
  }
};
const createPaid = async (api: Api) => (await newPayment(api)).invoice.id as string;

/** Creates an invoice that has received a part, by card if there is a number. */
async function createPartlyPaid(api: Api, number?: string) {
  const newest = inNewestVersion(api);
  const { id } = await newInvoice(newest, { acceptPartial: true });
  const part = { amount: 100 };
  const { json } = await newest.post(
    '/api/payments',
    number === undefined ? { invoiceId: id, method: 'offline', ...part } : cardBody(id, number, part),
  );
  return { id: id as string, paymentId: json.id as string };
}

const update =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.patch(`/api/invoices/${await createInvoice(api)}`, { amount: 1 });
const cancel =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.delete(`/api/invoices/${await createInvoice(api)}`);
const replace =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.post(`/api/invoices/${await createInvoice(api)}/replace`, {});
const pay =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.post('/api/payments', { invoiceId: await createInvoice(api), method: 'offline' });
const payByCard = async (api: Api, number: string) =>
  api.post('/api/payments', cardBody((await newInvoice(api)).id, number));
const refund =
  (number: string, fields: object): Provocation =>
  async ({ account: { test: api } }) => {
    const { payment } = await newPayment(api, number);
    return api.post('/api/refunds', { paymentId: payment.id, ...fields });
  };

const sendMailOf =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.post(`/api/invoices/${await createInvoice(api)}/send`, { to: 'dorji@example.bt' });

const remindOf =
  (createInvoice: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) => {
    const body = { to: 'dorji@example.bt', kind: 'reminder' };
    return api.post(`/api/invoices/${await createInvoice(api)}/send`, body);
  };

/** Accepts a payment of another amount after its invoice has changed. */
const acceptAfter =
  (change: (api: Api, invoiceId: string) => Promise<HttpResponse>): Provocation =>
  async ({ account: { test: api } }) => {
    const id = await createHeldPayment(api);
    const { json } = await api.get(`/api/payments/${id}`);
    const { status, text } = await change(api, json.invoiceId);
    if (status > 201) throw new Error(text);
    return api.post(`/api/payments/${id}/resolve`, { action: 'accept' });
  };

/** Sends the example `times` times, and returns the last response. */
const repeat =
  (times: number): Provocation =>
  async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    for (let time = 1; time < times; time++) await api.send(endpoint.method, path, { body });
    return api.send(endpoint.method, path, { body });
  };

/** Finalizes a draft with these fields. */
const finalize =
  (fields: object): Provocation =>
  async ({ account }) => {
    const api = inNewestVersion(account.test);
    const { id } = (await api.post('/api/drafts', fields)).json;
    return api.post(`/api/drafts/${id}/finalize`);
  };

/** Finalizes a draft, and then does something with it. */
const afterFinalizing =
  (act: (api: Api, path: string) => Promise<HttpResponse>): Provocation =>
  async ({ account }) => {
    const api = inNewestVersion(account.test);
    const { id } = (await api.post('/api/drafts', invoiceBody())).json;
    await api.post(`/api/drafts/${id}/finalize`);
    return act(api, `/api/drafts/${id}`);
  };

const draftWith = (fields: object) => ({ customerId: 'c_1', currency: 'INR', description: 'Tea', ...fields });
const draftLines = [{ description: 'Tea', quantity: '1', unitAmount: 100 }];

/** Changes a new schedule, and then does something with it. */
const onSchedule =
  (change: object, act: (api: Api, path: string) => Promise<HttpResponse>): Provocation =>
  async ({ account }) => {
    const api = inNewestVersion(account.test);
    const { id } = (await api.post('/api/schedules', scheduleBody())).json;
    await api.patch(`/api/schedules/${id}`, change);
    return act(api, `/api/schedules/${id}`);
  };

/** Matches the row of a new statement with an invoice. */
const matchWith =
  (createInvoiceId: (api: Api) => Promise<string>, fields: object = {}): Provocation =>
  async ({ account: { test: api } }) => {
    const invoiceId = await createInvoiceId(api);
    const { row } = await createStatement(api, fields);
    return api.post(`${row}/match`, { invoiceId });
  };

const newInvoiceId = async (api: Api): Promise<string> => (await newInvoice(api)).id;

const byOperation: Readonly<Record<string, Provocation>> = {
  'getDraft draft_not_found': sendUnknownId,
  'updateDraft draft_not_found': sendUnknownId,
  'updateDraft immutable_field': withFault({ more: { invoiceId: 'inv_1' } }),
  'updateDraft draft_finalized': afterFinalizing((api, path) => api.patch(path, { description: 'Cups' })),
  'deleteDraft draft_not_found': sendUnknownId,
  'deleteDraft draft_finalized': afterFinalizing((api, path) => api.delete(path)),
  'finalizeDraft draft_not_found': sendUnknownId,
  'finalizeDraft draft_finalized': afterFinalizing((api, path) => api.post(`${path}/finalize`)),
  'finalizeDraft reference_taken': async (context) => {
    await inNewestVersion(context.account.test).post('/api/invoices', invoiceBody({ reference: 'D-1' }));
    return finalize(invoiceBody({ reference: 'D-1' }))(context);
  },
  'finalizeDraft invalid_customer': finalize({}),
  'finalizeDraft invalid_amount': finalize({ customerId: 'c_1' }),
  'finalizeDraft invalid_currency': finalize({ customerId: 'c_1', amount: 100 }),
  'finalizeDraft invalid_description': finalize({ customerId: 'c_1', amount: 100, currency: 'BTN' }),
  'finalizeDraft invalid_buyer': finalize(
    draftWith({
      lines: draftLines,
      buyer: { name: 'Dorji', taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z0' }] },
    }),
  ),
  'finalizeDraft invalid_gst': finalize(draftWith({ amount: 100, gst: { placeOfSupply: 'Karnataka' } })),
  'finalizeDraft invalid_lines': finalize(draftWith({ lines: [{ ...draftLines[0], tax: 'in_gst_5' }] })),
  'finalizeDraft invalid_prices': finalize(draftWith({ amount: 100, prices: 'inclusive' })),
  'finalizeDraft invalid_discount': finalize(draftWith({ lines: draftLines, discount: { amount: 101 } })),
  'finalizeDraft invalid_round_to': finalize(draftWith({ amount: 100, roundTo: 100 })),
  'getSchedule schedule_not_found': sendUnknownId,
  'previewSchedule schedule_not_found': sendUnknownId,
  'listScheduleOccurrences schedule_not_found': sendUnknownId,
  'updateSchedule schedule_not_found': sendUnknownId,
  'createSchedule invalid_invoice': withFault({ more: { invoice: '\0' } }),
  'updateSchedule invalid_invoice': withFault({ more: { invoice: '\0' } }),
  'updateSchedule immutable_field': withFault({ more: { startOn: '2098-01-31' } }),
  'updateSchedule schedule_ended': onSchedule({ status: 'ended' }, (api, path) =>
    api.patch(path, { status: 'active' }),
  ),
  ...Object.fromEntries(
    ['skip', 'run'].flatMap((action) => [
      [`${action}Schedule schedule_not_found`, sendUnknownId],
      [
        `${action}Schedule schedule_ended`,
        onSchedule({ status: 'ended' }, (api, path) => api.post(`${path}/${action}`)),
      ],
      [
        `${action}Schedule schedule_not_active`,
        onSchedule({ status: 'paused' }, (api, path) => api.post(`${path}/${action}`)),
      ],
    ]),
  ),
  'getExport export_not_found': sendUnknownId,
  'createExport export_limit_reached': async ({ account: { accountId, test: api } }) => {
    const { tableKeys } = await import('../../shared/store/keys.ts');
    const { dynamodb } = await import('../../shared/store/client.ts');
    const { DeleteCommand, PutCommand } = await import('@aws-sdk/lib-dynamodb');
    const { env } = await import('../../shared/base/env.ts');
    const owner = { account: accountId, mode: 'test' as const };
    const TableName = env.tableName();
    const slots = [1, 2, 3, 4, 5].map((slot) => tableKeys.exportSlot(owner, slot));
    for (const slot of slots)
      await dynamodb.send(new PutCommand({ TableName, Item: { ...slot, id: 'exp_1' } }));
    const answer = await api.post('/api/exports', { kind: 'invoices' });
    for (const Key of slots) await dynamodb.send(new DeleteCommand({ TableName, Key }));
    return answer;
  },
  'getStatement statement_not_found': sendUnknownId,
  'listStatementRows statement_not_found': sendUnknownId,
  'matchStatementRow statement_not_found': sendUnknownId,
  'ignoreStatementRow statement_not_found': sendUnknownId,
  'matchStatementRow row_not_found': async ({ account: { test: api } }) => {
    const { path } = await createStatement(api);
    const invoiceId = await newInvoiceId(api);
    return api.post(`${path}/rows/row_${'0'.repeat(26)}/match`, { invoiceId });
  },
  'ignoreStatementRow row_not_found': async ({ account: { test: api } }) =>
    api.post(`${(await createStatement(api)).path}/rows/row_${'0'.repeat(26)}/ignore`),
  'matchStatementRow row_takes_money': matchWith(newInvoiceId, { amount: -100 }),
  'matchStatementRow row_already_matched': async ({ account: { test: api } }) => {
    const { row } = await createStatement(api);
    await api.post(`${row}/match`, { invoiceId: await newInvoiceId(api) });
    return api.post(`${row}/match`, { invoiceId: await newInvoiceId(api) });
  },
  'ignoreStatementRow row_already_matched': async ({ account: { test: api } }) => {
    const { row } = await createStatement(api);
    await api.post(`${row}/match`, { invoiceId: await newInvoiceId(api) });
    return api.post(`${row}/ignore`);
  },
  'matchStatementRow reference_already_used': async (context) => {
    const api = inNewestVersion(context.account.test);
    const known = { bank: 'Bank of Bhutan', reference: 'FT 7' };
    await api.post('/api/payments', { invoiceId: await newInvoiceId(api), method: 'offline', ...known });
    return matchWith(newInvoiceId, { reference: 'FT 7' })(context);
  },
  'matchStatementRow invoice_already_paid': matchWith(createPaid),
  'matchStatementRow invoice_already_cancelled': matchWith(createCancelled),
  'matchStatementRow payment_in_progress': matchWith(createInProgress),
  'getInvoice invoice_not_found': sendUnknownId,
  'createInvoice reference_taken': async ({ account }) => {
    const api = inNewestVersion(account.test);
    const send = () => api.post('/api/invoices', invoiceBody({ reference: 'INV-1' }));
    await send();
    return send();
  },
  'createPayment reference_already_used': async ({ account }) => {
    const api = inNewestVersion(account.test);
    const send = async () => {
      const invoiceId = (await api.post('/api/invoices', invoiceBody())).json.id;
      return api.post('/api/payments', { invoiceId, method: 'offline', reference: 'J 1', bank: 'Bank' });
    };
    await send();
    return send();
  },
  'updateInvoice invoice_not_found': sendUnknownId,
  'updateInvoice immutable_field': withFault({ more: { currency: 'INR' } }),
  'updateInvoice invoice_not_pending': update(createCancelled),
  'updateInvoice invoice_already_paid': updateAfterCheckout,
  'updateInvoice payment_in_progress': update(createInProgress),
  'confirmClaim invoice_not_found': sendUnknownId,
  'confirmClaim invalid_claim': withFault({ more: { claimId: 7 } }),
  'rejectClaim invoice_not_found': sendUnknownId,
  'rejectClaim invalid_claim': withFault({ more: { claimId: 7 } }),
  'cancelInvoice invoice_not_found': sendUnknownId,
  'cancelInvoice invoice_already_paid': cancel(createPaid),
  'cancelInvoice payment_in_progress': cancel(createWithOpenCheckout),
  'cancelInvoice invoice_already_cancelled': cancel(createCancelled),
  'cancelInvoice invoice_partly_paid': cancel(async (api) => (await createPartlyPaid(api)).id),
  'cancelInvoice payment_not_refundable': async ({ account: { test: api } }) => {
    const { id, paymentId } = await createPartlyPaid(api, cardNumbers.disputed);
    await waitForResource(
      inNewestVersion(api),
      `/api/payments/${paymentId}`,
      ({ dispute }) => dispute !== null,
    );
    return api.delete(`/api/invoices/${id}?payments=refund`);
  },
  'replaceInvoice invoice_partly_paid': replace(async (api) => (await createPartlyPaid(api)).id),
  'replaceInvoice invoice_not_found': sendUnknownId,
  'replaceInvoice immutable_field': withFault({ more: { status: 'paid' } }),
  'replaceInvoice invoice_already_paid': replace(createPaid),
  'replaceInvoice payment_in_progress': replace(createInProgress),
  'replaceInvoice invoice_already_cancelled': replace(createCancelled),
  'createPayment no_credit': async ({ account }) => {
    const api = inNewestVersion(account.test);
    return api.post('/api/payments', { invoiceId: await newInvoiceId(api), method: 'credit' });
  },
  'createPayment invoice_already_paid': pay(createPaid),
  'createPayment invoice_already_cancelled': pay(createCancelled),
  'createPayment payment_in_progress': pay(createInProgress),
  'createPayment test_card_required': ({ account }) => payByCard(account.test, '4111111111111111'),
  'createPayment card_data_not_accepted': ({ account }) => payByCard(account.live, cardNumbers.good),
  'getPayment payment_not_found': sendUnknownId,
  'resolvePayment payment_not_found': sendUnknownId,
  'resolvePayment invoice_already_paid': acceptAfter((api, invoiceId) =>
    api.post('/api/payments', { invoiceId, method: 'offline' }),
  ),
  'resolvePayment invoice_already_cancelled': acceptAfter((api, id) => api.delete(`/api/invoices/${id}`)),
  'resolvePayment payment_in_progress': acceptAfter((api, id) =>
    api.post('/api/payments', cardBody(id, cardNumbers.slow)),
  ),
  'resolvePayment payment_not_resolvable': async ({ account: { test: api } }) => {
    const { payment } = await newPayment(api);
    return api.post(`/api/payments/${payment.id}/resolve`, { action: 'accept' });
  },
  'voidPayment payment_not_found': sendUnknownId,
  'voidPayment payment_not_voidable': async ({ account: { test: api } }) => {
    const { payment } = await newPayment(api);
    const voidIt = () => api.post(`/api/payments/${payment.id}/void`, { reason: 'Typed by mistake' });
    await voidIt();
    return voidIt();
  },
  'createRefund payment_not_refundable': refund(cardNumbers.declined, {}),
  'createRefund refund_exceeds_payment': refund(cardNumbers.good, { amount: 999_999 }),
  'getRefund refund_not_found': sendUnknownId,
  'getProduct product_not_found': sendUnknownId,
  'updateProduct product_not_found': sendUnknownId,
  'updateProduct immutable_field': withFault({ more: { id: 'prod_1' } }),
  'deleteProduct product_not_found': sendUnknownId,
  'getCustomer customer_not_found': sendUnknownId,
  'updateCustomer customer_not_found': sendUnknownId,
  'updateCustomer immutable_field': withFault({ more: { id: 'cust_1' } }),
  'deleteCustomer customer_not_found': sendUnknownId,
  'getDocument document_not_found': sendUnknownId,
  'getDocumentPdf document_not_found': sendUnknownId,
  'listInvoiceDocuments invoice_not_found': sendUnknownId,
  'listInvoiceMails invoice_not_found': sendUnknownId,
  'createInvoice no_recipient': async ({ account: { accountId, test: api } }) => {
    await switchMailsOn(accountId);
    return createAndSend(api, { customerId: 'order-1' });
  },
  'createInvoice mail_off': async ({ account: { test: api } }) => withoutMailFrom(() => createAndSend(api)),
  'createInvoice mail_kind_off': async ({ baseUrl }) => createAndSend((await newAccount(baseUrl)).test),
  'sendInvoice invoice_not_found': sendUnknownId,
  'sendInvoice invoice_already_cancelled': sendMailOf(createCancelled),
  'sendInvoice invoice_already_paid': remindOf(createPaid),
  'sendInvoice claim_open': remindOf(async (api) => (await createClaimed(api)).id),
  'sendInvoice payment_in_progress': sendMailOf(createInProgress),
  'sendInvoice no_recipient': async ({ account: { accountId, test: api } }) => {
    await switchMailsOn(accountId);
    const { id } = await newInvoice(api, { customerId: 'order-1' });
    return api.post(`/api/invoices/${id}/send`, {});
  },
  'sendInvoice mail_off': (context) => withoutMailFrom(() => succeed(context)),
  'sendInvoice mail_kind_off': async (context) => {
    const { test: api } = await newAccount(context.baseUrl);
    const { id } = await newInvoice(api);
    return api.post(`/api/invoices/${id}/send`, { to: 'off@example.bt' });
  },
  'sendInvoice mail_limit_reached': async ({ account: { accountId, test: api } }) => {
    await switchMailsOn(accountId);
    const { id } = await newInvoice(api);
    const send = () => api.post(`/api/invoices/${id}/send`, { to: 'often@example.bt' });
    for (let mail = 0; mail < 3; mail++) await send();
    return send();
  },
  'allowMailAddress mail_not_found': sendUnknownId,
  'allowMailAddress address_erased': async ({ account: { accountId, test: api } }) => {
    await switchMailsOn(accountId);
    const { id: invoice } = await newInvoice(api);
    const { id } = (await api.post(`/api/invoices/${invoice}/send`, { to: 'erased@example.bt' })).json;
    for (let written = false; !written; ) {
      const mail = await readMail({ account: accountId, mode: 'test' }, id);
      if (!mail) throw new Error(`There is no mail ${id}.`);
      const erased = { ...mail, to: '[erased]', version: mail.version + 1 };
      // The worker can be faster.
      ({ written } = await writeTransaction([putMail(mail, erased)]));
    }
    return api.post(`/api/mails/${id}/allow-address`);
  },
  'getEvent event_not_found': sendUnknownId,
  'createWebhook webhook_limit_reached': async (context) =>
    repeat(21)({ ...context, account: await newAccount(context.baseUrl) }),
  'getWebhook webhook_not_found': sendUnknownId,
  'updateWebhook webhook_not_found': sendUnknownId,
  'updateWebhook immutable_field': withFault({ more: { id: 'wh_1' } }),
  'deleteWebhook webhook_not_found': sendUnknownId,
  'rotateWebhookSecret webhook_not_found': sendUnknownId,
  'rotateWebhookSecret secret_limit_reached': repeat(5),
  'rotateWebhookSecret webhook_without_secret': async ({ account: { test: api } }) => {
    const [target] = (process.env.EVENT_TARGETS ?? '').split(',');
    const body = { type: 'sqs', target, events: ['*'] };
    const { id } = (await inNewestVersion(api).post('/api/webhooks', body)).json;
    const answer = await api.post(`/api/webhooks/${id}/rotate-secret`, {});
    await api.delete(`/api/webhooks/${id}`);
    return answer;
  },
  'testWebhook webhook_not_found': sendUnknownId,
  'testWebhook webhook_busy': sendToBusyEndpoint,
  'redeliver webhook_busy': sendToBusyEndpoint,
  'listDeliveries webhook_not_found': sendUnknownId,
  'redeliver webhook_not_found': sendUnknownId,
  'redeliver delivery_not_found': async ({ endpoint, account: { test: api } }) => {
    const { path } = await exampleOf(endpoint, api);
    return api.post(path.replace(/dlv_\w+/, `dlv_${'0'.repeat(26)}`));
  },
  'createApiKey key_limit_reached': async (context) =>
    repeat(10)({ ...context, account: await newAccountWithAllPermissions(context.baseUrl) }),
  'getApiKey key_not_found': sendUnknownId,
  'updateApiKey key_not_found': sendUnknownId,
  'revokeApiKey key_not_found': sendUnknownId,
  'revokeApiKey key_already_revoked': async ({ endpoint, account: { test: api } }) => {
    const { path } = await exampleOf(endpoint, api);
    await api.delete(path);
    return api.delete(path);
  },
  'rollOverApiKey key_not_found': sendUnknownId,
  'rollOverApiKey key_already_revoked': async ({ endpoint, account: { test: api } }) => {
    const { path } = await exampleOf(endpoint, api);
    await api.delete(path.replace('/roll-over', ''));
    return api.post(path, {});
  },
  'rollOverApiKey key_already_expired': async ({ account }) => {
    const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
    const owner = { account: account.accountId, mode: 'test' } as const;
    const permissions = ['keys:write'] as const;
    const { keyId } = await createKey({ owner, name: 'Old', permissions, expiresAt: Date.now() - 60_000 });
    return account.test.post(`/api/keys/${keyId}/roll-over`, {});
  },
  'rollOverApiKey key_already_replaced': async ({ endpoint, account: { test: api } }) => {
    const { path } = await exampleOf(endpoint, api);
    await api.post(path, {});
    return api.post(path, {});
  },
  'rollOverApiKey key_limit_reached': async ({ endpoint, baseUrl }) => {
    const { test: api } = await newAccountWithAllPermissions(baseUrl);
    let { path } = await exampleOf(endpoint, api);
    for (let count = 0; count < 10; count++)
      path = `/api/keys/${(await api.post(path, {})).json.id}/roll-over`;
    return api.post(path, {});
  },
  'updateAccount immutable_field': withFault({ more: { plan: 'free' } }),
  'getTestClock test_clock_in_live_mode': ({ account }) => account.live.get('/api/test/clock'),
  'moveTestClock test_clock_in_live_mode': ({ account }) =>
    account.live.post('/api/test/clock', { advanceSeconds: 60 }),
  'resetTestClock test_clock_in_live_mode': ({ account }) => account.live.delete('/api/test/clock'),
  'moveTestClock invalid_clock': ({ account }) => account.test.post('/api/test/clock', {}),
  'moveTestClock clock_advancing': async ({ baseUrl }) => {
    const account = await newAccountWithAllPermissions(baseUrl);
    await leaveClockMoving(account.accountId);
    return account.test.post('/api/test/clock', { advanceSeconds: 60 });
  },
  'resetTestClock clock_advancing': async ({ baseUrl }) => {
    const account = await newAccountWithAllPermissions(baseUrl);
    await leaveClockMoving(account.accountId);
    return account.test.delete('/api/test/clock');
  },
  'resetTestClock clock_in_use': async ({ baseUrl }) => {
    const { test: api } = await newAccountWithAllPermissions(baseUrl);
    await api.post('/api/test/clock', { advanceSeconds: 60 });
    await api.post('/api/invoices', invoiceBody());
    return api.delete('/api/test/clock');
  },
  'startRecovery webhook_not_found': sendUnknownId,
  'startRecovery webhook_disabled': async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    await api.patch(path.replace('/recover', ''), { status: 'disabled' });
    return api.post(path, body);
  },
};

/** Leaves the clock of an account as a request leaves it that crashed. */
async function leaveClockMoving(account: string): Promise<void> {
  const { writeAccountClock } = await import('../../shared/store/account-clock.ts');
  await writeAccountClock({ account, mode: 'test' }, undefined, { o: 0, t: 60_000, v: 1 });
}
