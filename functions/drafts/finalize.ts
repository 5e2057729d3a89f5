/** POST /api/drafts/:id/finalize */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { requireValid } from '../../shared/api/http/validate.ts';
import { readPaymentWarning } from '../../shared/api/payment-warning.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { withNumber } from '../../shared/domain/documents/await-number.ts';
import { finalizeDraftCommand, readDraft, requireCurrency } from '../../shared/domain/drafts/draft-store.ts';
import { createInvoiceBody, type ScheduledBy } from '../../shared/domain/invoices/invoice.ts';
import { prepareInvoice, readTaxedCustomer } from '../../shared/domain/invoices/invoice-store.ts';
import { newInvoiceId } from '../../shared/domain/invoices/new-identity.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';

export const handler = endpoint(routes.finalizeDraft, {
  load: ({ owner, params }) => readDraft(owner, params.id ?? ''),
  warn: readPaymentWarning,
  handle: ({ principal, loaded, clock: { account: now } }) => {
    const toInvoice = async (fields: object, scheduled: ScheduledBy | undefined) => {
      // The lines of a draft say everything themselves.
      const filled = fillLines(
        requireValid(createInvoiceBody, fields),
        'incomplete',
        new Map(),
        requireCurrency,
      );
      // The day of the invoice decides the rates, not that of the draft.
      const body = await withOwnTaxes(principal.owner.account, filled, now);
      const customer = await readTaxedCustomer(principal.owner, body);
      return prepareInvoice(principal, body, now, customer, scheduled);
    };
    return finalizeDraftCommand(principal, loaded, { id: newInvoiceId(principal), toInvoice }, now);
  },
  awaitMore: withNumber,
});
