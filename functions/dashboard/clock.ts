/** The clock of test mode in the dashboard. No other function of it moves the clock. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { clockActions } from '../../shared/web/dashboard/clock/clock-actions.ts';
import { clockPage } from '../../shared/web/dashboard/clock/clock-page.ts';

export const handler = honoHandler(createDashboardApp({ pages: [clockPage], actions: clockActions }));
