/** Asks providers about checkouts and settles them, and about payments whose disputes or refunds may have changed. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { isRecordId } from '../../shared/ids.ts';
import { pollCheckout } from '../../shared/payments/checkouts/poll-checkout.ts';
import { pollHostedPayment } from '../../shared/refunds/poll-payment.ts';

export const handler = timerHandler('checkout', (timer, now) =>
  isRecordId('payment', timer.reference) ? pollHostedPayment(timer, now) : pollCheckout(timer, now),
);
