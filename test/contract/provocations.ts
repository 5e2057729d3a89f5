/**
 * For each error code a request that is answered with it, by operation where that takes doing. Codes and fields are spelled
 * out here once more, so that the service's own table is tested and not quoted.
 */
import type { Permission } from '../../shared/permissions.ts';
import { cardBody, cardNumbers, cardOf, newInvoice, newPayment } from '../api/payments/new-payment.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../support/api.ts';
import { errorAnswer, faultOn, intercept } from '../support/faults.ts';
import type { HttpResponse } from '../support/http.ts';
import { allBut, type Endpoint, exampleOf, newKey, useUp } from './examples.ts';

/** Where a request is made. */
export interface Stand {
  readonly baseUrl: string;
  readonly account: TestAccount;
  readonly endpoint: Endpoint;
}

type Provocation = (stand: Stand) => Promise<HttpResponse>;

/** Has the operation answer with `code`. */
export function provoke(code: string, stand: Stand): Promise<HttpResponse> {
  const { name } = stand.endpoint;
  const own = states[`${name} ${code}`] ?? common[code];
  if (own) return own(stand);
  const field = fields[code];
  if (field) return sendWrong(field, stand);
  throw new Error(`Say in test/contract/provocations.ts how ${name} comes to answer ${code}.`);
}

/** A request that succeeds. */
export async function succeed({ endpoint, account }: Stand): Promise<HttpResponse> {
  const { path, body } = await exampleOf(endpoint, account.test);
  return account.test.send(endpoint.method, path, { body });
}

const withAuthorization =
  (authorization: (stand: Stand) => Promise<string | undefined>): Provocation =>
  async (stand) => {
    const value = await authorization(stand);
    const headers = value === undefined ? {} : { Authorization: value };
    return apiOf(stand.baseUrl, undefined).send(stand.endpoint.method, stand.endpoint.path, { headers });
  };

/** The example, with something about it that is wrong. */
const withFault =
  (fault: { query?: string; text?: string; headers?: Record<string, string>; more?: object }): Provocation =>
  async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    const { query = '', text, headers = {}, more } = fault;
    return api.send(endpoint.method, path + query, {
      body: text ?? (body === undefined ? undefined : { ...(body as object), ...more }),
      headers,
    });
  };

const common: Readonly<Record<string, Provocation>> = {
  missing_api_key: withAuthorization(async () => undefined),
  invalid_api_key: withAuthorization(async () => 'Bearer nonsense'),
  expired_api_key: withAuthorization(
    async ({ account }) => `Bearer ${await newKey(account, { expiresAt: Date.now() - 60_000 })}`,
  ),
  revoked_api_key: withAuthorization(
    async ({ account }) => `Bearer ${await newKey(account, { revoked: true })}`,
  ),
  insufficient_permissions: withAuthorization(async ({ account, endpoint }) => {
    const permissions = allBut(endpoint.route.permission as Permission);
    return `Bearer ${await newKey(account, { permissions })}`;
  }),
  rate_limit_exceeded: withAuthorization(async ({ baseUrl }) => {
    const { accountId, test } = await newAccount(baseUrl);
    await useUp(accountId);
    return `Bearer ${test.apiKey}`;
  }),
  internal_error: async ({ endpoint, account }) => {
    const { path, body } = await exampleOf(endpoint, account.test);
    const interception = intercept(
      faultOn(
        ({ operation, body }) => operation === 'UpdateItem' && body.includes(account.accountId),
        errorAnswer('ValidationException'),
        Number.POSITIVE_INFINITY,
      ),
    );
    try {
      return await account.test.send(endpoint.method, path, { body });
    } finally {
      interception.remove();
    }
  },
  invalid_query: withFault({ query: '?a=%ff' }),
  unknown_parameter: (stand) =>
    withFault(stand.endpoint.route.query ? { query: '?colour=red' } : { more: { colour: 'red' } })(stand),
  invalid_json: withFault({ text: '{' }),
  invalid_content_type: withFault({ text: '{}', headers: { 'Content-Type': 'text/plain' } }),
  body_too_large: withFault({ text: ' '.repeat(65_537) }),
  invalid_idempotency_key: withFault({ headers: { 'Idempotency-Key': '' } }),
  idempotency_key_reused: async ({ endpoint, account: { test: api } }) => {
    const headers = { 'Idempotency-Key': `reused ${endpoint.name}` };
    const { path, body } = await exampleOf(endpoint, api);
    await api.send(endpoint.method, path, { body, headers });
    const other = await exampleOf(endpoint, api);
    return api.send(endpoint.method, `${other.path}?other=1`, { body: other.body, headers });
  },
};

/** The field that is wrong. */
const fields: Readonly<Record<string, string>> = {
  invalid_customer: 'customerId',
  invalid_amount: 'amount',
  invalid_currency: 'currency',
  invalid_description: 'description',
  invalid_due_date: 'dueDate',
  invalid_status: 'status',
  invalid_invoice: 'invoiceId',
  invalid_payment: 'paymentId',
  invalid_method: 'method',
  invalid_reference: 'reference',
  invalid_reason: 'reason',
  invalid_card: 'card',
  invalid_card_number: 'card.number',
  invalid_card_expiry: 'card.expYear',
  invalid_card_cvc: 'card.cvc',
  invalid_url: 'url',
  invalid_events: 'events',
  invalid_overlap_hours: 'overlapHours',
  invalid_since: 'since',
  invalid_type: 'type',
  invalid_before: 'before',
  invalid_after: 'after',
  invalid_limit: 'limit',
  invalid_offset: 'offset',
};

/** No field takes a NUL, and no parameter nothing. */
function sendWrong(field: string, stand: Stand): Promise<HttpResponse> {
  if (stand.endpoint.route.query) return withFault({ query: `?${field}=` })(stand);
  const [outer = '', inner] = field.split('.');
  if (inner === undefined) return withFault({ more: { [outer]: '\0' } })(stand);
  return withFault({ more: { method: 'card', [outer]: cardOf(undefined, { [inner]: '\0' }) } })(stand);
}

/** An id of nothing. */
const toNothing: Provocation = async ({ endpoint, account: { test: api } }) => {
  const { body } = await exampleOf(endpoint, api);
  return api.send(endpoint.method, endpoint.path, { body });
};

const cancelled = async (api: Api) => {
  const { id } = await newInvoice(api);
  await api.delete(`/api/invoices/${id}`);
  return id as string;
};
const inProgress = async (api: Api) => (await newPayment(api, cardNumbers.slow)).invoice.id as string;
const paid = async (api: Api) => (await newPayment(api)).invoice.id as string;

const update =
  (id: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.patch(`/api/invoices/${await id(api)}`, { amount: 1 });
const cancel =
  (id: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.delete(`/api/invoices/${await id(api)}`);
const pay =
  (id: (api: Api) => Promise<string>): Provocation =>
  async ({ account: { test: api } }) =>
    api.post('/api/payments', { invoiceId: await id(api), method: 'offline' });
const payByCard = async (api: Api, number: string) =>
  api.post('/api/payments', cardBody((await newInvoice(api)).id, number));
const refund =
  (number: string, fields: object): Provocation =>
  async ({ account: { test: api } }) => {
    const { payment } = await newPayment(api, number);
    return api.post('/api/refunds', { paymentId: payment.id, ...fields });
  };

/** Sends the example so often, and returns the last answer. */
const repeated =
  (times: number): Provocation =>
  async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    for (let time = 1; time < times; time++) await api.send(endpoint.method, path, { body });
    return api.send(endpoint.method, path, { body });
  };

const states: Readonly<Record<string, Provocation>> = {
  'getInvoice invoice_not_found': toNothing,
  'updateInvoice invoice_not_found': toNothing,
  'updateInvoice immutable_field': withFault({ more: { currency: 'INR' } }),
  'updateInvoice invoice_not_pending': update(cancelled),
  'updateInvoice payment_in_progress': update(inProgress),
  'cancelInvoice invoice_not_found': toNothing,
  'cancelInvoice invoice_already_paid': cancel(paid),
  'cancelInvoice invoice_already_cancelled': cancel(cancelled),
  'createPayment invoice_already_paid': pay(paid),
  'createPayment invoice_already_cancelled': pay(cancelled),
  'createPayment payment_in_progress': pay(inProgress),
  'createPayment test_card_required': ({ account }) => payByCard(account.test, '4111111111111111'),
  'createPayment card_data_not_accepted': ({ account }) => payByCard(account.live, cardNumbers.good),
  'getPayment payment_not_found': toNothing,
  'createRefund payment_not_refundable': refund(cardNumbers.declined, {}),
  'createRefund refund_exceeds_payment': refund(cardNumbers.good, { amount: 999_999 }),
  'getRefund refund_not_found': toNothing,
  'getEvent event_not_found': toNothing,
  'createWebhook webhook_limit_reached': async (stand) =>
    repeated(21)({ ...stand, account: await newAccount(stand.baseUrl) }),
  'getWebhook webhook_not_found': toNothing,
  'updateWebhook webhook_not_found': toNothing,
  'deleteWebhook webhook_not_found': toNothing,
  'rotateWebhookSecret webhook_not_found': toNothing,
  'rotateWebhookSecret secret_limit_reached': repeated(5),
  'testWebhook webhook_not_found': toNothing,
  'listDeliveries webhook_not_found': toNothing,
  'redeliver webhook_not_found': toNothing,
  'redeliver delivery_not_found': async ({ endpoint, account: { test: api } }) => {
    const { path } = await exampleOf(endpoint, api);
    return api.post(path.replace(/dlv_\w+/, `dlv_${'0'.repeat(26)}`));
  },
  'startRecovery webhook_not_found': toNothing,
  'startRecovery webhook_disabled': async ({ endpoint, account: { test: api } }) => {
    const { path, body } = await exampleOf(endpoint, api);
    await api.patch(path.replace('/recover', ''), { status: 'disabled' });
    return api.post(path, body);
  },
};
