/** POST of the webhook endpoints of an account in the dashboard. Only `webhook-sends` calls their receivers. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { webhookActions } from '../../shared/web/dashboard/webhooks/webhook-actions.ts';

export const handler = honoHandler(createDashboardApp({ actions: webhookActions }));
