/** Sends events to webhook endpoints while a user of the dashboard waits. No other function of it calls receivers. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { webhookSends } from '../../shared/dashboard/webhooks/webhook-sends.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createDashboardApp({ actions: webhookSends }));
