/** Polls the provider for payments whose outcome is not known yet, and for compensations. Lets the rows of bank statements pay. */

import { isRecordId } from '../../shared/base/ids.ts';
import { pollPayment } from '../../shared/domain/payments/settlement.ts';
import { matchStatement } from '../../shared/domain/statements/match-statement.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerHandler('payment', (timer, now) =>
  isRecordId('statement', timer.reference) ? matchStatement(timer, now) : pollPayment(timer, now),
);
