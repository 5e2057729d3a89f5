/** GET of the dashboard: serves lists as files, and the previews of mails and of the payment page. This function writes nothing but that a session is in use. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { downloadPages } from '../../shared/web/dashboard/downloads/downloads.ts';
import { mailPreviewPages } from '../../shared/web/dashboard/mails/preview-pages.ts';
import { paymentPagePreviews } from '../../shared/web/dashboard/settings/payment-page-preview.ts';

export const handler = honoHandler(
  createDashboardApp({ pages: [...downloadPages, ...mailPreviewPages, ...paymentPagePreviews] }),
);
