/** What a reconciliation finds: a record, and a rule that it or what belongs to it breaks. Never a customer's data. */
import { createHash } from 'node:crypto';
import type { Owner, Resource } from '../ids.ts';

/** What must hold of every record once nothing is under way, as a sentence that says how it is broken. */
export const rules = {
  index_behind: 'a list lacks the record, or shows it in a state that it has left',
  index_ahead: 'a list shows the record in a state that it has not reached, or where it does not belong',
  record_missing: 'lists show a record that is not there',
  number_not_drawn: 'the record has a number that its account will draw once more',
  invoice_without_payment: 'the invoice is paid, but not by a completed payment',
  invoice_missing: 'there is no such invoice',
  payment_missing: 'there is no such payment',
  payment_in_progress: 'invoice and payment disagree on whether the payment is under way',
  payment_for_nothing:
    'the payment is completed, but its invoice is not paid by it, and no refund was made of it',
  payment_not_completed: 'money goes back of a payment that is not completed',
  amount_differs: 'the amount is not that of the invoice',
  currency_differs: 'the currency is not that of the invoice or payment',
  invoice_differs: 'the refund names another invoice than its payment does',
  refunded_sum_differs: 'the refunds that were processed do not make the sum that the payment shows',
  reserved_sum_differs: 'the refunds that are pending do not make the sum that the payment keeps for them',
  refunded_above_amount: 'more goes back than was paid',
  refund_not_in_payment: 'the payment knows nothing of the refund',
  refund_not_in_invoice: 'the invoice knows nothing of the refund',
  refund_note_differs: 'the refunds that were processed do not make the sum that the invoice shows',
} as const;

export type Rule = keyof typeof rules;

export interface Difference extends Owner {
  readonly resource: Resource;
  /** The record's number. */
  readonly seq: number;
  readonly id: string;
  readonly rule: Rule;
  /** Amounts in the smallest unit of the currency, states, ids. */
  readonly expected: string | number;
  readonly found: string | number;
  /**
   * The versions of the records that disagree. They are not read as they were at one moment; but if two readings, one
   * after the other, found the same versions, then between them all of these were there at once.
   */
  readonly evidence: string;
}

/** The same for the same difference, whenever it is found. */
export function identityOf(difference: Difference): string {
  const { resource, id, rule, expected, found, evidence } = difference;
  const text = JSON.stringify([resource, id, rule, expected, found, evidence]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
