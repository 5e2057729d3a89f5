/**
 * The settings of an account in the dashboard without its API keys. No other function of it changes settings or invites
 * members.
 */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { auditLogPage } from '../../shared/dashboard/audit-log/audit-log-page.ts';
import { memberActions } from '../../shared/dashboard/members/member-actions.ts';
import { memberPage, membersPage } from '../../shared/dashboard/members/members-page.ts';
import { accountAction } from '../../shared/dashboard/settings/account-action.ts';
import { accountFormPage, accountPage } from '../../shared/dashboard/settings/account-pages.ts';
import { settingsPage } from '../../shared/dashboard/settings/settings-page.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const pages = [settingsPage, accountPage, accountFormPage, membersPage, memberPage, auditLogPage];

export const handler = honoHandler(createDashboardApp({ pages, actions: [accountAction, ...memberActions] }));
