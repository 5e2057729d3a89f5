/**
 * Which error codes each operation can answer with: most follow from its route and its schemas, the others stand here.
 * The tests provoke every one of them, and refuse any answer that has another.
 */
import type * as v from 'valibot';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { codeOfField } from '../http/validate.ts';
import type { Route, routes } from '../routes.ts';

type Routes = typeof routes;

/** The name of a route that is an operation of the API, and no web page. */
export type OperationName = {
  [Name in keyof Routes]: Routes[Name]['path'] extends `/api/${string}` ? Name : never;
}[keyof Routes];

/** What its schemas cannot tell: missing resources, and states that forbid it. */
const ownCodes: Readonly<Record<OperationName, readonly ErrorCode[]>> = {
  listInvoices: [],
  createInvoice: [],
  getInvoice: ['invoice_not_found'],
  updateInvoice: ['immutable_field', 'invoice_not_pending', 'payment_in_progress', 'invoice_not_found'],
  cancelInvoice: ['invoice_already_paid', 'invoice_already_cancelled', 'invoice_not_found'],
  listPayments: [],
  createPayment: [
    ...(['test_card_required', 'invoice_already_paid', 'invoice_already_cancelled'] as const),
    ...(['payment_in_progress', 'card_data_not_accepted'] as const),
  ],
  getPayment: ['payment_not_found'],
  listRefunds: [],
  createRefund: ['payment_not_refundable', 'refund_exceeds_payment'],
  getRefund: ['refund_not_found'],
  listEvents: [],
  getEvent: ['event_not_found'],
  listWebhooks: [],
  createWebhook: ['webhook_limit_reached'],
  getWebhook: ['webhook_not_found'],
  updateWebhook: ['webhook_not_found'],
  deleteWebhook: ['webhook_not_found'],
  rotateWebhookSecret: ['secret_limit_reached', 'webhook_not_found'],
  testWebhook: ['webhook_not_found'],
  listDeliveries: ['webhook_not_found'],
  redeliver: ['webhook_not_found', 'delivery_not_found'],
  startRecovery: ['webhook_disabled', 'webhook_not_found'],
};

/** The codes that operation `name` can answer with, by status; in the order of the table of errors. */
export function errorCodesOf(name: OperationName, route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const possible = new Set<string>([...commonCodes(route), ...ownCodes[name]]);
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => possible.has(code));
  return Map.groupBy(codes, (code) => errorCodes[code].status);
}

/** The code of each field that can be wrong, by the field as errors name it. */
export function fieldCodesOf({ query, body }: Route): ReadonlyMap<string, ErrorCode> {
  return new Map([...codesOfEntries(query), ...codesOfEntries(body)]);
}

function commonCodes(route: Route): ErrorCode[] {
  const { method, permission, query, body } = route;
  return [
    ...(['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'] as const),
    ...(['rate_limit_exceeded', 'invalid_query', 'internal_error'] as const),
    ...(permission ? (['insufficient_permissions'] as const) : []),
    ...(method === 'GET' ? [] : (['invalid_idempotency_key', 'idempotency_key_reused'] as const)),
    ...(query || body ? (['unknown_parameter'] as const) : []),
    ...(body ? (['invalid_json', 'invalid_content_type', 'body_too_large'] as const) : []),
    ...fieldCodesOf(route).values(),
  ];
}

type Entry = v.GenericSchema & {
  readonly wrapped?: Entry;
  readonly entries?: Readonly<Record<string, Entry>>;
};

function codesOfEntries(schema: Entry | undefined, path = ''): [string, ErrorCode][] {
  return Object.entries(schema?.entries ?? {}).flatMap(([key, entry]) => {
    const field = path + key;
    const inner = entry.wrapped ?? entry;
    // What may be anything cannot be wrong.
    if (inner.type === 'unknown') return [];
    return [[field, codeOfField(field) as ErrorCode], ...codesOfEntries(inner, `${field}.`)];
  });
}
