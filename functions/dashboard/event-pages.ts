/**
 * GET of the dashboard: serves the pages of events, of the webhook endpoints that receive them, and of deliveries. This
 * function writes nothing and has no secret.
 */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { eventListPage, eventPage } from '../../shared/web/dashboard/events/event-pages.ts';
import { deliveryPage } from '../../shared/web/dashboard/webhooks/delivery-detail.ts';
import { webhookPage } from '../../shared/web/dashboard/webhooks/webhook-detail.ts';
import { webhookFormPages } from '../../shared/web/dashboard/webhooks/webhook-form-pages.ts';
import { webhookListPage } from '../../shared/web/dashboard/webhooks/webhook-list.ts';

/** Pages with a fixed name come before the pages of records, whose path has an id in its place. */
const pages = [webhookListPage, ...webhookFormPages, deliveryPage, webhookPage, eventListPage, eventPage];

export const handler = honoHandler(createDashboardApp({ pages }));
