/** POST /api/webhooks/:id/recover */
import { endpoint } from '../../shared/http/endpoint.ts';
import * as routes from '../../shared/routes.ts';
import { Transition } from '../../shared/store/transition.ts';
import { toTimestamp } from '../../shared/time.ts';
import { startRecovery } from '../../shared/webhooks/redelivery.ts';
import { foundWebhook, readWebhook } from '../../shared/webhooks/store.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';

export const handler = endpoint(routes.startRecovery, {
  ahead: ({ claim, params }) => readWebhook(claim, params.id ?? ''),
  handle: async ({ ahead: webhook, body: { since }, now }) => {
    const { id } = foundWebhook(webhook);
    await startRecovery(foundWebhook(webhook), since, now);
    return new Transition<[Webhook]>([webhook], () => ({
      changes: [undefined],
      answer: { id, since: toTimestamp(since) },
    }));
  },
});
