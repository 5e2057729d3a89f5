/**
 * GET of the dashboard: serves the pages of events, of the webhook endpoints that receive them, and of deliveries. This
 * function writes nothing and has no secret.
 */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { eventListPage, eventPage } from '../../shared/dashboard/events/event-pages.ts';
import { deliveryPage } from '../../shared/dashboard/webhooks/delivery-detail.ts';
import { webhookPage } from '../../shared/dashboard/webhooks/webhook-detail.ts';
import { webhookFormPages } from '../../shared/dashboard/webhooks/webhook-form-pages.ts';
import { webhookListPage } from '../../shared/dashboard/webhooks/webhook-list.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

/** Pages with a fixed name come before the pages of records, whose path has an id in its place. */
const pages = [webhookListPage, ...webhookFormPages, deliveryPage, webhookPage, eventListPage, eventPage];

export const handler = honoHandler(createDashboardApp({ pages }));
