/**
 * Carries out the actions that send an event to a webhook endpoint while the user waits: a test, and another attempt of a
 * delivery. The send leases of the API limit them as well.
 */
import { readHealth } from '../../../domain/webhooks/health-store.ts';
import { readDeliveryOf, redeliverNow, testEndpoint } from '../../../domain/webhooks/redelivery.ts';
import { readWebhook } from '../../../domain/webhooks/webhook-store.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardAction } from '../definitions.ts';
import { changeEndpoint } from './webhook-change.ts';
import { showTestResult, showWebhookFailure } from './webhook-views.ts';

const test: DashboardAction = {
  path: '/webhook-sends/:id/test',
  ability: 'webhooks:write',
  formPage: ({ id }) => `/webhooks/${id}`,
  handle: async (request) => {
    const { context } = request;
    const id = request.params.id ?? '';
    return changeEndpoint(request, showWebhookFailure, async () => {
      const { answer } = await commitAttempt(
        await formAttemptOf(request, 'webhook.test', id, {}),
        () => Promise.all([readWebhook(requestOwnerOf(request), id), readHealth(id)]),
        ([webhook, health]) => testEndpoint(webhook, health, context.now),
      );
      return { view: showTestResult(context, id, answer) };
    });
  },
};

const redeliver: DashboardAction = {
  path: '/webhook-sends/:id/deliveries/:deliveryId',
  ability: 'webhooks:write',
  formPage: ({ id, deliveryId }) => `/webhooks/${id}/deliveries/${deliveryId}`,
  handle: async (request) => {
    const { id = '', deliveryId = '' } = request.params;
    return changeEndpoint(request, showWebhookFailure, async () => {
      await commitAttempt(
        await formAttemptOf(request, 'delivery.redeliver', `${id} ${deliveryId}`, {}),
        () => readDeliveryOf(requestOwnerOf(request), id, deliveryId),
        ({ webhook, delivery }) => redeliverNow(webhook, delivery),
      );
      const redirectTo = request.context.url(`/webhooks/${id}/deliveries/${deliveryId}`);
      return { redirectTo, notice: 'sent_again' };
    });
  },
};

export const webhookSends: readonly DashboardAction[] = [test, redeliver];
