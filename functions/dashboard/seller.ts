/** The seller profile of an account in the dashboard. No other function of it writes the profile. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { sellerAction } from '../../shared/web/dashboard/seller/seller-action.ts';
import { sellerPages } from '../../shared/web/dashboard/seller/seller-pages.ts';

export const handler = honoHandler(createDashboardApp({ pages: sellerPages, actions: [sellerAction] }));
