/** GET of the dashboard: serves its pages. This function writes nothing. Register a page here. */
import { addAccountRoutes } from '../../shared/dashboard/accounts-app.ts';
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { overviewPage } from '../../shared/dashboard/overview/overview-page.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const pages = [overviewPage];

export const handler = honoHandler(addAccountRoutes(createDashboardApp({ pages })));
