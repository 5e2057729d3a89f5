/** Sends events to webhook endpoints while a user of the dashboard waits. No other function of it calls receivers. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { webhookSends } from '../../shared/web/dashboard/webhooks/webhook-sends.ts';

export const handler = honoHandler(createDashboardApp({ actions: webhookSends }));
