/** Serves the pages with the forms of webhook endpoints. */

import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { readWebhook } from '../../../domain/webhooks/webhook-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import {
  showNewWebhookForm,
  showRecoverForm,
  showRotateForm,
  showWebhookDeleteForm,
  showWebhookEditForm,
} from './webhook-views.ts';

const newWebhookPage: DashboardPage = {
  path: '/webhooks/new',
  ability: 'webhook-targets:write',
  handle: async ({ context }) => showNewWebhookForm(context),
};

/** Before `/webhooks/:id` in the list of pages, because `new` is not an id. */
export const webhookFormPages: readonly DashboardPage[] = [
  newWebhookPage,
  formPage('/webhooks/:id/edit', 'webhook-targets:write', showWebhookEditForm),
  formPage('/webhooks/:id/delete', 'webhooks:write', showWebhookDeleteForm),
  formPage('/webhooks/:id/rotate-secret', 'webhook-secrets:read', showRotateForm),
  formPage('/webhooks/:id/recover', 'webhooks:write', showRecoverForm),
];

function formPage(
  path: string,
  ability: DashboardPage['ability'],
  show: (context: DashboardContext, webhook: Webhook) => DashboardView,
): DashboardPage {
  return {
    path,
    ability,
    handle: async (request) => {
      const { record: webhook } = await readWebhook(requestOwnerOf(request), request.params.id ?? '');
      return webhook && show(request.context, webhook);
    },
  };
}
