/** GET of the dashboard: serves its pages. This function writes nothing. Register a page here. */
import { addAccountRoutes } from '../../shared/dashboard/accounts-app.ts';
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { auditLogPage } from '../../shared/dashboard/audit-log/audit-log-page.ts';
import { eventListPage, eventPage } from '../../shared/dashboard/events/event-pages.ts';
import { invoicePage } from '../../shared/dashboard/invoices/invoice-detail.ts';
import { invoiceFormPages } from '../../shared/dashboard/invoices/invoice-form-pages.ts';
import { invoiceListPage } from '../../shared/dashboard/invoices/invoice-list.ts';
import { memberPage, membersPage } from '../../shared/dashboard/members/members-page.ts';
import { overviewPage } from '../../shared/dashboard/overview/overview-page.ts';
import { paymentPage, refundFormPage } from '../../shared/dashboard/payments/payment-detail.ts';
import { paymentListPage, refundListPage } from '../../shared/dashboard/payments/payment-list.ts';
import { accountFormPage, accountPage } from '../../shared/dashboard/settings/account-pages.ts';
import { settingsPage } from '../../shared/dashboard/settings/settings-page.ts';
import { deliveryPage } from '../../shared/dashboard/webhooks/delivery-detail.ts';
import { webhookPage } from '../../shared/dashboard/webhooks/webhook-detail.ts';
import { webhookFormPages } from '../../shared/dashboard/webhooks/webhook-form-pages.ts';
import { webhookListPage } from '../../shared/dashboard/webhooks/webhook-list.ts';
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
  webhookListPage,
  ...webhookFormPages,
  deliveryPage,
  webhookPage,
  eventListPage,
  eventPage,
  settingsPage,
  accountPage,
  accountFormPage,
  membersPage,
  memberPage,
  auditLogPage,
];

export const handler = honoHandler(addAccountRoutes(createDashboardApp({ pages })));
