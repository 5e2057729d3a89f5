/** GET of the dashboard: makes the PDFs of statements of account. This function writes nothing but that a session is in use. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { statementPdf } from '../../shared/web/dashboard/account-statements/statement-pdf.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';

export const handler = honoHandler(createDashboardApp({ pages: [statementPdf] }));
