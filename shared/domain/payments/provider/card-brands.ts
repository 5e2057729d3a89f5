/** Names the brands of cards. A file of its own, so that the command line gets no schemas with it. */

/** The names that people read, by the value that the API shows. */
export const brandNames = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  rupay: 'RuPay',
  unknown: 'Card',
} as const;

export type CardBrand = keyof typeof brandNames;

/** Returns the name of a brand. A brand that a later release adds has no name here, and is returned as it is. */
export function brandNameOf(brand: string): string {
  return Object.hasOwn(brandNames, brand) ? brandNames[brand as CardBrand] : brand;
}
