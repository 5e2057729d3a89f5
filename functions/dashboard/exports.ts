/** Exports in the dashboard: creates them, and links to their files. No other function of the dashboard can read files of exports. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { exportActions } from '../../shared/web/dashboard/exports/export-actions.ts';
import { exportPages } from '../../shared/web/dashboard/exports/export-pages.ts';

export const handler = honoHandler(createDashboardApp({ pages: exportPages, actions: exportActions }));
