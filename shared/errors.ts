/**
 * The only table of error codes: status, type and default sentence of each. Everything that a client may be
 * told is thrown as an `ApiError`; anything else that is thrown becomes `internal_error`, its text only logged.
 */

export type ErrorType =
  | 'validation_error'
  | 'invalid_request_error'
  | 'idempotency_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error';

interface ErrorKind {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500;
  readonly type: ErrorType;
  readonly message: string;
}

const validation = (message: string) => ({ status: 400, type: 'validation_error', message }) as const;
const state = (message: string) => ({ status: 400, type: 'invalid_request_error', message }) as const;
const idempotency = (message: string) => ({ status: 400, type: 'idempotency_error', message }) as const;
const authentication = (message: string) => ({ status: 401, type: 'authentication_error', message }) as const;
const notFound = (message: string) => ({ status: 404, type: 'not_found_error', message }) as const;

export const errorCodes = {
  unknown_parameter: validation('The request has a parameter that this endpoint does not know.'),
  immutable_field: validation('This field cannot be changed.'),
  invalid_json: validation('The body must be one JSON object.'),
  invalid_content_type: validation('The Content-Type must be application/json.'),
  body_too_large: validation('The body must be at most 65536 bytes.'),
  invalid_query: validation('The query string must be valid percent-encoded UTF-8.'),
  invalid_customer: validation('customerId must be a customer id or an e-mail address.'),
  invalid_amount: validation('amount must be an integer from 1 to 999999999999.'),
  invalid_currency: validation('currency must be one of BTN, USD, INR.'),
  invalid_description: validation('description must be a text of 1 to 5000 characters.'),
  invalid_due_date: validation('dueDate must be an ISO 8601 datetime.'),
  invalid_status: validation('status must be one of pending, paid, overdue, cancelled.'),
  invalid_invoice: validation('invoiceId must be the id of an invoice.'),
  invalid_payment: validation('paymentId must be the id of a payment.'),
  invalid_method: validation('method must be one of offline, card.'),
  invalid_reference: validation('reference must be a text of 1 to 255 characters.'),
  invalid_reason: validation('reason must be a text of 1 to 500 characters.'),
  invalid_card: validation('card must be an object with number, expMonth, expYear and cvc.'),
  invalid_card_number: validation('card.number must be a card number.'),
  invalid_card_expiry: validation('card.expMonth and card.expYear must be a month that has not passed.'),
  invalid_card_cvc: validation('card.cvc must be a text of 3 or 4 digits.'),
  test_card_required: validation('In test mode only test cards are taken, such as 4242424242424242.'),
  invalid_url: validation('url must be an absolute https address that may be called.'),
  invalid_events: validation('events must be an array of kinds of events, or ["*"].'),
  invalid_overlap_hours: validation('overlapHours must be an integer from 0 to 168.'),
  invalid_since: validation('since must be an ISO 8601 datetime.'),
  invalid_type: validation('type must be a kind of event.'),
  invalid_before: validation('before must be the id of an event of the last 30 days.'),
  invalid_after: validation('after must be start, or the id of an event of the last 30 days.'),
  invalid_limit: validation('limit must be an integer from 1 to 100.'),
  invalid_offset: validation('offset must be an integer from 0.'),

  key_limit_reached: state('At most 10 keys can be usable per mode; revoke one first.'),

  secret_limit_reached: state(
    'At most 5 secrets of a webhook endpoint can sign at once; wait until one has ended, or send overlapHours 0, which ends all but the new one.',
  ),
  webhook_disabled: state('The webhook endpoint is disabled; enable it first.'),
  webhook_limit_reached: state('There can be at most 20 webhook endpoints per mode; delete one first.'),

  invoice_not_pending: state('Only pending invoices can be updated.'),
  invoice_already_paid: state('The invoice is already paid and cannot be cancelled.'),
  invoice_already_cancelled: state('The invoice is already cancelled.'),
  payment_in_progress: state('A payment for this invoice is in progress; wait for its outcome.'),
  card_data_not_accepted: state(
    'Card data is not accepted in live mode: send the customer to the paymentUrl of the invoice.',
  ),
  payment_not_refundable: state('Only completed payments can be refunded.'),
  refund_exceeds_payment: state('The refund is larger than what is left of the payment.'),

  invalid_idempotency_key: idempotency(
    'Idempotency-Key must be sent once, with 1 to 255 printable ASCII characters.',
  ),
  idempotency_key_reused: idempotency(
    'This Idempotency-Key was used for a different request within the last 24 hours; use a new key.',
  ),

  missing_api_key: authentication(
    'No API key was provided; send the header Authorization: Bearer <API_KEY>.',
  ),
  invalid_api_key: authentication(
    'The API key is invalid; send one as the header Authorization: Bearer <API_KEY>.',
  ),
  expired_api_key: authentication('The API key has expired; create a new one.'),
  revoked_api_key: authentication('The API key was revoked; use another one.'),

  insufficient_permissions: {
    status: 403,
    type: 'permission_error',
    message: 'The API key does not have the permission that this request needs.',
  },

  route_not_found: notFound('There is no such endpoint; check the path and the method.'),
  invoice_not_found: notFound('There is no invoice with this id.'),
  payment_not_found: notFound('There is no payment with this id.'),
  refund_not_found: notFound('There is no refund with this id.'),
  event_not_found: notFound('There is no event with this id; events are kept for 30 days.'),
  webhook_not_found: notFound('There is no webhook endpoint with this id.'),
  delivery_not_found: notFound('There is no delivery with this id to this webhook endpoint.'),

  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many requests; wait the number of seconds that the Retry-After header gives.',
  },

  internal_error: {
    status: 500,
    type: 'api_error',
    message:
      'Something went wrong on our side; the request may be sent again under the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

/** What a client is told: `code` decides status and type; `field` names the offending field of a validation error. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;

  constructor(code: ErrorCode, detail: { field?: string; message?: string } = {}) {
    super(detail.message ?? errorCodes[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.field = detail.field;
  }

  get status(): ErrorKind['status'] {
    return errorCodes[this.code].status;
  }

  get type(): ErrorType {
    return errorCodes[this.code].type;
  }
}
