/** POST /api/payments/:id/void: voids a payment that was received outside the service, and recorded by mistake. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readPaymentWithInvoice } from '../../shared/domain/payments/checkouts/resolve-payment.ts';
import { voidPaymentCommand } from '../../shared/domain/payments/void-payment.ts';

export const handler = endpoint(routes.voidPayment, {
  load: ({ owner, params }) => readPaymentWithInvoice(owner, params.id ?? ''),
  handle: ({ loaded, body, clock }) => voidPaymentCommand(loaded, body.reason, clock.account),
});
