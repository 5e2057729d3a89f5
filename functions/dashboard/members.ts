/** The members of an account in the dashboard. No other function of it invites people, and only this one has the client of Cognito. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { memberActions } from '../../shared/web/dashboard/members/member-actions.ts';
import { memberPage, membersPage } from '../../shared/web/dashboard/members/members-page.ts';

export const handler = honoHandler(
  createDashboardApp({ pages: [membersPage, memberPage], actions: memberActions }),
);
