/** Defines the failure codes of payments and refunds, each with a message for people. */
import * as v from 'valibot';

export const failures = {
  card_declined: 'The card was declined. Use another card, or contact the bank that issued it.',
  insufficient_funds: 'The card has insufficient funds. Use another card.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: "The card's security code is incorrect. Check it and try again.",
  processing_error: 'The payment could not be processed, and nothing was charged. Try again.',
  amount_differs: 'The amount paid was not the amount of the invoice. It is refunded in full.',
  outcome_unknown: 'The outcome of the payment is not known. Ask the merchant before you pay again.',
  insufficient_balance:
    'Your account at the payment provider did not have enough balance for ten days. Add funds there, then refund again.',
  refund_unconfirmed:
    'The payment provider could not be asked for 30 days. Look there whether it returned the money before you refund again.',
  refund_refused: 'The payment provider refused the refund. Return the money in another way.',
} as const;

export type FailureCode = keyof typeof failures;

export const failureCodeSchema = v.picklist(Object.keys(failures) as FailureCode[]);
