/**
 * Determines which error codes each operation can return. Most of them follow from the route and its schemas; the others
 * are listed here. The tests provoke every listed code, and reject any response with a code that is not listed.
 */
import type * as v from 'valibot';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import { errorCodeOfField } from '../http/field-error-codes.ts';
import type { Route, routes } from '../routes.ts';

type Routes = typeof routes;

/** The name of a route that is an operation of the API and not a web page. */
export type OperationName = {
  [Name in keyof Routes]: Routes[Name]['path'] extends `/api/${string}` ? Name : never;
}[keyof Routes];

/** What a draft can lack when it becomes an invoice, and what only the whole invoice shows. */
const unfinishedCodes = [
  'invalid_customer',
  'invalid_amount',
  'invalid_currency',
  'invalid_description',
  'invalid_buyer',
  'invalid_gst',
  'invalid_lines',
  'invalid_prices',
  'invalid_discount',
  'invalid_round_to',
] as const satisfies readonly ErrorCode[];

/** The codes that do not follow from the schemas: missing resources, and states that do not allow the operation. */
const ownCodes: Readonly<Record<OperationName, readonly ErrorCode[]>> = {
  listInvoices: [],
  createInvoice: ['no_recipient', 'mail_off', 'mail_kind_off', 'reference_taken'],
  getInvoice: ['invoice_not_found'],
  updateInvoice: [
    'immutable_field',
    'invoice_not_pending',
    'invoice_already_paid',
    'payment_in_progress',
    'invoice_not_found',
  ],
  cancelInvoice: [
    'invoice_already_paid',
    'invoice_already_cancelled',
    'invoice_partly_paid',
    'payment_not_refundable',
    'payment_in_progress',
    'invoice_not_found',
  ],
  replaceInvoice: [
    'immutable_field',
    'invoice_already_paid',
    'invoice_already_cancelled',
    'invoice_partly_paid',
    'payment_in_progress',
    'invoice_not_found',
  ],
  confirmClaim: ['invoice_not_found'],
  rejectClaim: ['invoice_not_found'],
  listPayments: [],
  createPayment: [
    'test_card_required',
    'reference_already_used',
    'no_credit',
    'invoice_already_paid',
    'invoice_already_cancelled',
    'payment_in_progress',
    'card_data_not_accepted',
  ],
  getPayment: ['payment_not_found'],
  resolvePayment: [
    'payment_not_resolvable',
    'invoice_already_paid',
    'invoice_already_cancelled',
    'payment_in_progress',
    'payment_not_found',
  ],
  voidPayment: ['payment_not_voidable', 'payment_not_found'],
  listRefunds: [],
  createRefund: ['payment_not_refundable', 'refund_exceeds_payment'],
  getRefund: ['refund_not_found'],
  listCustomers: [],
  createCustomer: [],
  getCustomer: ['customer_not_found'],
  updateCustomer: ['immutable_field', 'customer_not_found'],
  deleteCustomer: ['customer_not_found'],
  listProducts: [],
  createProduct: [],
  getProduct: ['product_not_found'],
  updateProduct: ['immutable_field', 'product_not_found'],
  deleteProduct: ['product_not_found'],
  listDrafts: [],
  createDraft: [],
  getDraft: ['draft_not_found'],
  updateDraft: ['immutable_field', 'draft_finalized', 'draft_not_found'],
  deleteDraft: ['draft_finalized', 'draft_not_found'],
  finalizeDraft: ['draft_finalized', 'reference_taken', 'draft_not_found', ...unfinishedCodes],
  listSchedules: [],
  createSchedule: [],
  getSchedule: ['schedule_not_found'],
  updateSchedule: ['immutable_field', 'schedule_ended', 'schedule_not_found'],
  skipSchedule: ['schedule_ended', 'schedule_not_active', 'schedule_not_found'],
  runSchedule: ['schedule_ended', 'schedule_not_active', 'schedule_not_found'],
  previewSchedule: ['schedule_not_found'],
  listScheduleOccurrences: ['schedule_not_found'],
  listStatements: [],
  createStatement: [],
  linkStatementFile: [],
  previewStatementFile: [],
  getStatement: ['statement_not_found'],
  listStatementRows: ['statement_not_found'],
  matchStatementRow: [
    'row_already_matched',
    'row_takes_money',
    'reference_already_used',
    'invoice_already_paid',
    'invoice_already_cancelled',
    'payment_in_progress',
    'statement_not_found',
    'row_not_found',
  ],
  ignoreStatementRow: ['row_already_matched', 'statement_not_found', 'row_not_found'],
  listExports: [],
  createExport: ['export_limit_reached'],
  getExport: ['export_not_found'],
  listDocuments: [],
  getDocument: ['document_not_found'],
  getDocumentPdf: ['document_not_found'],
  listInvoiceDocuments: ['invoice_not_found'],
  sendInvoice: [
    'no_recipient',
    'mail_off',
    'mail_kind_off',
    'invoice_already_cancelled',
    'invoice_already_paid',
    'claim_open',
    'payment_in_progress',
    'mail_limit_reached',
    'invoice_not_found',
  ],
  listInvoiceMails: ['invoice_not_found'],
  listMails: [],
  allowMailAddress: ['mail_not_found', 'address_erased'],
  listEvents: [],
  getEvent: ['event_not_found'],
  listWebhooks: [],
  createWebhook: ['webhook_limit_reached'],
  getWebhook: ['webhook_not_found'],
  updateWebhook: ['immutable_field', 'webhook_not_found'],
  deleteWebhook: ['webhook_not_found'],
  rotateWebhookSecret: ['secret_limit_reached', 'webhook_without_secret', 'webhook_not_found'],
  testWebhook: ['webhook_not_found', 'webhook_busy'],
  listDeliveries: ['webhook_not_found'],
  redeliver: ['webhook_not_found', 'delivery_not_found', 'webhook_busy'],
  startRecovery: ['webhook_disabled', 'webhook_not_found'],
  listAuditLog: [],
  listJournal: [],
  getSummary: [],
  getBalance: [],
  searchRecords: [],
  listApiKeys: [],
  createApiKey: ['key_limit_reached'],
  getApiKey: ['key_not_found'],
  updateApiKey: ['key_not_found'],
  revokeApiKey: ['key_already_revoked', 'key_not_found'],
  rollOverApiKey: [
    'key_limit_reached',
    'key_already_revoked',
    'key_already_expired',
    'key_already_replaced',
    'key_not_found',
  ],
  getAccount: [],
  updateAccount: ['immutable_field'],
  getTestClock: ['test_clock_in_live_mode'],
  moveTestClock: ['clock_advancing', 'test_clock_in_live_mode'],
  resetTestClock: ['clock_advancing', 'clock_in_use', 'test_clock_in_live_mode'],
};

/** Returns the codes that the operation `name` can return, by status, in the order of the table of error codes. */
export function errorCodesOf(name: OperationName, route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const possible = new Set<string>([...commonCodes(route), ...ownCodes[name]]);
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => possible.has(code));
  return Map.groupBy(codes, (code) => errorCodes[code].status);
}

/** Returns the error code of each field that can be invalid, by the name of the field as it appears in errors. */
export function fieldCodesOf({ query, body }: Route): ReadonlyMap<string, ErrorCode> {
  const fields = [...fieldSchemasOf(query), ...fieldSchemasOf(body)];
  return new Map(fields.map(({ path, code }) => [path, code]));
}

function commonCodes(route: Route): ErrorCode[] {
  const { method, permission, query, body } = route;
  return [
    'missing_api_key',
    'invalid_api_key',
    'expired_api_key',
    'revoked_api_key',
    'address_not_allowed',
    'rate_limit_exceeded',
    'invalid_api_version',
    'invalid_query',
    'invalid_test_fault',
    'test_fault_in_live_mode',
    'record_unreadable',
    'internal_error',
    ...(permission ? (['insufficient_permissions'] as const) : []),
    ...(method === 'GET'
      ? []
      : (['invalid_idempotency_key', 'idempotency_key_reused', 'maintenance'] as const)),
    // Operations that are no lists ignore query parameters that they do not know.
    ...(body || (query && method === 'GET') ? (['unknown_parameter'] as const) : []),
    ...(body ? (['invalid_json', 'invalid_content_type', 'body_too_large'] as const) : []),
    ...fieldCodesOf(route).values(),
  ];
}

type FieldSchema = v.GenericSchema & {
  readonly wrapped?: FieldSchema;
  readonly entries?: Readonly<Record<string, FieldSchema>>;
};

interface FieldOfSchema {
  /** The field's dotted path. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly schema: v.GenericSchema;
}

/** Returns the fields of a schema that can be invalid, also those of nested objects. */
export function fieldSchemasOf(schema: FieldSchema | undefined, prefix = ''): FieldOfSchema[] {
  return Object.entries(schema?.entries ?? {}).flatMap(([key, fieldSchema]) => {
    const path = prefix + key;
    const inner = fieldSchema.wrapped ?? fieldSchema;
    // A field that accepts any value cannot be invalid.
    if (inner.type === 'unknown') return [];
    return [
      { path, code: errorCodeOfField(path, prefix === '' ? schema : undefined), schema: inner },
      ...fieldSchemasOf(inner, `${path}.`),
    ];
  });
}
