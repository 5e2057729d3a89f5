/** Polls the provider for payments whose outcome is not known yet, and for compensations. */

import { pollPayment } from '../../shared/domain/payments/settlement.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerHandler('payment', pollPayment);
