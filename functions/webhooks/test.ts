/** POST /api/webhooks/:id/test */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { Transition } from '../../shared/store/transition.ts';
import { sendTest } from '../../shared/webhooks/redelivery.ts';
import { foundWebhook, readWebhook } from '../../shared/webhooks/store.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';

export const handler = endpoint(routes.testWebhook, {
  ahead: ({ claim, params }) => readWebhook(claim, params.id ?? ''),
  handle: async ({ ahead: webhook, now }) => {
    const answer = await sendTest(foundWebhook(webhook), now);
    return new Transition<[Webhook]>([webhook], () => ({ changes: [undefined], answer }));
  },
});
