/** Executes refunds. */

import { processRefund } from '../../shared/domain/refunds/processing.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerHandler('refund', processRefund);
