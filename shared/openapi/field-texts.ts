/** Holds the description of each field of each named schema. A field without a description does not compile. */
import type { SchemaField, SchemaName } from './named-schemas.ts';

type FieldTexts = { readonly [Name in SchemaName]: Readonly<Record<SchemaField<Name>, string>> };

const createdAt = 'The time at which the object was created.';
const updatedAt = 'The time at which the object was last updated. Each update makes it strictly later.';
const currency =
  'The three-letter ISO currency code, in uppercase: `BTN` (Bhutanese ngultrum), `USD` (US dollar) or `INR` (Indian rupee).';
const customerId =
  'The customer who pays: an email address, or an ID from your own system. An ID has 1 to 128 letters, digits and `_ . : -`, and begins with a letter or digit. Card numbers are refused. You do not have to register customers with Remit.';
const readOnly = 'Read-only. Accepted only with its current value.';
const pagination = 'The position of this page in the list.';
const cursor = 'The position of this page in the list, and how to get the next page.';

const invoiceTexts: Pick<
  FieldTexts,
  'Invoice' | 'InvoiceList' | 'InvoiceCancellation' | 'CreateInvoice' | 'UpdateInvoice'
> = {
  Invoice: {
    id: 'The ID of the invoice.',
    customerId: 'The customer who pays the invoice, exactly as you sent it.',
    amount: 'The amount due, in the smallest currency unit. For example, 250000 is Nu. 2,500.00.',
    currency,
    status:
      'The status of the invoice. It is `pending` at first, and becomes `paid`, `cancelled` or, after the due date, `overdue`. An `overdue` invoice can still be paid or cancelled.',
    description: 'What the invoice is for. The customer sees this text.',
    dueDate: 'The time at which payment is due. The invoice becomes `overdue` within two minutes after it.',
    paymentUrl:
      'The URL of the web page (HTML) where the customer can view and pay the invoice. The page does not require an API key.',
    createdAt,
    updatedAt,
  },
  InvoiceList: { data: 'The invoices, newest first.', pagination },
  InvoiceCancellation: {
    id: 'The ID of the invoice.',
    status: 'Always `cancelled`.',
    deletedAt: 'The time at which the invoice was cancelled.',
  },
  CreateInvoice: {
    customerId,
    amount: 'The amount due, in the smallest currency unit. For example, use 250000 for Nu. 2,500.00.',
    currency,
    description:
      'What the invoice is for. The customer sees this text. It must not be only white space or contain a card number, and it is stored exactly as sent.',
    dueDate:
      'The time at which payment is due: an ISO 8601 date and time with `Z`, with an offset such as `+06:00`, or without a time zone (UTC). A date without a time means the end of that day in UTC. The default is 30 days from now.',
  },
  UpdateInvoice: {
    id: readOnly,
    customerId: readOnly,
    amount: 'The new amount, in the smallest currency unit.',
    currency: readOnly,
    status: 'Read-only. Accepted only with its current value. To cancel the invoice, send a DELETE request.',
    description: 'The new description.',
    dueDate: 'The new due date, in the same formats as when you create an invoice.',
    paymentUrl: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  },
};

const paymentTexts: Pick<
  FieldTexts,
  | 'Payment'
  | 'PaymentList'
  | 'CardSummary'
  | 'Dispute'
  | 'CreatePayment'
  | 'Card'
  | 'Refund'
  | 'RefundList'
  | 'CreateRefund'
> = {
  Payment: {
    id: 'The ID of the payment.',
    invoiceId: 'The ID of the invoice that this payment pays.',
    customerId: 'The customer of the invoice.',
    amount: 'The amount paid, in the smallest currency unit. It always equals the amount of the invoice.',
    currency,
    status:
      'The status of the payment: `pending` until the outcome is known, then `completed` or `failed`. Both are final. Refunds do not change the status.',
    method:
      'The payment method: `card` for a card, `offline` for money received outside Remit, `provider` for a payment on the page of a payment provider.',
    card: 'The card used for the payment. Null if no card was used, or if it is not known.',
    reference:
      'Your reference for an offline payment, such as a receipt number, or the ID of the payment at the payment provider. Null if it is not set.',
    amountRefunded: 'The total of all processed refunds of this payment, in the smallest currency unit.',
    failureCode: 'The reason for the failure, as a code. Null unless the payment failed.',
    failureMessage:
      'The reason for the failure, as a message that you can show to the customer. Null unless the payment failed.',
    dispute: 'The last dispute of the payment. Null if the customer did not dispute it.',
    createdAt,
    updatedAt,
  },
  PaymentList: { data: 'The payments, newest first.', pagination },
  CardSummary: { brand: 'The card network.', last4: 'The last four digits of the card number.' },
  Dispute: {
    status:
      'The status of the dispute: `open`, `won` if you keep the money, `lost` if the customer gets it back. While a dispute is open, the payment cannot be refunded.',
    reason: 'The reason, in the words of the payment provider, for example `fraudulent`.',
    amount: 'The disputed amount, in the smallest currency unit.',
    openedAt: 'When Remit learned of the dispute.',
  },
  CreatePayment: {
    invoiceId: 'The ID of the invoice to pay.',
    method: 'The payment method.',
    reference: 'Your reference for the payment, such as the number of a receipt or of a bank transfer.',
    card: 'The test card to charge.',
    amount: 'The expected amount of the invoice. If it differs from the actual amount, the request fails.',
  },
  Card: {
    number:
      'The card number. Spaces and hyphens between digits are allowed. Only test card numbers are accepted.',
    expMonth: 'The expiry month, from 1 to 12. The card is valid until the end of this month.',
    expYear: 'The expiry year, in four digits.',
    cvc: 'The security code, 3 or 4 digits.',
  },
  Refund: {
    id: 'The ID of the refund.',
    paymentId: 'The ID of the refunded payment.',
    invoiceId: 'The ID of the invoice that the payment paid.',
    amount: 'The amount refunded, in the smallest currency unit.',
    currency,
    status:
      'The status of the refund: `pending` until it is carried out, then `processed` or `failed`. In rare cases a processed refund fails up to 30 days later, because the bank of the payer returns the money.',
    reason: 'Your reason for the refund. Null if you did not set one.',
    failureCode: 'The reason for the failure, as a code. Null unless the refund failed.',
    createdAt,
    updatedAt,
  },
  RefundList: { data: 'The refunds, newest first.', pagination },
  CreateRefund: {
    paymentId: 'The ID of the payment to refund.',
    amount:
      'The amount to refund, in the smallest currency unit. The default is the amount that has not been refunded yet.',
    reason: 'The reason for the refund, for your own records.',
  },
};

const secret =
  'The signing secret. Use it to verify the signatures of messages. The part after `whsec_` is the key in base64. Only this response contains it, so store it now.';

const webhook = {
  id: 'The ID of the endpoint.',
  url: 'The URL to which events are sent.',
  events: 'What you asked for: event types, `*` for the common event types, or `all`.',
  eventTypes:
    'The event types that are sent to the endpoint: what `events` stands for in this version of the service.',
  description: 'Your description of the endpoint. Null if you did not set one.',
  status:
    'The status of the endpoint: `enabled` or `disabled`. While an endpoint is `disabled`, its events are recorded as `skipped` and are not sent.',
  disabledReason:
    'Why the endpoint is disabled: `manual` (you disabled it), `gone` (it responded with 410), or `failing` (no delivery succeeded for five days). Null if the endpoint is enabled.',
  createdAt,
  updatedAt,
};

const attempt = {
  number: 'The number of the attempt within its delivery, starting at 1.',
  at: 'The time at which the attempt began.',
  durationMs:
    'The time in milliseconds from the start of the attempt until the response headers arrived or the attempt failed.',
  status: 'The HTTP status of the response. Null if there was no response.',
  error:
    'Why there was no response: `timeout`, `connection_refused`, `connection_reset`, `connection_failed`, `host_not_found`, `dns_failure`, `tls_failure`, `address_not_allowed`, `invalid_response` or `endpoint_unresponsive`. `host_not_found` means that the host name does not exist or does not lead to public addresses only, and `dns_failure` that its name servers gave no usable answer. `endpoint_unresponsive` means that no request was sent, because the endpoint had timed out repeatedly. Null if there was a response.',
  answer: 'The first 1 KiB of the response body.',
};

const createdWebhook = {
  url: 'The URL to send events to. It must be an absolute `https` URL. In test mode, `http` is also allowed.',
  events:
    'The event types to send, each listed once. `*` stands for the common event types: `invoice.created`, `invoice.paid`, `payment.completed`, `payment.failed` and `refund.processed`. You can list other types beside it. `["all"]` stands for all event types, also those that later versions of the service add.',
};

const webhookTexts: Pick<
  FieldTexts,
  | 'Webhook'
  | 'WebhookList'
  | 'WebhookWithSecret'
  | 'WebhookDeletion'
  | 'WebhookTestResult'
  | 'CreateWebhook'
  | 'UpdateWebhook'
  | 'RotateWebhookSecret'
  | 'StartRecovery'
  | 'Recovery'
> = {
  Webhook: webhook,
  WebhookList: { data: 'The webhook endpoints, newest first.', pagination },
  WebhookWithSecret: { ...webhook, secret },
  WebhookDeletion: {
    id: 'The ID of the endpoint.',
    deletedAt: 'The time at which the endpoint was deleted.',
  },
  WebhookTestResult: {
    eventId: 'The ID of the test event, as sent in the `webhook-id` header.',
    succeeded: 'Whether the endpoint responded in time with a 2xx status.',
    ...attempt,
    number: 'Always 1.',
  },
  CreateWebhook: { ...createdWebhook, description: 'Your description of the endpoint.' },
  UpdateWebhook: {
    ...createdWebhook,
    description: 'Your description of the endpoint. Send null to remove it.',
    status: 'Use `disabled` to pause the endpoint and `enabled` to resume it.',
  },
  RotateWebhookSecret: {
    overlapHours:
      'How many hours the current secret remains valid. During this time, messages are signed with both secrets.',
  },
  StartRecovery: {
    since:
      'Deliveries of events from this time on are recovered: an ISO 8601 date and time with `Z`, with an offset such as `+06:00`, or without a time zone (UTC).',
  },
  Recovery: {
    id: 'The ID of the endpoint.',
    since: 'Deliveries of events from this time on are recovered.',
  },
};

const eventTexts: Pick<
  FieldTexts,
  'Delivery' | 'DeliveryAttempt' | 'DeliveryList' | 'Event' | 'EventList' | 'Pagination' | 'Cursor'
> = {
  Delivery: {
    id: 'The ID of the delivery.',
    eventId: 'The ID of the delivered event.',
    eventType: 'The type of the delivered event.',
    status:
      'The status of the delivery: `pending` while attempts remain, `succeeded` after a 2xx response, `failed` after the last attempt, or `skipped` because the endpoint was disabled.',
    attempts: 'The attempts made so far, oldest first. Only the last 25 attempts are kept.',
    nextAttemptAt: 'The time of the next attempt. Null if no further attempt is scheduled.',
    createdAt: 'The time at which the event occurred.',
  },
  DeliveryAttempt: attempt,
  DeliveryList: { data: 'The deliveries, newest first.', cursor },
  Event: {
    id: 'The ID of the event. The same event can be delivered more than once. Use this ID to detect duplicates.',
    type: 'The type of the event.',
    timestamp: 'The time at which the event occurred.',
    mode: 'The mode in which the event occurred: `test` or `live`.',
    objectVersion:
      'The version of the resource in `data`. It increases by one with each change. Events can arrive in any order: the highest version is the latest state.',
    data: 'The resource as it was when the event occurred.',
  },
  EventList: { data: 'The events.', cursor },
  Pagination: {
    total: 'The total number of matching items.',
    limit: 'The maximum number of items on this page.',
    offset: 'The number of items skipped before this page.',
    hasMore: 'Whether more items follow this page.',
  },
  Cursor: {
    hasMore: 'Whether there are more items to read.',
    next: 'The value to send as `before` or, if you sent `after`, as `after` to continue. Null if there is no position to continue from.',
  },
};

const auditTexts: Pick<FieldTexts, 'AuditEntry' | 'AuditActor' | 'AuditSettingChange' | 'AuditLog'> = {
  AuditEntry: {
    id: 'The ID of the entry.',
    timestamp: 'The time of the request or command.',
    actor: 'Who did the operation.',
    action: 'The operation.',
    outcome:
      'Whether the operation took effect: `done`, or for operations of many steps also `started` and `failed`. Such an operation can have taken effect in part.',
    resource: 'The ID of the resource that the operation was about. Null if it was about no single resource.',
    requestId:
      'The ID of the request, as in the header `X-Request-Id`. The entries of one command share an ID.',
    source:
      'A keyed hash of the address that the request came from. Equal addresses have equal hashes. Null for commands.',
    changes: 'The settings that the operation changed. Secrets and personal data are never among them.',
  },
  AuditActor: {
    type: 'The kind of actor: `key` (an API key), `user` (a user of the dashboard), `operator` (an operator of the service), `service` (the service itself) or `unknown`.',
    id: 'The ID of the API key or user, the identity of the operator, or the part of the service. Null if it is unknown.',
  },
  AuditSettingChange: {
    field: 'The name of the setting.',
    before: 'The value before the operation. Null if it was not set.',
    after: 'The value after the operation. Null if it is not set any more.',
  },
  AuditLog: { data: 'The entries, newest first.', cursor },
};

const shownKey = {
  id: 'The ID of the key.',
  name: 'The name of the key.',
  note: 'The note for people. Null if the key has none.',
  last4: 'The last 4 characters of the value.',
  permissions:
    'The permissions of the key. Null: all permissions, also future ones, except `keys:read` and `keys:write`.',
  allowedAddresses: 'The address ranges from which the key may be used. Null: all addresses.',
  status: 'The status of the key: `active`, `expired` or `revoked`.',
  createdAt,
  expiresAt: 'The time at which the key expires. Null if it never expires.',
  revokedAt: 'The time at which the key was revoked. Null if it is not revoked.',
  lastUsedAt: 'The time of the last request with the key. Null if it was never used.',
  replaces: 'The ID of the key that this key replaces. Null if it replaces none.',
  replacedBy: 'The ID of the key that replaces this key. Null if it is not replaced.',
};
const keyName = 'The name of the key, up to 100 characters.';
const keyNote = 'A note for people, up to 500 characters. It can have several lines.';
const ranges =
  'Up to 8 address ranges in CIDR notation, IPv4 or IPv6. A plain address is a range of one address. They must lie within those of the calling key.';

const keyTexts: Pick<
  FieldTexts,
  | 'ApiKey'
  | 'ApiKeyList'
  | 'ApiKeyWithValue'
  | 'ApiKeyRevocation'
  | 'CreateApiKey'
  | 'UpdateApiKey'
  | 'RollOverApiKey'
> = {
  ApiKey: shownKey,
  ApiKeyList: { data: 'The API keys, newest first.', pagination },
  ApiKeyWithValue: {
    ...shownKey,
    value: 'The value of the key. Only this response contains it, so store it now.',
  },
  ApiKeyRevocation: { id: 'The ID of the key.', revokedAt: 'The time at which the key was revoked.' },
  CreateApiKey: {
    name: keyName,
    note: keyNote,
    permissions:
      'The permissions of the key, each listed once. The default is those of the calling key, except `keys:read` and `keys:write`.',
    expiresAt:
      'When the key expires: an ISO 8601 date and time, or a date, which means the end of that day in UTC. The default is the expiry of the calling key.',
    allowedAddresses: `${ranges} The default is those of the calling key.`,
  },
  UpdateApiKey: {
    name: keyName,
    note: `${keyNote} Send null to remove it.`,
    allowedAddresses: `${ranges} Send null to allow all addresses.`,
  },
  RollOverApiKey: {
    overlapHours: 'How many hours the old key still works. 0 revokes it at once.',
    expiresAt:
      'When the new key expires. By default, it lives as long from now as the old key from its creation, but not longer than the calling key.',
  },
};

export const fieldTexts: FieldTexts = {
  FailureCode: {},
  WebhookDisabledReason: {},
  ...keyTexts,
  ...invoiceTexts,
  ...paymentTexts,
  ...webhookTexts,
  ...eventTexts,
  ...auditTexts,
};
