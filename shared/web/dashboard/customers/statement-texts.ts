/** The English texts of the statement of account. */
import type { MovementKind } from '../../../domain/account-statements/statement.ts';

const kinds: Readonly<Record<MovementKind, string>> = {
  invoice: 'Invoice',
  payment: 'Payment',
  written_off: 'Written off',
  cancelled: 'Invoice cancelled',
  credit: 'Credit',
  refund: 'Refund',
};

export const statementTexts = {
  title: 'Statement of account',
  of: (name: string) => `Statement of account: ${name}`,
  back: 'Back to the customer',
  from: 'From',
  to: 'To',
  show: 'Show',
  pdf: 'Download PDF',
  day: 'Day',
  entry: 'Entry',
  document: 'Document',
  charged: 'Charged',
  credited: 'Paid or credited',
  balance: 'Balance',
  opening: 'Balance before',
  closing: 'Balance at the end',
  closingOn: (day: string) => `Balance on ${day}`,
  customer: 'Customer',
  currency: 'Currency',
  tooLong: (max: number) =>
    `The statement has more than ${max.toLocaleString('en-US')} entries. Choose a shorter range, and download each part.`,
  table: (currency: string) => `Statement in ${currency}, the oldest first`,
  empty: 'Nothing was invoiced and nothing was paid until the end of this range.',
  more: (hidden: number) => `${hidden} later entries are not shown here. The PDF shows all.`,
  tooMany: (max: number) =>
    `This customer has more than ${max.toLocaleString('en-US')} invoices or payments, too many for a statement. Download the lists of its invoices and payments.`,
  note: 'A balance below 0 is money of the customer that no invoice needs. Payments that were voided do not count.',
  wrongDay: 'From and To must be days, such as 2026-03-31.',
  wrongRange: 'From must not be after To, and at most ten years before it.',
  kinds,
} as const;
