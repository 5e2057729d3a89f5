/** Describes the fields of events, of their deliveries and of list positions. */
import { cursor, type FieldTexts } from './common-field-texts.ts';

/** The fields of an attempt, of a delivery or of a test event. */
export const attemptFieldTexts = {
  number: 'The number of the attempt within its delivery, starting at 1.',
  at: 'The time at which the attempt began.',
  durationMs:
    'The time in milliseconds from the start of the attempt until the response headers arrived or the attempt failed.',
  status: 'The HTTP status of the response. Null if there was no response.',
  error:
    'Why there was no response: `timeout`, `connection_refused`, `connection_reset`, `connection_failed`, `host_not_found`, `dns_failure`, `tls_failure`, `address_not_allowed`, `invalid_response`, `endpoint_unresponsive`, `dropped_by_test`, or for a target in AWS `target_not_allowed`, `target_not_found`, `target_access_denied`, `target_key_denied`, `target_throttled` or `target_failed`. `host_not_found` means that the host name does not exist or does not lead to public addresses only, and `dns_failure` that its name servers gave no usable answer. `endpoint_unresponsive` means that no request was sent, because the endpoint had timed out repeatedly. `dropped_by_test` means that no request was sent, because `X-Test-Fault: drop` asked for it. `target_not_allowed` means that no request was sent, because the service is not deployed with the target. `target_key_denied` means that the service may not use the KMS key of the target. Null if there was a response, or if the target accepted the event.',
  cause:
    'Why the connection could not be made secure, if `error` is `tls_failure`: `certificate_expired`, `certificate_not_yet_valid`, `certificate_self_signed`, `certificate_untrusted`, `certificate_wrong_name`, `not_tls`, `protocol_version` or `handshake_refused`. `certificate_untrusted` means that no public authority signed the certificate, or that your server does not send the intermediate certificate. `protocol_version` means that your server offers no version from TLS 1.2 on. `handshake_refused` means that your server ended the handshake, for example because it asks for a client certificate. If a target in AWS did not accept the event: the error code of AWS, such as `AccessDeniedException`. Null for other errors, and if the cause is not known.',
  answer: 'The first 1 KiB of the response body. For a target in AWS, this is what AWS answered.',
};

export const eventFieldTexts: Pick<
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
  DeliveryAttempt: attemptFieldTexts,
  DeliveryList: { data: 'The deliveries, newest first.', cursor },
  Event: {
    id: 'The ID of the event. The same event can be delivered more than once. Use this ID to detect duplicates.',
    type: 'The type of the event.',
    timestamp: 'The time at which the event occurred.',
    mode: 'The mode in which the event occurred: `test` or `live`.',
    objectVersion:
      'The version of the resource in `data`. It increases by one with each change. Events can arrive in any order: the highest version is the latest state.',
    data: 'The resource as it was when the event occurred.',
    apiVersion:
      'The version of the API whose form the event has: that of the webhook endpoint, or of the request that reads the event.',
    previous:
      'In `invoice.updated`: the former values of the fields that were changed, without `updatedAt`. So has `payment.completed` of a payment that waited for your decision. Other events do not have it.',
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
