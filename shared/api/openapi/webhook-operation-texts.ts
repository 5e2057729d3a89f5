/** Holds the summary and description of each operation on webhook endpoints, deliveries and events. */
import type { OperationName } from './operation-errors.ts';

/** The texts of some operations. */
export type OperationTexts<Name extends OperationName> = Readonly<
  Record<Name, { readonly summary: string; readonly description: string }>
>;

const endpoints: OperationTexts<
  'listWebhooks' | 'createWebhook' | 'getWebhook' | 'updateWebhook' | 'deleteWebhook' | 'rotateWebhookSecret'
> = {
  listWebhooks: {
    summary: 'List webhook endpoints',
    description: 'Returns your webhook endpoints, newest first, without their secrets.',
  },
  createWebhook: {
    summary: 'Create a webhook endpoint',
    description:
      'Registers a URL that receives events from now on. Only this response contains the `secret` of the endpoint. Store it: you need it to verify messages.\n\n' +
      'The URL must use `https` (in test mode, `http` is also allowed) and lead to a public address. Its port must be 443, 8080, 8443 or, in test mode, 80, unless the service allows more. Private, local and metadata addresses are rejected. The addresses of a host name are checked each time a message is sent. Until the name leads to public addresses only, attempts fail with `host_not_found` or `dns_failure`. Redirects are not followed.\n\n' +
      'From version 2026-11-23 on, events can also go to a target in your AWS account, without a public URL: send `type` and `target` instead of `url`. See [targets in AWS](#webhooks-targets-in-aws).\n\n' +
      'You can have up to 20 endpoints in each mode.',
  },
  getWebhook: {
    summary: 'Retrieve a webhook endpoint',
    description: 'Returns the current state of a webhook endpoint, without its secret.',
  },
  updateWebhook: {
    summary: 'Update a webhook endpoint',
    description:
      'Changes the fields that you send. Fields that you do not send keep their values.\n\n' +
      'You can send back a complete endpoint object, but not its `secret`. All other fields are accepted with their current value, and rejected with `immutable_field` otherwise.\n\n' +
      'Set `status` to `disabled` to pause an endpoint. Its events are then recorded as `skipped`. Set `status` to `enabled` to resume it, and recover the skipped deliveries if you need them.',
  },
  deleteWebhook: {
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes a webhook endpoint. It receives no more events, and you can no longer list its deliveries.',
  },
  rotateWebhookSecret: {
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret. Only this response contains it. The previous secret remains valid for `overlapHours`. During that time, messages carry one signature for each secret, and you can switch to the new secret without losing messages.\n\n' +
      'At most 5 secrets can be valid at the same time. If a secret has leaked, set `overlapHours` to 0: all secrets except the new one become invalid immediately.',
  },
};

const oneSendAtATime =
  'An endpoint can have one test or redelivery in progress, and your account five in each mode. Further requests return 429 `webhook_busy` and have no effect.';

const deliveries: OperationTexts<
  'testWebhook' | 'listDeliveries' | 'redeliver' | 'startRecovery' | 'listEvents' | 'getEvent'
> = {
  testWebhook: {
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` event to the endpoint, signed like any other event, and returns the response of the endpoint. This also works for a disabled endpoint. The test event is not stored: it appears neither in the list of events nor in the list of deliveries.\n\n' +
      oneSendAtATime,
  },
  listDeliveries: {
    summary: 'List deliveries',
    description:
      'Returns the deliveries to the endpoint, newest first, with each attempt and its response. A delivery may appear only after its first attempt, or after a minute or two if that attempt is delayed. Deliveries are kept for 30 days, like events.\n\n' +
      'A page can contain fewer deliveries than `limit` even though `hasMore` is true. This happens if you filter by `status`, or if the responses of the endpoint are long. Use `next` to get the next page.',
  },
  redeliver: {
    summary: 'Redeliver an event',
    description:
      'Makes a new attempt immediately and returns the delivery with the result. If the attempt succeeds, Remit makes no further attempts. If it fails, the schedule does not change.\n\n' +
      oneSendAtATime,
  },
  startRecovery: {
    summary: 'Recover missed deliveries',
    description:
      'Restarts all `failed` and `skipped` deliveries of events since the given time. They are sent in the background, each with the full schedule of attempts. The endpoint must be enabled.',
  },
  listEvents: {
    summary: 'List events',
    description:
      'Returns the events of your account, newest first. Events are kept for 30 days.\n\n' +
      'With `after`, events are sorted oldest first and have no gaps. Start with `after=start`, and then send the `next` value of each page as `after`. You can follow the log in this way in addition to webhooks, or instead of them.\n\n' +
      'If you filter by `type`, a page can contain fewer events than `limit` even though `hasMore` is true. Use `next` to get the next page.',
  },
  getEvent: {
    summary: 'Retrieve an event',
    description:
      'Returns an event, with exactly the body that webhook endpoints receive. Events are kept for 30 days.',
  },
};

export const webhookOperationTexts = { ...endpoints, ...deliveries };
