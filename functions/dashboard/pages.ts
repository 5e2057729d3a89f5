/** GET of the dashboard: serves its pages. This function writes nothing. Register a page here. */
import { addAccountRoutes } from '../../shared/dashboard/accounts-app.ts';
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { memberPage, membersPage } from '../../shared/dashboard/members/members-page.ts';
import { overviewPage } from '../../shared/dashboard/overview/overview-page.ts';
import { settingsPage } from '../../shared/dashboard/settings/settings-page.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const pages = [overviewPage, settingsPage, membersPage, memberPage];

export const handler = honoHandler(addAccountRoutes(createDashboardApp({ pages })));
