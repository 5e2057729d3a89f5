/** Asks providers about checkouts, and settles them. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { pollCheckout } from '../../shared/payments/checkouts/poll-checkout.ts';

export const handler = timerHandler('checkout', pollCheckout);
