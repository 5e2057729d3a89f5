/** Executes refunds. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { processRefund } from '../../shared/refunds/processing.ts';

export const handler = timerHandler('refund', processRefund);
