/** The settings of an account in the dashboard without its API keys and members, and the audit log. No other function of it changes these settings. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { auditLogPage } from '../../shared/web/dashboard/audit-log/audit-log-page.ts';
import { accountAction } from '../../shared/web/dashboard/settings/account-action.ts';
import { accountFormPage, accountPage } from '../../shared/web/dashboard/settings/account-pages.ts';
import { settingsPage } from '../../shared/web/dashboard/settings/settings-page.ts';

const pages = [settingsPage, accountPage, accountFormPage, auditLogPage];

export const handler = honoHandler(createDashboardApp({ pages, actions: [accountAction] }));
