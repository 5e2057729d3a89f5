/**
 * Explains each error code for the pages at `/docs/errors`: what it means, how to fix it, and whether a retry helps. Codes
 * of invalid fields have no text of their own, because the messages of their fields say it all.
 */
import { type CodeWithMessage, type ErrorCode, type ErrorType, errorCodes } from '../../base/errors.ts';

/** In these texts, backticks enclose code. */
interface ErrorText {
  readonly meaning: string;
  readonly remedy: string;
  /** Whether a retry helps, if it differs from other codes of the same type. */
  readonly retry?: string;
}

const unchanged = 'No. The same request returns the same error until you correct it.';
const afterWait =
  'Yes. Wait for the number of seconds in the `Retry-After` header. The request had no effect, so you can send it again with the same `Idempotency-Key`.';
const retryByType: Readonly<Record<ErrorType, string>> = {
  validation_error: unchanged,
  invalid_request_error:
    'No. The same request returns the same error until the state of the resource changes.',
  idempotency_error: unchanged,
  authentication_error: 'No. The same key returns the same error.',
  permission_error: 'No. The same key returns the same error.',
  not_found_error: 'No. The same request returns the same error.',
  rate_limit_error: afterWait,
  api_error:
    'Yes, with the same `Idempotency-Key`. The request may have taken effect. The key makes sure that it takes effect only once.',
};

const newKey = 'Ask the operator of this deployment for a new key, or create one with a key that may do so.';
const notFound = (resource: string): ErrorText => ({
  meaning: `No ${resource} with this ID exists in the account and mode of the API key.`,
  remedy: `Check the ID. Check that you use a key of the account and the mode (\`sk_test_\` or \`sk_live_\`) in which the ${resource} was created.`,
});

const texts: Readonly<Record<CodeWithMessage, ErrorText>> = {
  unknown_parameter: {
    meaning: 'The body or the query has a name that the operation does not know. `field` contains it.',
    remedy:
      'Compare the name with the reference of the operation. Names are in camel case, such as `customerId`.',
  },
  immutable_field: {
    meaning: 'The request tries to change a field that never changes. `field` names it.',
    remedy: 'Leave the field out, or send its current value.',
  },
  invalid_json: {
    meaning: 'The body is not one JSON object, or a field occurs twice.',
    remedy:
      'Serialize the body with the JSON functions of your language. Check that quotes of the shell do not end the body early.',
  },
  invalid_content_type: {
    meaning: 'The body has another type than JSON, or the request does not name its type.',
    remedy: 'Send the header `Content-Type: application/json`. Forms are not accepted.',
  },
  body_too_large: {
    meaning:
      'The body is larger than 64 KiB, or 320 KiB for a change of the account, which can contain a logo.',
    remedy: 'Send a smaller body. The longest description of an invoice has 5000 characters.',
  },
  invalid_api_version: {
    meaning: 'The header `X-API-Version` was sent twice, or this service does not have the version in it.',
    remedy:
      'Send one of the versions that the message lists. Leave the header out to use the version of your API key.',
  },
  invalid_query: {
    meaning: 'The query string contains bytes that are not percent-encoded UTF-8.',
    remedy: 'Encode each name and value, for example with `encodeURIComponent` or `curl --data-urlencode`.',
  },
  test_card_required: {
    meaning: 'Test mode accepts only the card numbers that are made for tests.',
    remedy: 'Use a test card, such as `4242424242424242`.',
  },
  key_limit_reached: {
    meaning: 'The account has 10 usable API keys in this mode, which is the limit.',
    remedy: 'Revoke a key that you no longer use. Expired, revoked and replaced keys do not count.',
  },
  key_already_revoked: {
    meaning: 'The API key was revoked before. A revoked key stays revoked.',
    remedy: 'If you want to revoke the key, nothing is left to do. Otherwise, create a new key.',
  },
  key_already_expired: {
    meaning: 'The API key expired before, so it cannot be rolled over.',
    remedy: 'Create a new key.',
  },
  key_already_replaced: {
    meaning: 'The API key was rolled over before, so another key replaces it.',
    remedy: 'Roll over the newer key. The field `replacedBy` contains its ID.',
  },
  secret_limit_reached: {
    meaning: 'Five secrets of this webhook endpoint are valid at the same time, which is the limit.',
    remedy:
      'Wait until an earlier secret expires, or send `overlapHours` 0: then only the new secret is valid.',
  },
  webhook_without_secret: {
    meaning:
      'The webhook endpoint has a target in AWS. The role of the service sends its events, so they are not signed.',
    remedy: 'Leave the request out. Nothing has to be rotated.',
  },
  webhook_disabled: {
    meaning: 'The webhook endpoint is disabled, so nothing is sent to it.',
    remedy: 'Send `PATCH /api/webhooks/{id}` with the `status` `enabled`, and repeat the request.',
  },
  webhook_limit_reached: {
    meaning: 'The account has 20 webhook endpoints in this mode, which is the limit.',
    remedy: 'Delete an endpoint that you no longer use.',
  },
  row_already_matched: {
    meaning:
      'Payments use all of the money of the row, the row has paid this invoice already, or it is a refund. The message says which payment or refund that is.',
    remedy:
      'Read the row to see its `payments` and its `refund`. Void a payment that is wrong first. If the refund is wrong, ignore the row first.',
  },
  row_takes_money: {
    meaning: 'The amount of the row is negative: the money went out of your account.',
    remedy:
      'If you have returned money to a payer, match the row with the refund: send `refundId`. Otherwise, ignore the row.',
  },
  schedule_ended: {
    meaning: 'The schedule has ended. It makes no more invoices, and cannot change.',
    remedy: 'Create another schedule.',
  },
  schedule_not_active: {
    meaning: 'The schedule is paused, so it has no next time to skip or to make now.',
    remedy:
      'Resume it: send `PATCH` with `{"status":"active"}`. If it has stopped by itself, its `failure` says what to correct first.',
  },
  export_limit_reached: {
    meaning: 'Five exports of this mode are running, which is the limit.',
    remedy: 'Wait for the event `export.completed` or `export.failed` of one of them.',
    retry: 'Yes, after one of the exports has ended.',
  },
  draft_finalized: {
    meaning: 'The draft is an invoice already, so it cannot be changed, deleted or finalized again.',
    remedy:
      'The message and the field `invoiceId` of the draft have the ID of the invoice. Use that invoice.',
  },
  no_recipient: {
    meaning: 'Neither the request nor the buyer or customer of the invoice has an email address.',
    remedy: 'Send the address in `to`, or add it to the buyer or the customer.',
  },
  mail_off: {
    meaning: 'The operator of this deployment has not set the address from which mails come.',
    remedy: 'Ask the operator to set it, or send the `paymentUrl` of the invoice in another way.',
  },
  mail_kind_off: {
    meaning: 'All mails to customers are off until you switch them on.',
    remedy: 'Switch the kind on: `PATCH /api/account` with `{"mail":{"invoice":true}}`, or in the dashboard.',
  },
  claim_open: {
    meaning: 'A payer says that they have paid this invoice by bank transfer, and you have not decided yet.',
    remedy: 'Confirm or reject the claim of the invoice. After a rejection, send the reminder again.',
  },
  address_erased: {
    meaning: 'The personal data of the customer was erased, and with it the address of this mail.',
    remedy: 'Send another mail to the address. If it is `skipped`, allow the address of that mail.',
  },
  mail_limit_reached: {
    meaning:
      'An address gets 3 mails an hour from you at most, and your account sends 500 mails a day, unless the operator of the deployment chose another number.',
    remedy: 'Wait, and send the request again.',
  },
  invoice_not_pending: {
    meaning: 'Only pending invoices can be updated. This one is paid, cancelled or overdue.',
    remedy: 'Retrieve the invoice to see its `status`. To change an overdue invoice, replace it.',
  },
  invoice_already_paid: {
    meaning: 'The invoice is paid. It cannot be paid again or cancelled.',
    remedy:
      'To return the money, create a refund of its payment. To record more money that you received for it, send `acceptOver`.',
  },
  invoice_partly_paid: {
    meaning: 'The invoice has received payments of parts, so it cannot be cancelled or replaced as it is.',
    remedy:
      'To cancel the invoice and refund all of its payments, send `DELETE` with the query parameter `payments=refund`. To keep them as credit of the customer, send `payments=credit`.',
  },
  no_credit: {
    meaning:
      'No payment of the customer of the invoice has credit left in its currency: `amountOver` less `amountCredited` and refunds.',
    remedy: 'Receive what is due in another way, such as on the page at `paymentUrl`.',
  },
  invoice_already_cancelled: {
    meaning: 'The invoice is cancelled. It cannot be paid, and it stays cancelled.',
    remedy: 'If you want to cancel the invoice, nothing is left to do. To get paid, create a new invoice.',
  },
  payment_in_progress: {
    meaning:
      'The outcome of a payment of this invoice is not known yet, so nothing else can change the invoice.',
    remedy:
      'Wait for the event `payment.completed` or `payment.failed`, or retrieve the payment until it is no longer `pending`. If the payment provider does not answer, send the query parameter `force=payment_in_progress`: money that still arrives is then refunded automatically.',
    retry: 'Yes, after the payment has completed or failed. That usually takes a few seconds.',
  },
  card_data_not_accepted: {
    meaning: 'Live mode does not accept card data, so that your server never handles it.',
    remedy: 'Send your customer to the `paymentUrl` of the invoice.',
  },
  payment_not_resolvable: {
    meaning:
      'The payment does not wait for a decision of yours. Or it cannot be accepted: the payment provider has returned all of it, or it is less than what is due of an invoice that takes only one more payment.',
    remedy: 'The message says which. Retrieve the payment to see its `status` and its `pendingReason`.',
  },
  payment_not_voidable: {
    meaning:
      'The payment was not received outside Remit, it is voided already, other payments use its credit, or it has refunds. Or its paid invoice has another payment with refunds, or more than 37 payments.',
    remedy:
      'The message says which. Refund the payment instead. For a payment outside Remit, that only records that the money is not yours.',
  },
  payment_not_refundable: {
    meaning:
      'The payment is pending, failed, voided or disputed, or it used the credit of another payment. Only completed payments without an open dispute can be refunded.',
    remedy: 'Retrieve the payment to see its `status`, its `voidedAt` and its `dispute`.',
  },
  reference_already_used: {
    meaning:
      'Another payment of this account and mode has the same `reference` of the same `bank`, or both are without a bank. Or you confirm a `claim`, and a payment of the invoice has its amount or reference.',
    remedy:
      'The message has the ID of that payment. If you record the same money, it is recorded already: then confirm the claim with its `paymentId`. If it is other money, send `allowDuplicateReference: true`.',
    retry: 'No. The reference stays used until that payment is voided.',
  },
  reference_taken: {
    meaning:
      'Another invoice of this account and mode was created with the same `reference`. A reference stays taken, also after the invoice is cancelled or the data of its customer is erased.',
    remedy:
      'The message has the ID of that invoice. If it is the invoice that you wanted to create, use it. Otherwise, send another reference.',
    retry: 'No. The reference stays taken.',
  },
  refund_exceeds_payment: {
    meaning:
      'The refund is larger than the part of the payment that is not refunded yet. Pending refunds count.',
    remedy: 'Send a smaller amount, or leave `amount` out to refund the rest.',
  },
  invalid_idempotency_key: {
    meaning:
      'The header `Idempotency-Key` is empty, too long, sent twice, or has characters that are not allowed.',
    remedy: 'Send one header with 1 to 255 printable ASCII characters, such as a UUID.',
  },
  idempotency_key_reused: {
    meaning:
      'In the last 24 hours, a request with other content took effect under this key. Or the response contains a secret, and another API key sent the request.',
    remedy: 'Use a new key for each operation, and the same key only to repeat exactly the same request.',
    retry:
      'No. First find out whether the earlier request did what you want. If not, send this one with a new key.',
  },
  clock_advancing: {
    meaning: 'The clock of test mode is moving, and the work that became due is not done yet.',
    remedy: 'Send `GET /api/test/clock` until `status` is `ready`.',
    retry: 'Yes, after the clock has arrived. That usually takes a few seconds.',
  },
  clock_in_use: {
    meaning:
      'The clock of test mode cannot return to the real time, because a resource was made or changed while the clock was ahead. Its times would then be in the future.',
    remedy: 'Keep the clock, or use another account for tests.',
    retry: 'No.',
  },
  test_clock_in_live_mode: {
    meaning: 'The request for the clock has a live key. Live mode always has the real time.',
    remedy: 'Use a test key.',
    retry: 'No. Use a test key first.',
  },
  invalid_test_fault: {
    meaning:
      'The header `X-Test-Fault` names no fault, was sent twice, or has a number that is not accepted.',
    remedy:
      'Send one of the faults that the message lists, as in `X-Test-Fault: slow=2000`, or no such header.',
  },
  test_fault_in_live_mode: {
    meaning: 'The request has the header `X-Test-Fault` and a live key. Faults exist only in test mode.',
    remedy: 'Leave the header out, or use a test key.',
  },
  missing_api_key: {
    meaning: 'The request has no API key in the header `Authorization`.',
    remedy: 'Send the header `Authorization: Bearer <API_KEY>`. A key in the URL or in the body is ignored.',
  },
  invalid_api_key: {
    meaning: 'No API key has this value. It can be incomplete or mistyped, or belong to another deployment.',
    remedy: 'Copy the whole key, without quotes and spaces. It begins with `sk_test_` or `sk_live_`.',
  },
  expired_api_key: { meaning: 'The API key worked until its expiry date.', remedy: newKey },
  revoked_api_key: { meaning: 'The API key was revoked. It never works again.', remedy: newKey },
  insufficient_permissions: {
    meaning: 'The API key is valid, but its permissions do not include the one that the operation requires.',
    remedy: 'Use a key with this permission. The reference of each operation names it.',
  },
  address_not_allowed: {
    meaning: 'The API key is limited to address ranges, and the request came from another address.',
    remedy: 'Send the request from an allowed address, or add the address to `allowedAddresses` of the key.',
  },
  route_not_found: {
    meaning: 'No endpoint has this path and method.',
    remedy:
      'Compare both with the reference. All paths of the API begin with `/api/`, and names are in plural, as in `/api/invoices`.',
  },
  invoice_not_found: notFound('invoice'),
  payment_not_found: notFound('payment'),
  refund_not_found: notFound('refund'),
  customer_not_found: notFound('customer'),
  product_not_found: notFound('product'),
  draft_not_found: notFound('draft'),
  schedule_not_found: notFound('schedule'),
  statement_not_found: notFound('statement'),
  export_not_found: notFound('export'),
  row_not_found: {
    meaning: 'The statement has no row with this ID.',
    remedy: 'List the rows of the statement, and check that the ID begins with `row_`.',
  },
  document_not_found: notFound('document'),
  mail_not_found: notFound('mail'),
  event_not_found: {
    ...notFound('event'),
    remedy: 'Check the ID and the mode of the key. Events are kept for 30 days.',
  },
  webhook_not_found: notFound('webhook endpoint'),
  key_not_found: notFound('API key'),
  delivery_not_found: {
    meaning: 'The webhook endpoint has no delivery with this ID.',
    remedy: 'List the deliveries of the endpoint. A delivery belongs to one endpoint only.',
  },
  rate_limit_exceeded: {
    meaning: 'The account has sent all requests of this hour, or too many requests at the same time.',
    remedy:
      'Spread your requests. The headers `X-RateLimit-Remaining` and `X-RateLimit-Reset` say how many are left and until when.',
  },
  webhook_busy: {
    meaning: 'A test or a redelivery waits for the response of this endpoint, or too many of the account do.',
    remedy: 'Send tests and redeliveries one after the other. To send many events again, use recovery.',
  },
  maintenance: {
    meaning: 'The operator has paused all requests that change something. Requests that read still work.',
    remedy: 'Keep the request and send it again later.',
  },
  record_unreadable: {
    meaning:
      'Something that the service has stored lacks a part, or has a part of another form. Such a record is neither shown nor changed. It is not the fault of your request. Your other records work as always.',
    remedy:
      'Send the ID in the message and the value of the `X-Request-Id` header to the operator of this deployment. As the operator, run `npx remit reconcile run --full` for the account: it names each such record. The runbook says how to repair it.',
    retry:
      'No, until the operator has repaired the record. Then send the request again with the same `Idempotency-Key`.',
  },
  internal_error: {
    meaning: 'An error occurred in the service. It is not the fault of your request.',
    remedy:
      'If it happens again, send the value of the `X-Request-Id` header to the operator of this deployment.',
  },
};

const fieldText: ErrorText = {
  meaning: 'A field or parameter is missing or has a value that is not accepted. `field` names it.',
  remedy:
    'Send a value as the message describes it. The reference of the operation shows which values the field accepts.',
};

/** Returns the explanation of an error code. */
export function errorTextOf(code: ErrorCode): Required<ErrorText> {
  const text: ErrorText = texts[code as CodeWithMessage] ?? fieldText;
  return { retry: retryByType[errorCodes[code].type], ...text };
}
