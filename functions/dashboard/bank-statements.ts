/** The bank statements of an account in the dashboard. No other function of it reads files of banks. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { bankStatementActions } from '../../shared/web/dashboard/bank-statements/bank-statement-actions.ts';
import { bankStatementPages } from '../../shared/web/dashboard/bank-statements/statement-pages.ts';

export const handler = honoHandler(
  createDashboardApp({ pages: bankStatementPages, actions: bankStatementActions }),
);
