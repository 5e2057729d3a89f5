/** The clock of test mode in the dashboard. No other function of it moves the clock. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { clockActions } from '../../shared/dashboard/clock/clock-actions.ts';
import { clockPage } from '../../shared/dashboard/clock/clock-page.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createDashboardApp({ pages: [clockPage], actions: clockActions }));
