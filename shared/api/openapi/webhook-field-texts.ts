/** Describes the fields of webhook endpoints and recoveries. */

import {
  createdAt,
  type FieldTexts,
  metadata,
  metadataUpdate,
  newMetadata,
  pagination,
  readOnly,
  updatedAt,
} from './common-field-texts.ts';
import { attemptFieldTexts } from './event-field-texts.ts';

const secret =
  'The signing secret. Use it to verify the signatures of messages. The part after `whsec_` is the key in base64. Only this response contains it, so store it now. Null if the endpoint has a target: the role of the service sends the events, so they are not signed.';

const webhook = {
  id: 'The ID of the endpoint.',
  url: 'The URL to which events are sent. Null if the endpoint has a target.',
  events: 'What you asked for: event types, `*` for the common event types, or `all`.',
  eventTypes:
    'The event types that are sent to the endpoint: what `events` stands for in this version of the service.',
  description: 'Your description of the endpoint. Null if you did not set one.',
  status:
    'The status of the endpoint: `enabled` or `disabled`. While an endpoint is `disabled`, its events are recorded as `skipped` and are not sent.',
  disabledReason:
    'Why the endpoint is disabled: `manual` (you disabled it), `gone` (it responded with 410), or `failing` (no delivery succeeded for five days). Null if the endpoint is enabled.',
  apiVersion: 'The version of the API in which events are sent to the endpoint.',
  createdAt,
  updatedAt,
  metadata,
  filters:
    'Conditions on events. An event is sent only if all of them match. Empty: all events of these types are sent.',
  type: 'Where events go: to a `url`, or to a target in AWS: an SQS queue (`sqs`), an EventBridge bus (`eventbridge`) or a Lambda function (`lambda`).',
  target: 'The ARN of the target. Null if the endpoint has a URL.',
};

const createdWebhook = {
  url: 'The URL to send events to. It must be an absolute `https` URL. In test mode, `http` is also allowed.',
  events:
    'The event types to send, each listed once. `*` stands for the common event types: `invoice.created`, `invoice.paid`, `payment.completed`, `payment.failed` and `refund.processed`. You can list other types beside it. `["all"]` stands for all event types, also those that later versions of the service add.',
};

const newFilters =
  'Up to five conditions on events, for example on the amount or on your metadata. An event is sent only if all of them match. They judge the event in the newest version of the API, before a delivery is made: what does not match makes no delivery.';

const newTarget =
  'The ARN of a target of this type, instead of `url`. It must be one of those that the service is deployed with. The error `invalid_target` lists them.';

/** What the two forms of a filter have in common. */
const filter = {
  path: 'The names of a field and of the objects around it, joined by dots: `type`, `data.currency` or `data.metadata.shop`. A field that an event does not have counts as null.',
  equals: 'The field has this value.',
  in: 'The field has one of these values, 20 at most.',
  prefix: 'The field is a text that begins with this one.',
  greaterThan:
    'The field is a number that is greater than this one. Amounts are in the smallest unit of the currency.',
};

export const webhookFieldTexts: Pick<
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
  | 'EventFilter'
  | 'EventFilterInput'
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
    ...attemptFieldTexts,
    number: 'Always 1.',
  },
  CreateWebhook: {
    ...createdWebhook,
    description: 'Your description of the endpoint.',
    metadata: newMetadata,
    filters: newFilters,
    type: 'Where events go. The default is `url`.',
    target: newTarget,
  },
  UpdateWebhook: {
    id: readOnly,
    ...createdWebhook,
    description: 'Your description of the endpoint. Send null to remove it.',
    status: 'Use `disabled` to pause the endpoint and `enabled` to resume it.',
    apiVersion:
      'The version of the API in which events are sent to the endpoint. It applies to all attempts after the change.',
    eventTypes: readOnly,
    disabledReason: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
    metadata: metadataUpdate,
    filters: `${newFilters} Send an empty array or null to remove all of them.`,
    type: readOnly,
    target: newTarget,
  },
  EventFilter: filter,
  EventFilterInput: filter,
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
