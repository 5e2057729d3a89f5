/** The schedules of an account in the dashboard. No other function of it reads or writes them. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { scheduleActions } from '../../shared/web/dashboard/schedules/schedule-actions.ts';
import { schedulePages } from '../../shared/web/dashboard/schedules/schedule-pages.ts';

export const handler = honoHandler(createDashboardApp({ pages: schedulePages, actions: scheduleActions }));
