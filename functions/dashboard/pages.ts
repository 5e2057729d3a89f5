/** GET of the dashboard: serves the overview and the pages of invoices, drafts, mails, payments, customers and products. This function writes nothing. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { addAccountRoutes } from '../../shared/web/dashboard/accounts-app.ts';
import { createDashboardApp } from '../../shared/web/dashboard/app.ts';
import { customerPages } from '../../shared/web/dashboard/customers/customer-pages.ts';
import { draftPages } from '../../shared/web/dashboard/invoices/draft-pages.ts';
import { invoicePage } from '../../shared/web/dashboard/invoices/invoice-detail.ts';
import { invoiceFormPages } from '../../shared/web/dashboard/invoices/invoice-form-pages.ts';
import { invoiceListPage } from '../../shared/web/dashboard/invoices/invoice-list.ts';
import { selectedInvoicesPage } from '../../shared/web/dashboard/invoices/selected-invoices.ts';
import { mailListPage } from '../../shared/web/dashboard/mails/mail-list.ts';
import { daysPage } from '../../shared/web/dashboard/overview/days-page.ts';
import { overviewPage } from '../../shared/web/dashboard/overview/overview-page.ts';
import { paymentPage, refundFormPage } from '../../shared/web/dashboard/payments/payment-detail.ts';
import { paymentListPage, refundListPage } from '../../shared/web/dashboard/payments/payment-list.ts';
import { voidFormPage } from '../../shared/web/dashboard/payments/void-action.ts';
import { productPages } from '../../shared/web/dashboard/products/product-pages.ts';

/** Pages with a fixed name come before the pages of records, whose path has an id in its place. */
const pages = [
  overviewPage,
  daysPage,
  invoiceListPage,
  selectedInvoicesPage,
  ...invoiceFormPages,
  invoicePage,
  mailListPage,
  paymentListPage,
  refundListPage,
  refundFormPage,
  voidFormPage,
  paymentPage,
  ...draftPages,
  ...customerPages,
  ...productPages,
];

export const handler = honoHandler(addAccountRoutes(createDashboardApp({ pages })));
