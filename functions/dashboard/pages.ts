/** GET of the dashboard: serves the overview and the pages of invoices, payments and customers. This function writes nothing. */
import { addAccountRoutes } from '../../shared/dashboard/accounts-app.ts';
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { customerPages } from '../../shared/dashboard/customers/customer-pages.ts';
import { invoicePage } from '../../shared/dashboard/invoices/invoice-detail.ts';
import { invoiceFormPages } from '../../shared/dashboard/invoices/invoice-form-pages.ts';
import { invoiceListPage } from '../../shared/dashboard/invoices/invoice-list.ts';
import { overviewPage } from '../../shared/dashboard/overview/overview-page.ts';
import { paymentPage, refundFormPage } from '../../shared/dashboard/payments/payment-detail.ts';
import { paymentListPage, refundListPage } from '../../shared/dashboard/payments/payment-list.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

/** Pages with a fixed name come before the pages of records, whose path has an id in its place. */
const pages = [
  overviewPage,
  invoiceListPage,
  ...invoiceFormPages,
  invoicePage,
  paymentListPage,
  refundListPage,
  refundFormPage,
  paymentPage,
  ...customerPages,
];

export const handler = honoHandler(addAccountRoutes(createDashboardApp({ pages })));
