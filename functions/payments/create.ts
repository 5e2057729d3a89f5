/** POST /api/payments: records money that was received outside the service, or charges a test card. */
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { readInvoice } from '../../shared/invoices/store.ts';
import { mergeMetadata } from '../../shared/metadata.ts';
import { voidCheckoutFirst } from '../../shared/payments/checkouts/void-checkout.ts';
import { requireProvider } from '../../shared/payments/provider/registry.ts';
import { requireTestCard } from '../../shared/payments/provider/test-cards.ts';
import { createCardPaymentCommand, createOfflinePaymentCommand } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createPayment, {
  ahead: ({ owner, body }) => readInvoice(owner, body.invoiceId),
  handle: ({ principal, ahead: invoice, query, body, requestKey: key, now, webhookFault }) => {
    const { card, reference } = body;
    const metadata = mergeMetadata(undefined, body.metadata);
    const amount = body.amount ?? undefined;
    const force = query.force !== undefined;
    const context = { principal, invoice, now, webhookFault };
    if (!card) {
      const received = { amount, reference: reference ?? null, metadata };
      return voidCheckoutFirst(createOfflinePaymentCommand(context, received), now, force);
    }
    // In live mode, payers enter card data on a provider's page, never through this API.
    if (principal.owner.mode === 'live') throw new ApiError('card_data_not_accepted');
    requireTestCard(card);
    const provider = requireProvider(principal.owner.mode);
    return voidCheckoutFirst(
      createCardPaymentCommand(context, { amount, metadata, card, provider, key }),
      now,
      force,
    );
  },
});
