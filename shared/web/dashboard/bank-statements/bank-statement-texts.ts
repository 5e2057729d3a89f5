/** The English texts of the pages of bank statements. */

import type { ColumnField } from '../../../domain/statements/column-mapping.ts';
import { maxFileRows } from '../../../domain/statements/csv/read-csv.ts';
import type { RecordedPayment, SuggestionReason } from '../../../domain/statements/statement.ts';

export const bankStatementTexts = {
  title: 'Bank statements',
  one: 'Bank statement',
  create: 'Import statement',
  empty: 'No bank statements yet. Import the file of your bank, and its rows pay your invoices.',
  table: 'Bank statements, newest first',
  days: 'Days',
  rows: 'Rows',
  imported: 'Imported',
  statuses: { matching: 'Matching', ready: 'Ready' } as Readonly<Record<string, string>>,
  matching:
    'Rows with the payment reference of an invoice pay by themselves now. This page opens again until all were tried.',
  waiting: (count: number) =>
    count === 0
      ? 'No row waits for a decision.'
      : `${count} ${count === 1 ? 'row waits' : 'rows wait'} for your decision.`,
  rowTable: 'Rows, those that wait for a decision first',
  noRows: 'No row has this status.',
  day: 'Day',
  payer: 'Payer and text',
  result: 'What it paid',
  rowStatuses: { unmatched: 'Not matched', matched: 'Matched', ignored: 'Ignored' } as Readonly<
    Record<string, string>
  >,
  wentOut: 'Money that went out. It pays nothing.',
  ofRefund: 'The refund of',
  payment: 'this payment',
  returned: 'The bank took back the money of a payment with this reference:',
  voidReturned: 'Void that payment, and ignore this row.',
  left: (amount: string) => `${amount} left`,
  back: 'Back to the statement',
  backToList: 'Back to the bank statements',
} as const;

/** The form with the file. */
export const uploadFields = {
  bank: {
    label: 'Bank or account',
    hint: 'Always write it in the same way, so that the same row in two files is one row.',
  },
  currency: { label: 'Currency', message: 'Currency must be one of the list.' },
  file: {
    label: 'File of your bank',
    hint: `CSV, or XML in the format camt.053, as your bank offers it. At most ${maxFileRows.toLocaleString('en-US')} rows and 3 MB.`,
  },
} as const;

/** The form with what was read from the file. */
export const importTexts = {
  show: 'Show the rows',
  showHint: 'Nothing is stored yet. You choose the columns on the next page.',
  title: 'Check the rows',
  found: (rows: number, came: string, went: string) =>
    `${rows} ${rows === 1 ? 'row' : 'rows'}: ${came} came in, and ${went} went out.`,
  skipped: (lines: number) =>
    `${lines} ${lines === 1 ? 'line' : 'lines'} without an amount ${lines === 1 ? 'was' : 'were'} skipped.`,
  skippedEntries: (entries: number) =>
    `${entries} ${entries === 1 ? 'entry' : 'entries'} not booked or without an amount ${entries === 1 ? 'was' : 'were'} skipped.`,
  kept: 'The columns are those of the last import of this bank.',
  nothingStored: 'Nothing is stored yet. Compare these rows with your file.',
  assumedDays:
    'No day of the file shows whether day or month comes first. Compare the days with your file before you import.',
  first: (count: number) => `The first ${count} rows`,
  columns: 'Columns of the file',
  none: 'No column',
  dayForm: { label: 'Form of days', message: 'Form of days must be one of the list.' },
  dayForms: {
    dmy: 'Day, month, year',
    mdy: 'Month, day, year',
    ymd: 'Year, month, day',
    month: 'Name of the month',
  },
  again: 'Show with these columns',
  import: 'Import these rows',
  unknownStep: 'Press one of the buttons of the form.',
  gone: 'The file is no longer stored. Choose it again.',
  tooLarge:
    'The file is larger than 3 MB. Download the statement of a shorter time, or import the file with the command line.',
  noFile: 'Choose the file of your bank.',
} as const;

/** The names of the fields that a column can have. */
export const columnTexts: Readonly<Record<ColumnField, string>> = {
  day: 'Day',
  amount: 'Amount',
  credit: 'Money in',
  debit: 'Money out',
  direction: 'In or out',
  currency: 'Currency',
  reference: 'Reference',
  text: 'Text',
  name: 'Payer',
};

/** The page of one row. */
export const rowTexts = {
  title: 'Row of a bank statement',
  recorded: 'Recorded payments',
  link: 'It is this payment',
  linkLabel: (payment: string) => `The row is the money of payment ${payment}`,
  linkHint: 'The row could be the money of this payment. Then nothing is paid again.',
  shownHint: (row: string) =>
    `Another row, ${row}, has paid this already. If both are the same money, ignore this row.`,
  return: 'It is this refund',
  returnLabel: (refund: string) => `The row is the money of refund ${refund}`,
  returnHint: 'Same amount, and the day fits.',
  refundOf: 'Refund of',
  notThisRefund:
    'The row cannot be the money of this refund: it has another amount or currency, it failed, or another row shows it.',
  ignoreRefundHint: 'The row is then no refund any more. You can match it with another one later.',
  notThisPayment:
    'The row cannot be the money of this payment: it is larger than what is left of the row, or it does not wait for a row.',
  ofRecorded: (amount: string, day: string | null) =>
    day === null ? `Payment of ${amount}` : `Payment of ${amount}, received on ${day}`,
  decide: 'Another invoice',
  ignore: 'Ignore',
  ignoreRest: (amount: string) => `Ignore ${amount}`,
  ignoreHint: 'The row then pays nothing. You can still match it later.',
  ignoreRestHint: 'What is left of the row then pays nothing. You can still match it later.',
  ignored: 'This row is ignored. You can still match it.',
  match: 'Pay this invoice',
  matchAnyway: 'Pay this invoice anyway',
  suggestions: 'Suggestions',
  noSuggestions: 'No open invoice fits by payment reference, or by amount with name or date.',
  pay: (amount: string) => `Pay ${amount}`,
  of: (name: string, due: string) => `${name}, ${due} due`,
  payLabel: (amount: string, invoice: string) => `Pay ${amount} of invoice ${invoice}`,
  keep: (amount: string) => `Keep ${amount} as credit`,
  keepLabel: (amount: string, invoice: string) =>
    `Keep ${amount} as credit, as more money for invoice ${invoice}`,
  ofPaid: (name: string) => `${name}, paid`,
  isPaid: 'The invoice is paid, so all of the money is credit of the customer.',
  matchTitle: 'Match with an invoice',
  paid: (amount: string) => `${amount} of`,
  payment: 'Payment',
  matched: 'Matched',
  notFound: 'No invoice was found by this text. Enter its ID, number, payment reference or own reference.',
  several: 'Several invoices were found by this text. Enter the ID of the one.',
  tooMuch:
    'This is more than the row has left, or less than is due of an invoice that accepts no part payments. Enter another amount.',
} as const;

/** The fields of the form that matches a row. */
export const matchFields = {
  invoice: { label: 'Invoice', hint: 'ID, number, payment reference or own reference.' },
  amount: {
    label: 'Amount',
    hint: 'All that is left of the row, or a part of it. The rest can pay other invoices.',
    message: 'Amount must be a number above 0 with at most two decimal places, such as 2500.00.',
  },
  writeOff: {
    label: 'Written off',
    hint: 'What stays due of the invoice after the amount, and is given up. Leave it empty to give up nothing.',
    message:
      'Written off must be a number above 0 with at most two decimal places, such as 25.00, with a reason of the list.',
    tooMuch:
      'Amount and what is written off must be what is due of the invoice, and your account limits what is written off.',
    isPaid: 'The invoice is paid already, so nothing is left to write off. Leave this empty.',
  },
  reason: {
    label: 'Why it is written off',
    choices: [
      ['tds', 'Tax withheld by the buyer (TDS)'],
      ['bank_charge', 'Fee of a bank'],
      ['discount', 'Discount'],
      ['other', 'Another reason'],
    ],
  },
} as const;

/** Why a recorded payment is suggested. */
export const recordedTexts: Readonly<Record<RecordedPayment['reason'], string>> = {
  reference: 'Same reference.',
  payment_reference: 'Same amount, and the row has the payment reference of its invoice.',
  amount_and_date: 'Same amount, and the day fits.',
};

/** Why an invoice is suggested. */
export const suggestionTexts: Readonly<Record<SuggestionReason, string>> = {
  payment_reference: 'The row has its payment reference.',
  amount_and_name: 'Same amount and name.',
  amount_and_date: 'Same amount, and the day fits.',
};
