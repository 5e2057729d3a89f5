/** Why a payment or a refund failed: the codes that are shown, each with its sentence for people. */
export const failures = {
  card_declined: 'The card was declined. Use another card, or ask the bank that issued it.',
  insufficient_funds: 'The card has insufficient funds. Use another card.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: "The card's security code is incorrect. Check it and try again.",
  processing_error: 'The payment could not be processed, and nothing was charged. Try again.',
  refund_refused: 'The provider refused the refund; give the money back in another way.',
} as const;

export type FailureCode = keyof typeof failures;
