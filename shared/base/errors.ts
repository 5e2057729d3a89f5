/**
 * Defines all error codes of the API, each with its status, type and default message. This is the only such table.
 * - An error that a client may see is thrown as an `ApiError`.
 * - Any other error becomes `internal_error`: its text is logged but not sent, because it can contain internal details.
 */

import { testFaultMessage } from './test-fault.ts';

export type ErrorType =
  | 'validation_error'
  | 'invalid_request_error'
  | 'idempotency_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error';

interface ErrorDefinition {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500;
  readonly type: ErrorType;
  /** The default message. A code without one is only used with a message of its own. */
  readonly message?: string;
}

const validation = (message: string) => ({ status: 400, type: 'validation_error', message }) as const;
/** The schema of the field has the message. */
const invalidField = { status: 400, type: 'validation_error' } as const;
const state = (message: string) => ({ status: 400, type: 'invalid_request_error', message }) as const;
const idempotency = (message: string) => ({ status: 400, type: 'idempotency_error', message }) as const;
const authentication = (message: string) => ({ status: 401, type: 'authentication_error', message }) as const;
const notFound = (message: string) => ({ status: 404, type: 'not_found_error', message }) as const;

export const errorCodes = {
  unknown_parameter: validation('The request has an unknown parameter. Remove it or check its spelling.'),
  immutable_field: validation('This field is read-only. Leave it out or send its current value.'),
  invalid_json: validation('The body must be one JSON object.'),
  invalid_content_type: validation('The Content-Type header must be application/json.'),
  body_too_large: validation('The body is larger than this endpoint accepts. Send a smaller one.'),
  invalid_api_version: validation(
    'The X-API-Version header must be sent only once and name a version of the API.',
  ),
  invalid_query: validation('The query string must be valid percent-encoded UTF-8.'),
  invalid_customer: invalidField,
  invalid_buyer: invalidField,
  invalid_amount: invalidField,
  invalid_lines: invalidField,
  invalid_prices: invalidField,
  invalid_discount: invalidField,
  invalid_round_to: invalidField,
  invalid_gst: invalidField,
  invalid_currency: invalidField,
  invalid_description: invalidField,
  invalid_due_date: invalidField,
  invalid_status: invalidField,
  invalid_invoice: invalidField,
  invalid_payment: invalidField,
  invalid_refund: invalidField,
  invalid_method: invalidField,
  invalid_reference: invalidField,
  invalid_received_on: invalidField,
  invalid_every: invalidField,
  invalid_start_on: invalidField,
  invalid_day: invalidField,
  invalid_hour: invalidField,
  invalid_time_zone: invalidField,
  invalid_end_on: invalidField,
  invalid_count: invalidField,
  invalid_due_in_days: invalidField,
  invalid_mode: invalidField,
  invalid_late: invalidField,
  invalid_bank: invalidField,
  invalid_allow_duplicate_reference: invalidField,
  invalid_reason: invalidField,
  invalid_to: invalidField,
  invalid_mail: invalidField,
  invalid_reminders: invalidField,
  invalid_reminders_paused: invalidField,
  invalid_message: invalidField,
  invalid_send: invalidField,
  no_recipient: validation(
    'The invoice has no email address. Send one in the field to, or add it to the customer.',
  ),
  invalid_metadata: invalidField,
  invalid_mapping: invalidField,
  invalid_card: invalidField,
  invalid_card_number: invalidField,
  invalid_card_expiry: invalidField,
  invalid_card_cvc: invalidField,
  test_card_required: validation(
    'Test mode accepts only test cards. Use a test card such as 4242424242424242.',
  ),
  invalid_url: invalidField,
  invalid_target: invalidField,
  invalid_events: invalidField,
  invalid_filters: invalidField,
  invalid_overlap_hours: invalidField,
  invalid_since: invalidField,
  invalid_type: invalidField,
  invalid_before: invalidField,
  invalid_after: invalidField,
  invalid_from: invalidField,
  invalid_by: invalidField,
  invalid_q: invalidField,
  invalid_actor: invalidField,
  invalid_action: invalidField,
  invalid_resource: invalidField,
  invalid_name: invalidField,
  invalid_email: invalidField,
  invalid_phone: invalidField,
  invalid_address: invalidField,
  invalid_tax_ids: invalidField,
  invalid_seller: invalidField,
  invalid_unit: invalidField,
  invalid_unit_amounts: invalidField,
  invalid_tax: invalidField,
  invalid_product_code: invalidField,
  invalid_note: invalidField,
  invalid_permissions: invalidField,
  invalid_expires_at: invalidField,
  invalid_allowed_addresses: invalidField,
  invalid_created_from: invalidField,
  invalid_created_to: invalidField,
  invalid_force: invalidField,
  invalid_payments: invalidField,
  invalid_accept_partial: invalidField,
  invalid_accept_over: invalidField,
  invalid_settle: invalidField,
  invalid_claim: invalidField,
  invalid_credit_from: invalidField,
  invalid_use_credit: invalidField,
  invalid_paper: invalidField,
  invalid_locale: invalidField,
  invalid_limit: invalidField,
  invalid_kind: invalidField,
  invalid_about: invalidField,
  invalid_offset: invalidField,
  invalid_rows: invalidField,
  invalid_file: invalidField,
  invalid_size: invalidField,
  invalid_format: invalidField,
  invalid_bom: invalidField,

  key_limit_reached: state('You can have at most 10 usable API keys in each mode. Revoke a key first.'),
  key_already_revoked: state('The API key is already revoked.'),
  key_already_expired: state('The API key has expired. Create a new key.'),
  key_already_replaced: state('Another API key has already replaced this key. Roll over that key.'),

  secret_limit_reached: state(
    'At most 5 secrets of a webhook endpoint can be valid at the same time. Wait until one expires, or send overlapHours 0 to make all secrets except the new one invalid.',
  ),
  webhook_without_secret: state(
    'The endpoint has a target in AWS, so it has no secret. Leave this request out.',
  ),
  webhook_disabled: state('The webhook endpoint is disabled. To continue, enable the endpoint.'),
  webhook_limit_reached: state(
    'You can have at most 20 webhook endpoints in each mode. To create another one, delete an endpoint.',
  ),

  reference_taken: state(
    'Another invoice has this reference. Send a reference that you have not used, or read that invoice.',
  ),
  reference_already_used: state(
    'Another payment has this reference, or can be the money of the claim. Read it, or send allowDuplicateReference: true if this is other money.',
  ),
  row_already_matched: state('All money of the row is used. Read the row, or void a payment of it first.'),
  row_takes_money: state(
    'The row takes money out, so it pays no invoice. Send the refundId of a refund, or ignore the row.',
  ),
  schedule_ended: state('The schedule has ended. Create another one.'),
  schedule_not_active: state('The schedule is paused. Resume it first: change its status to active.'),
  export_limit_reached: state(
    'Five exports are running. Wait until one of them ends, and send the request again.',
  ),
  draft_finalized: state('The draft is finalized and cannot change. Read or change its invoice.'),
  invoice_not_pending: state('Only pending invoices can be updated.'),
  invoice_partly_paid: state(
    'The invoice has received payments. Send the query parameter payments=refund to cancel it and refund them, or payments=credit to keep them as credit of the customer.',
  ),
  no_credit: state(
    'The customer has no credit in the currency of the invoice. Receive what is due in another way.',
  ),
  invoice_already_paid: state('The invoice is already paid and cannot be cancelled.'),
  invoice_already_cancelled: state('The invoice is already cancelled.'),
  payment_in_progress: state('A payment for this invoice is in progress. Wait for its outcome.'),
  card_data_not_accepted: state(
    'Live mode does not accept card data. Send the customer to the paymentUrl of the invoice.',
  ),
  mail_off: state('This deployment sends no mail. Ask its operator to set the address of the sender.'),
  mail_kind_off: state(
    'Your account does not send this kind of mail. Switch it on in the settings of mails, or with PATCH /api/account.',
  ),
  claim_open: state(
    'A payer claims to have paid this invoice, so it gets no reminder. Confirm or reject the claim first.',
  ),
  address_erased: state('The address of this mail was erased, so no mail can go to it.'),
  payment_not_resolvable: state('Only a payment of another amount than its invoice needs a decision.'),
  payment_not_voidable: state('Only a payment that you received outside Remit can be voided.'),
  payment_not_refundable: state('Only completed payments can be refunded.'),
  refund_exceeds_payment: state(
    'The refund is larger than the amount that can still be refunded. Send a smaller amount.',
  ),

  invalid_idempotency_key: idempotency(
    'Idempotency-Key must be sent only once and have 1 to 255 printable ASCII characters.',
  ),
  idempotency_key_reused: idempotency(
    'This Idempotency-Key was used for a different request in the last 24 hours. Use a new key.',
  ),

  invalid_clock: invalidField,
  clock_advancing: state(
    'The clock of test mode still moves. Wait until its status is ready, and send the request again.',
  ),

  clock_in_use: state(
    'The clock of test mode cannot go back, because something was made or changed while it was ahead. Keep the clock, or create a new account for tests.',
  ),
  test_clock_in_live_mode: state('The clock works only with test keys. Use a key that begins with sk_test_.'),

  invalid_test_fault: validation(testFaultMessage),
  test_fault_in_live_mode: validation(
    'X-Test-Fault works only with test keys. Leave the header out, or use a key that begins with sk_test_.',
  ),

  missing_api_key: authentication(
    'The API key is missing. Send it in the header Authorization: Bearer <API_KEY>.',
  ),
  invalid_api_key: authentication(
    'The API key is invalid. Send a valid key in the header Authorization: Bearer <API_KEY>.',
  ),
  expired_api_key: authentication('The API key has expired. Use a new key.'),
  revoked_api_key: authentication('The API key was revoked. Use another key.'),

  insufficient_permissions: {
    status: 403,
    type: 'permission_error',
    message: 'The API key does not have the required permission. Use a key that has it.',
  },

  address_not_allowed: {
    status: 403,
    type: 'permission_error',
    message:
      'The API key may not be used from this address. Send the request from an allowed address, or allow this one for the key.',
  },

  route_not_found: notFound('This endpoint does not exist. Check the path and the method.'),
  invoice_not_found: notFound('The invoice does not exist. Check its ID and the mode of your API key.'),
  payment_not_found: notFound('The payment does not exist. Check its ID and the mode of your API key.'),
  refund_not_found: notFound('The refund does not exist. Check its ID and the mode of your API key.'),
  customer_not_found: notFound('The customer does not exist. Check its ID and the mode of your API key.'),
  product_not_found: notFound('The product does not exist. Check its ID and the mode of your API key.'),
  draft_not_found: notFound('The draft does not exist. Check its ID and the mode of your API key.'),
  schedule_not_found: notFound('The schedule does not exist. Check its ID and the mode of your API key.'),
  statement_not_found: notFound('The statement does not exist. Check its ID and the mode of your API key.'),
  row_not_found: notFound('The statement has no row with this ID. Check the ID.'),
  export_not_found: notFound('The export does not exist. Check its ID and the mode of your API key.'),
  document_not_found: notFound('The document does not exist. Check its ID and the mode of your API key.'),
  mail_not_found: notFound('The mail does not exist. Check its ID and the mode of your API key.'),
  event_not_found: notFound('The event does not exist. Check its ID. Events are kept for 30 days.'),
  webhook_not_found: notFound(
    'The webhook endpoint does not exist. Check its ID and the mode of your API key.',
  ),
  key_not_found: notFound('The API key does not exist. Check its ID and the mode of your API key.'),
  delivery_not_found: notFound('The webhook endpoint has no delivery with this ID. Check the ID.'),

  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many requests. Wait for the number of seconds in the Retry-After header.',
  },

  mail_limit_reached: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many mails. Wait for the number of seconds in the Retry-After header.',
  },

  webhook_busy: {
    status: 429,
    type: 'rate_limit_error',
    message:
      'A test or redelivery of this webhook endpoint is in progress. Wait for the number of seconds in the Retry-After header.',
  },

  maintenance: {
    status: 429,
    type: 'rate_limit_error',
    message:
      'The service is in maintenance and accepts no changes. Send the request again after the number of seconds in the Retry-After header.',
  },

  record_unreadable: {
    status: 500,
    type: 'api_error',
    message:
      'A stored record that this request needs cannot be read, and no request changes it. Ask the operator of this deployment to repair it.',
  },

  internal_error: {
    status: 500,
    type: 'api_error',
    message: 'An internal error occurred. You can send the request again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorCodes;

/** The codes that have a default message. */
export type CodeWithMessage = {
  [Code in ErrorCode]: (typeof errorCodes)[Code] extends { readonly message: string } ? Code : never;
}[ErrorCode];

/** A field, parameter or header that is missing, unknown or invalid. */
export interface FieldError {
  /** The dotted path of the field. */
  readonly field: string;
  readonly code: ErrorCode;
  /** What is wrong, and what to do. */
  readonly message: string;
}

interface ErrorDetail {
  /** The invalid field of a validation error. */
  readonly field?: string;
  /** What is wrong, and what to do. */
  readonly message?: string;
  /** Finds all field errors, the reported one first. It is called only if the client sees the error. */
  readonly findAll?: () => readonly FieldError[];
}

/** An error that the client sees. Its code determines the status and the type. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  private readonly findAll: (() => readonly FieldError[]) | undefined;

  constructor(
    ...[code, detail = {}]:
      | [code: CodeWithMessage, detail?: ErrorDetail]
      | [code: ErrorCode, detail: ErrorDetail & { readonly message: string }]
  ) {
    const definition: ErrorDefinition = errorCodes[code];
    super(detail.message ?? definition.message);
    this.name = 'ApiError';
    this.code = code;
    this.field = detail.field;
    this.findAll = detail.findAll;
  }

  /** All field errors of a validation error, the error itself first. Undefined for other errors. */
  get details(): readonly FieldError[] | undefined {
    const { field, code, message } = this;
    return field === undefined ? undefined : (this.findAll?.() ?? [{ field, code, message }]);
  }

  get status(): ErrorDefinition['status'] {
    return errorCodes[this.code].status;
  }

  get type(): ErrorType {
    return errorCodes[this.code].type;
  }
}

/**
 * The body of an error response. A field that is undefined is left out of its JSON.
 * @param baseUrl the base URL of the service, whose docs have a page for each error code
 */
export function errorBody({ message, type, code, field, details }: ApiError, baseUrl: string) {
  return { error: { message, type, code, field, details, docUrl: docUrlOf(baseUrl, code) } };
}

/** The address of the page about an error code, or about all codes. */
export function docUrlOf(baseUrl: string, code?: ErrorCode): string {
  return `${baseUrl}/docs/errors${code === undefined ? '' : `/${code}`}`;
}
