/** POST /api/invoices/:id/claim/reject: rejects what a payer claims to have paid. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { rejectClaimCommand } from '../../shared/domain/invoices/claim-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';

export const handler = endpoint(routes.rejectClaim, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ loaded: invoice, body, clock }) => rejectClaimCommand(invoice, body, clock.account),
});
