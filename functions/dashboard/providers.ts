/** The payment providers of an account in the dashboard. The only function that writes their credentials. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { providerActions } from '../../shared/web/dashboard/providers/provider-actions.ts';
import { providerPages } from '../../shared/web/dashboard/providers/provider-pages.ts';

export const handler = honoHandler(createDashboardApp({ pages: providerPages, actions: providerActions }));
