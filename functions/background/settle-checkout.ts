/** Asks providers about checkouts and settles them, and about payments whose disputes or refunds may have changed. */

import { isRecordId } from '../../shared/base/ids.ts';
import { pollCheckout } from '../../shared/domain/payments/checkouts/poll-checkout.ts';
import { pollHostedPayment } from '../../shared/domain/refunds/poll-payment.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerHandler('checkout', (timer, now) =>
  isRecordId('payment', timer.reference) ? pollHostedPayment(timer, now) : pollCheckout(timer, now),
);
