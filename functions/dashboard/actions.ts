/** POST of the dashboard: carries out its actions. Register an action here. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import type { DashboardAction } from '../../shared/dashboard/definitions.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const actions: readonly DashboardAction[] = [];

export const handler = honoHandler(createDashboardApp({ actions }));
