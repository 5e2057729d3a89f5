/** POST of the dashboard: carries out the actions on invoices, payments and customers. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { customerActions } from '../../shared/dashboard/customers/customer-actions.ts';
import { invoiceActions } from '../../shared/dashboard/invoices/invoice-actions.ts';
import { refundAction } from '../../shared/dashboard/payments/refund-action.ts';
import { resolveAction } from '../../shared/dashboard/payments/resolve-action.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(
  createDashboardApp({ actions: [...invoiceActions, refundAction, resolveAction, ...customerActions] }),
);
