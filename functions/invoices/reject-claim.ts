/** POST /api/invoices/:id/claim/reject: rejects what a payer claims to have paid, or says which payment it is. */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { closeClaimCommand, readClaimToClose } from '../../shared/domain/invoices/claim-store.ts';

export const handler = endpoint(routes.rejectClaim, {
  load: ({ owner, params, body }) => readClaimToClose(owner, params.id ?? '', body),
  handle: ({ loaded, body, clock }) => closeClaimCommand(loaded, body, clock.account),
});
