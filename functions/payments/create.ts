/** POST /api/payments: records money received outside, or takes a test card's. */
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { readInvoice } from '../../shared/invoices/store.ts';
import { requiredProvider } from '../../shared/payments/providers.ts';
import { newCardPayment, newOfflinePayment } from '../../shared/payments/store.ts';
import { requireTestCard } from '../../shared/payments/test-cards.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createPayment, {
  ahead: ({ claim, body }) => readInvoice(claim, body.invoiceId),
  handle: ({ admission, ahead: invoice, body, requestKey: key, now }) => {
    const { card, reference } = body;
    const amount = body.amount ?? undefined;
    if (!card)
      return newOfflinePayment({ admission, invoice, now }, { amount, reference: reference ?? null });
    // Whoever moves real money takes card data on its own page only, never through this API.
    if (admission.owner.mode === 'live') throw new ApiError('card_data_not_accepted');
    requireTestCard(card);
    const provider = requiredProvider(admission.owner.mode);
    return newCardPayment({ admission, invoice, now }, { amount, card, provider, key });
  },
});
