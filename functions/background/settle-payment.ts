/** Polls the provider for payments whose outcome is not known yet, and for compensations. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { pollPayment } from '../../shared/payments/settlement.ts';

export const handler = timerHandler('payment', pollPayment);
