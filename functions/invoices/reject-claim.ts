/** POST /api/invoices/:id/claim/reject: rejects what a payer claims to have paid. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { rejectClaimCommand } from '../../shared/domain/payments/close-claim.ts';

export const handler = endpoint(routes.rejectClaim, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ loaded, body, clock }) => rejectClaimCommand(loaded, body, clock.account),
});
