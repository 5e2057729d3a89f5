/** The API keys of an account in the dashboard. This is the only function that can sign API keys. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { keyActions } from '../../shared/web/dashboard/keys/key-actions.ts';
import { keyPages } from '../../shared/web/dashboard/keys/key-pages.ts';

export const handler = honoHandler(createDashboardApp({ pages: keyPages, actions: keyActions }));
