/** POST /api/invoices/:id/claim/reject: rejects what a payer claims to have paid, or says which payment it is. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { closeClaimCommand } from '../../shared/domain/payments/close-claim.ts';
import { readPayment } from '../../shared/domain/payments/payment-store.ts';

export const handler = endpoint(routes.rejectClaim, {
  load: ({ owner, params, body: { paymentId } }) =>
    Promise.all([
      readInvoice(owner, params.id ?? ''),
      paymentId == null ? undefined : readPayment(owner, paymentId),
    ]),
  handle: ({ loaded: [invoice, payment], body, clock }) =>
    closeClaimCommand({ invoice, payment }, body, clock.account),
});
