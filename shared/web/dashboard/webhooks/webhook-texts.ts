/** The English texts of the pages of webhook endpoints and deliveries. */
import { versionTexts } from '../input/version-field.ts';

/** The list of endpoints. The overview shows a part of it, and needs no other text. */
export const webhookListTexts = {
  title: 'Webhooks',
  create: 'Add endpoint',
  table: 'Webhook endpoints, newest first',
  empty: 'No endpoints yet. Add the address of your server, and Remit sends it an event for each change.',
  failing: 'Failing',
  destination: 'Sends to',
} as const;

export const webhookTexts = {
  one: 'Webhook endpoint',
  failingSince: 'Failing since',
  disabledReasons: {
    manual: 'Disabled by a user or through the API.',
    gone: 'Disabled, because the receiver responded 410 Gone.',
    failing: 'Disabled, because all attempts failed for five days.',
  },
  edit: 'Edit',
  editTitle: 'Edit endpoint',
  save: 'Save changes',
  delete: 'Delete',
  deleteTitle: 'Delete this endpoint?',
  deleteHint:
    'Remit stops sending events to this address, and its deliveries can no longer be seen. This cannot be undone.',
  deleteSubmit: 'Delete endpoint',
  keep: 'Keep the endpoint',
  back: 'Back to the endpoint',
  rotate: 'Rotate secret',
  rotateTitle: 'Rotate the signing secret',
  rotateHint:
    'The new secret is shown once. Until the overlap ends, Remit signs with both secrets, so you can change your server in between.',
  test: 'Send test event',
  testTitle: 'Test event',
  testSucceeded: 'The endpoint accepted the test event.',
  testFailed: 'The endpoint did not accept the test event.',
  recover: 'Send missed events',
  recoverTitle: 'Send missed events again',
  recoverHint:
    'Remit sends all failed and skipped events since this time again, in the background. Enable the endpoint first if it is disabled.',
  createdTitle: 'Endpoint added',
  noSecretHint: 'The role of the service sends the events to this target, so there is no signing secret.',
  secretTitle: 'Signing secret',
  secretLabel: 'secret',
  secretHint: 'Store this secret on your server now. It is shown only once.',
  changed:
    'The endpoint changed after you opened this form. Nothing was saved. Check the values, then save again.',
  deliveries: 'Deliveries',
  deliveriesTable: 'Deliveries, newest first',
  noDeliveries: 'No deliveries yet. They appear here when something happens to an invoice.',
  noDeliveryMatch: 'No delivery among those examined has this status.',
  older: 'Older deliveries',
  newest: 'Newest deliveries',
  delivery: 'Delivery',
  attempts: 'Attempts',
  noAttempts: 'No attempt was made.',
  attempt: (number: number) => `Attempt ${number}`,
  nextAttempt: 'Next attempt',
  sendAgain: 'Send again',
  request: 'Request',
  requestHint: 'Each attempt sends these same bytes, with a new timestamp and signature in its headers.',
  targetRequestHint: 'Each attempt sends these same bytes.',
  expired: 'The event was deleted after 30 days.',
  answer: 'Response',
  noAnswer: 'The response has no body.',
  duration: (ms: number) => `${ms} ms`,
  httpStatus: (status: number) => `HTTP ${status}`,
  tlsCauses: {
    certificate_expired: 'The certificate has expired.',
    certificate_not_yet_valid: 'The certificate is not valid yet.',
    certificate_self_signed: 'The certificate is self-signed.',
    certificate_untrusted:
      'No public authority signed the certificate, or the server does not send the intermediate certificate.',
    certificate_wrong_name: 'The certificate is for another host name.',
    not_tls: 'The server does not speak TLS on this port.',
    protocol_version: 'The server offers no version from TLS 1.2 on.',
    handshake_refused: 'The server refused the handshake.',
  } as Readonly<Record<string, string>>,
  targetErrors: {
    target_not_allowed: 'The service is not deployed with this target',
    target_not_found: 'The target does not exist',
    target_access_denied: 'The target does not accept events of the service',
    target_key_denied: 'The service may not use the KMS key of the target',
    target_throttled: 'AWS limits the rate of events to the target',
    target_failed: 'AWS did not accept the event',
  } as Readonly<Record<string, string>>,
  targetTypes: { sqs: 'SQS queue', eventbridge: 'EventBridge bus', lambda: 'Lambda function' },
  toUrl: 'A URL of your server',
  lastAttempt: 'Last attempt',
  enabledHint: 'A disabled endpoint receives no events. They are recorded as skipped.',
  allEvents: 'All events, also those of later versions',
  commonEvents: 'All common events: created, paid, payments, processed refunds',
} as const;

/** The fields of the forms. A `message` replaces that of the API, whose format differs from the form's. */
export const webhookFields = {
  url: { label: 'URL', hint: 'The https address of your server. In test mode, http is also allowed.' },
  target: {
    label: 'Send to',
    hint: 'A URL, or a target in AWS that the service is deployed with. For a target, leave the URL empty.',
  },
  events: {
    label: 'Events',
    message: 'Choose at least one event. If you choose all common events, choose no other.',
  },
  description: { label: 'Description', hint: 'Optional. Up to 255 characters.' },
  filters: {
    label: 'Filters',
    hint: 'Optional. One condition per line, up to five: data.amount > 100000, data.currency in BTN, INR, data.metadata.shop = Paro, data.number starts with INV-. Only events that match all of them are sent. Amounts are in the smallest unit.',
  },
  apiVersion: { label: versionTexts.label, message: versionTexts.message },
  status: { label: 'Status' },
  overlapHours: {
    label: 'Overlap in hours',
    hint: 'How long the present secret stays valid, from 0 to 168.',
    message: 'Overlap must be a whole number of hours from 0 to 168.',
  },
  since: {
    label: 'Since',
    message: 'Since must be a date and time.',
  },
} as const;
