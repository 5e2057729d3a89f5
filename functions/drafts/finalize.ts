/** POST /api/drafts/:id/finalize */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { requireValid } from '../../shared/api/http/validate.ts';
import * as routes from '../../shared/api/routes.ts';
import { finalizeDraftCommand, readDraft, requireCurrency } from '../../shared/domain/drafts/draft-store.ts';
import { createInvoiceBody } from '../../shared/domain/invoices/invoice.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';

export const handler = endpoint(routes.finalizeDraft, {
  load: ({ owner, params }) => readDraft(owner, params.id ?? ''),
  handle: ({ principal, loaded, clock }) =>
    finalizeDraftCommand(
      principal,
      loaded,
      // The lines of a draft say everything themselves.
      (fields) =>
        fillLines(requireValid(createInvoiceBody, fields), 'incomplete', new Map(), requireCurrency),
      clock.account,
    ),
});
