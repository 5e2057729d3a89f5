/** POST /api/payments: records money that was received outside the service, uses credit of the customer, or charges a test card. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { ApiError } from '../../shared/base/errors.ts';
import { mergeMetadata } from '../../shared/base/metadata.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';
import { createCreditPaymentCommand } from '../../shared/domain/payments/pay-with-credit.ts';
import { offlineDetails } from '../../shared/domain/payments/payment.ts';
import {
  createCardPaymentCommand,
  createOfflinePaymentCommand,
} from '../../shared/domain/payments/payment-store.ts';
import { requireProvider } from '../../shared/domain/payments/provider/registry.ts';
import { requireTestCard } from '../../shared/domain/payments/provider/test-cards.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';

export const handler = endpoint(routes.createPayment, {
  load: ({ owner, body }) => readInvoice(owner, body.invoiceId),
  handle: async ({
    principal,
    loaded: invoice,
    query,
    body,
    requestKey: key,
    now,
    clock,
    webhookFault,
    apiVersion,
  }) => {
    const { card } = body;
    const metadata = mergeMetadata(undefined, body.metadata);
    const amount = body.amount ?? undefined;
    const force = query.force !== undefined;
    const currency = body.currency ?? undefined;
    const context = { principal, invoice, clock, currency, webhookFault };
    if (body.method === 'credit') {
      const sent = { amount, metadata, creditFrom: body.creditFrom ?? undefined };
      return voidCheckoutFirst(await createCreditPaymentCommand(context, sent), now, force);
    }
    if (!card) {
      const offline = { ...context, reservesWithoutBank: apiVersion !== firstApiVersion };
      return voidCheckoutFirst(await createOfflinePaymentCommand(offline, offlineDetails(body)), now, force);
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
