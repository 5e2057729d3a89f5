/** GET of the dashboard: serves the search. This function writes nothing but that a session is in use. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { searchPage } from '../../shared/web/dashboard/search/search-page.ts';

export const handler = honoHandler(createDashboardApp({ pages: [searchPage] }));
