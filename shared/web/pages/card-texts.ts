/** Holds the texts about cards on the payment page. */

/** The error messages of the form's fields: what is wrong, and what to do. */
export const fieldErrors = {
  number: 'Enter the card number as shown on your card: 12 to 19 digits.',
  checkDigit: 'This card number is not valid. Check the digits.',
  testCard: 'Only test cards work in test mode. Use 4242 4242 4242 4242, for example.',
  expiry: 'Enter the expiry date as month and year, for example 04 / 29.',
  expired: 'The expiry date has passed. Check the date or use another card.',
  cvc: 'Enter the security code: 3 or 4 digits.',
} as const;

/** What can be wrong with a field. */
export type CardError = keyof typeof fieldErrors;
