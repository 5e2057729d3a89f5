/**
 * Shows an invoice that has only an amount and a description as one line. Pure. Each function of the service contains this file, so it
 * imports nothing.
 */

/** The most characters of the description of a line. */
export const maxLineDescription = 500;

/** The fields that are the same for all invoices without lines. */
export const plainCharges = {
  prices: 'exclusive',
  discount: null,
  roundTo: null,
  taxes: [],
} as const;

/**
 * Returns the only line of an invoice.
 * @param description cut to the length of a line's description
 */
export const plainLines = (amount: number, description: string) => [
  {
    id: null,
    description: [...description].slice(0, maxLineDescription).join(''),
    quantity: '1',
    unit: null,
    unitAmount: amount,
    discount: null,
    tax: 'none' as const,
    taxPercent: null,
    productCode: null,
    amount,
    taxableAmount: amount,
    taxAmount: 0,
  },
];

/** Returns the totals of an invoice without lines. */
export const plainTotals = (amount: number) => ({
  subtotal: amount,
  discount: 0,
  taxable: amount,
  tax: 0,
  rounding: 0,
});
