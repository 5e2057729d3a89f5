/** Lists the test cards and the outcome of each. Test mode accepts no other cards. */
import { ApiError } from '../../../base/errors.ts';
import type { FailureCode } from './failures.ts';

export interface TestCard {
  readonly number: string;
  readonly capture: 'done' | 'later' | FailureCode;
  readonly refund: 'done' | 'fails later';
  /** The payer disputes the payment a few seconds after it. */
  readonly isDisputed?: true;
}

const done = { capture: 'done', refund: 'done' } as const;

export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', ...done },
  { number: '5555555555554444', ...done },
  { number: '4000000000000002', ...done, capture: 'card_declined' },
  { number: '4000000000009995', ...done, capture: 'insufficient_funds' },
  { number: '4000000000000069', ...done, capture: 'expired_card' },
  { number: '4000000000000127', ...done, capture: 'incorrect_cvc' },
  { number: '4000000000000119', ...done, capture: 'processing_error' },
  { number: '4000000000000077', ...done, capture: 'later' },
  { number: '4000000000005126', ...done, refund: 'fails later' },
  { number: '4000000000000259', ...done, isDisputed: true },
];

/**
 * Returns the test card with this number, or undefined if the number is not that of a test card.
 * @param number contains only digits
 */
export function findTestCard(number: string): TestCard | undefined {
  return testCards.find((card) => card.number === number);
}

/**
 * Checks that a card is a test card.
 * @throws ApiError `test_card_required`
 */
export function requireTestCard({ number }: { readonly number: string }): void {
  if (!findTestCard(number)) throw new ApiError('test_card_required', { field: 'card.number' });
}
