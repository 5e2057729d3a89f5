/** The payment providers of an account in the dashboard. The only function that writes their credentials. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { providerActions } from '../../shared/dashboard/providers/provider-actions.ts';
import { providerPages } from '../../shared/dashboard/providers/provider-pages.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createDashboardApp({ pages: providerPages, actions: providerActions }));
