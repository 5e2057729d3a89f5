/** POST of the dashboard: carries out its actions. Register an action here. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { memberActions } from '../../shared/dashboard/members/member-actions.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const actions = [...memberActions];

export const handler = honoHandler(createDashboardApp({ actions }));
