/** POST of the dashboard: carries out its actions. Register an action here. */
import { createDashboardApp } from '../../shared/dashboard/app.ts';
import { invoiceActions } from '../../shared/dashboard/invoices/invoice-actions.ts';
import { memberActions } from '../../shared/dashboard/members/member-actions.ts';
import { refundAction } from '../../shared/dashboard/payments/refund-action.ts';
import { accountAction } from '../../shared/dashboard/settings/account-action.ts';
import { webhookActions } from '../../shared/dashboard/webhooks/webhook-actions.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

const actions = [...invoiceActions, refundAction, ...webhookActions, accountAction, ...memberActions];

export const handler = honoHandler(createDashboardApp({ actions }));
