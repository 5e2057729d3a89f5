/** POST /api/invoices/:id/claim/confirm: says which recorded payment is the money that a payer claims to have paid. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { confirmClaimCommand } from '../../shared/domain/payments/close-claim.ts';
import { readPayment } from '../../shared/domain/payments/payment-store.ts';

export const handler = endpoint(routes.confirmClaim, {
  load: ({ owner, params, body }) =>
    Promise.all([readInvoice(owner, params.id ?? ''), readPayment(owner, body.paymentId)]),
  handle: ({ loaded: [invoice, payment], body, clock }) =>
    confirmClaimCommand({ invoice, payment }, body, clock.account),
});
