/** `remit.webhooks`: endpoints that get events, and the deliveries to them. */
import type { Call, RequestOptions, WriteOptions } from './call.ts';
import { byCursor, byOffset, List } from './list.ts';
import type {
  Delivery,
  DeliveryListParams,
  DeliveryPage,
  Webhook,
  WebhookCreateParams,
  WebhookDeletion,
  WebhookListParams,
  WebhookPage,
  WebhookRecoverParams,
  WebhookRecovery,
  WebhookRotateSecretParams,
  WebhookTestResult,
  WebhookUpdateParams,
  WebhookWithSecret,
} from './schemas.ts';

export type Webhooks = ReturnType<typeof webhooksOf>;

/** Its methods, which call the API by `call`. */
export function webhooksOf(call: Call) {
  return {
    /** Registers an endpoint. The answer shows its `secret` this one time. */
    create: (body: WebhookCreateParams, options?: WriteOptions): Promise<WebhookWithSecret> =>
      call('POST', '/api/webhooks', options, { body }),

    retrieve: (id: string, options?: RequestOptions): Promise<Webhook> =>
      call('GET', '/api/webhooks/{id}', options, { id }),

    /** Newest first. */
    list: (query: WebhookListParams = {}, options?: RequestOptions): List<Webhook, WebhookPage> =>
      new List(call, '/api/webhooks', options, { query }, byOffset),

    /** Also disables and enables: `{ status: 'enabled' }`. */
    update: (id: string, body: WebhookUpdateParams, options?: WriteOptions): Promise<Webhook> =>
      call('PATCH', '/api/webhooks/{id}', options, { id, body }),

    delete: (id: string, options?: WriteOptions): Promise<WebhookDeletion> =>
      call('DELETE', '/api/webhooks/{id}', options, { id }),

    /** A new `secret`, shown this one time; the old one signs along for `overlapHours`, 24 by default. */
    rotateSecret: (
      id: string,
      body: WebhookRotateSecretParams = {},
      options?: WriteOptions,
    ): Promise<WebhookWithSecret> => call('POST', '/api/webhooks/{id}/rotate-secret', options, { id, body }),

    /** Sends a `webhook.test` event now, and returns what the endpoint answered. */
    test: (id: string, options?: WriteOptions): Promise<WebhookTestResult> =>
      call('POST', '/api/webhooks/{id}/test', options, { id }),

    /** Sends all again that the endpoint has missed since then, in the background. */
    recover: (id: string, body: WebhookRecoverParams, options?: WriteOptions): Promise<WebhookRecovery> =>
      call('POST', '/api/webhooks/{id}/recover', options, { id, body }),

    /** Newest first. */
    listDeliveries: (
      id: string,
      query: DeliveryListParams = {},
      options?: RequestOptions,
    ): List<Delivery, DeliveryPage> =>
      new List(call, '/api/webhooks/{id}/deliveries', options, { id, query }, byCursor),

    /** Makes a new attempt at once, and returns the delivery with its outcome. */
    redeliver: (id: string, deliveryId: string, options?: WriteOptions): Promise<Delivery> =>
      call('POST', '/api/webhooks/{id}/deliveries/{deliveryId}/redeliver', options, { id, deliveryId }),
  };
}
