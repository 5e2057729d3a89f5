/** POST of the webhook endpoints of an account in the dashboard. Only `webhook-sends` calls their receivers. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { webhookActions } from '../../shared/dashboard/webhooks/webhook-actions.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createDashboardApp({ actions: webhookActions }));
