/** Defines what a payment gives up when it closes an invoice for less than what is due. The command line loads it without the schemas. */

/** Why a payment closes an invoice although it is less than what is due. `tds`: the buyer withholds tax at the source, as in India. */
export const writeOffReasons = ['tds', 'bank_charge', 'discount', 'other'] as const;

/** What a payment gives up, so that nothing is due any more. */
export interface Settlement {
  /** In the smallest unit of the currency. */
  readonly writeOff: number;
  readonly reason: (typeof writeOffReasons)[number];
}
