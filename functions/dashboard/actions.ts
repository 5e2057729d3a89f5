/** POST of the dashboard: carries out the actions on invoices, drafts, mails, payments, customers and products. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { customerActions } from '../../shared/web/dashboard/customers/customer-actions.ts';
import { mailActions } from '../../shared/web/dashboard/invoices/allow-address.ts';
import { draftActions } from '../../shared/web/dashboard/invoices/draft-actions.ts';
import { invoiceActions } from '../../shared/web/dashboard/invoices/invoice-actions.ts';
import { refundAction } from '../../shared/web/dashboard/payments/refund-action.ts';
import { resolveAction } from '../../shared/web/dashboard/payments/resolve-action.ts';
import { voidAction } from '../../shared/web/dashboard/payments/void-action.ts';
import { productActions } from '../../shared/web/dashboard/products/product-actions.ts';

export const handler = honoHandler(
  createDashboardApp({
    actions: [
      ...invoiceActions,
      ...draftActions,
      ...mailActions,
      refundAction,
      resolveAction,
      voidAction,
      ...customerActions,
      ...productActions,
    ],
  }),
);
