/** Defines the methods of `remit.webhooks`: webhook endpoints and the deliveries to them. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByCursor, readByOffset } from './list.ts';
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

export type Webhooks = ReturnType<typeof createWebhookMethods>;

/** An endpoint with a URL, whose messages are signed. */
export type SignedWebhook = WebhookWithSecret & { readonly secret: string };

interface CreateWebhook {
  (body: WebhookCreateParams & { readonly target?: null }, options?: WriteOptions): Promise<SignedWebhook>;
  (body: WebhookCreateParams, options?: WriteOptions): Promise<WebhookWithSecret>;
}

/** Creates the methods of `remit.webhooks`. They call the API with `call`. */
export function createWebhookMethods(call: ApiCall) {
  return {
    /** Registers an endpoint. Only this response contains its `secret`. An endpoint with a `target` has none. */
    create: ((body: WebhookCreateParams, options?: WriteOptions) =>
      call('POST', '/api/webhooks', options, { body })) as CreateWebhook,

    /** Returns an endpoint, without its secret. */
    retrieve: (id: string, options?: RequestOptions): Promise<Webhook> =>
      call('GET', '/api/webhooks/{id}', options, { id }),

    /** Lists endpoints, newest first. */
    list: (query: WebhookListParams = {}, options?: RequestOptions): List<Webhook, WebhookPage> =>
      new List(call, '/api/webhooks', options, { query }, readByOffset),

    /** Updates an endpoint. `{ status: 'disabled' }` pauses it, and `{ status: 'enabled' }` resumes it. */
    update: (id: string, body: WebhookUpdateParams, options?: WriteOptions): Promise<Webhook> =>
      call('PATCH', '/api/webhooks/{id}', options, { id, body }),

    /** Deletes an endpoint. */
    delete: (id: string, options?: WriteOptions): Promise<WebhookDeletion> =>
      call('DELETE', '/api/webhooks/{id}', options, { id }),

    /**
     * Creates a new secret. Only this response contains it. The previous secret stays valid for `overlapHours`, 24 by
     * default.
     */
    rotateSecret: (
      id: string,
      body: WebhookRotateSecretParams = {},
      options?: WriteOptions,
    ): Promise<SignedWebhook> =>
      call('POST', '/api/webhooks/{id}/rotate-secret', options, { id, body }) as Promise<SignedWebhook>,

    /** Sends a `webhook.test` event and returns the response of the endpoint. */
    test: (id: string, options?: WriteOptions): Promise<WebhookTestResult> =>
      call('POST', '/api/webhooks/{id}/test', options, { id }),

    /** Restarts all failed and skipped deliveries of events since the given time, in the background. */
    recover: (id: string, body: WebhookRecoverParams, options?: WriteOptions): Promise<WebhookRecovery> =>
      call('POST', '/api/webhooks/{id}/recover', options, { id, body }),

    /** Lists the deliveries to an endpoint, newest first. */
    listDeliveries: (
      id: string,
      query: DeliveryListParams = {},
      options?: RequestOptions,
    ): List<Delivery, DeliveryPage> =>
      new List(call, '/api/webhooks/{id}/deliveries', options, { id, query }, readByCursor),

    /** Makes a new attempt immediately and returns the delivery with the result. */
    redeliver: (id: string, deliveryId: string, options?: WriteOptions): Promise<Delivery> =>
      call('POST', '/api/webhooks/{id}/deliveries/{deliveryId}/redeliver', options, { id, deliveryId }),
  };
}
