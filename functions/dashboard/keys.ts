/** The API keys of an account in the dashboard. This is the only function that can sign API keys. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { keyActions } from '../../shared/dashboard/keys/key-actions.ts';
import { keyPages } from '../../shared/dashboard/keys/key-pages.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createDashboardApp({ pages: keyPages, actions: keyActions }));
