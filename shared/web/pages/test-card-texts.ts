/** Describes the test cards that the payment page lists. */
import type { TestCard } from '../../domain/payments/provider/test-cards.ts';

const captureResults: Record<TestCard['capture'], string> = {
  done: 'Payment succeeds',
  later: 'Payment succeeds after a few seconds',
  card_declined: 'Card is declined',
  insufficient_funds: 'Card has insufficient funds',
  expired_card: 'Card has expired',
  incorrect_cvc: 'Security code is incorrect',
  processing_error: 'Payment cannot be processed',
  amount_differs: 'Another amount is taken',
  outcome_unknown: 'Outcome stays unknown',
  insufficient_balance: 'Refund waits for balance',
  refund_unconfirmed: 'Refund stays unknown',
  refund_refused: 'Refund is refused',
};

/** Describes in a few words what happens when a payer uses this test card. */
export function describeTestCard({ capture, refund, isDisputed }: TestCard): string {
  const later = isDisputed ? '; disputed later' : '';
  return captureResults[capture] + (refund === 'fails later' ? '; refunds fail later' : later);
}
