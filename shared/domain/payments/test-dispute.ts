/** Decides which payments with a test card are disputed. Pure. */
import type { Payment } from './payment.ts';
import type { Dispute } from './provider/hosted-provider.ts';
import { testCards } from './provider/test-cards.ts';

const respondWithinMs = 7 * 24 * 3_600_000;

/**
 * Returns the dispute that the test card of a completed payment causes. It follows from the payment alone, so it is the same each time.
 * It stays open, because nobody decides it.
 */
export function disputeOfTestCard({
  id,
  mode,
  status,
  amount,
  card,
  createdAt,
}: Payment): Dispute | undefined {
  const isDisputed = testCards.some((each) => each.isDisputed && each.number.slice(-4) === card?.last4);
  if (mode !== 'test' || status !== 'completed' || !isDisputed) return undefined;
  return {
    reference: `${id}:dispute`,
    status: 'open',
    reason: 'fraudulent',
    amountMinor: amount,
    isRefundable: false,
    respondBy: createdAt + respondWithinMs,
  };
}
