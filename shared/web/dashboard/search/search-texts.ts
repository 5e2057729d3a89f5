/** The English texts of the search. */
import type { SearchReason, SearchType } from '../../../domain/search/search.ts';

export const searchTexts = {
  title: 'Search',
  empty:
    'Nothing matches. Check the spelling, or search for less of a name: the first three letters are enough.',
  more: 'More records match. Search for more of the text to find them.',
  noWildcards:
    'The characters *, % and ? do not stand for others here. Search for the beginnings of words: the first three letters are enough.',
  invalid: 'Enter 2 to 200 characters.',
  table: 'Results, newest first',
  result: 'Result',
  foundBy: 'Found by',
} as const;

export const typeTexts: Readonly<Record<SearchType, string>> = {
  invoice: 'Invoice',
  payment: 'Payment',
  refund: 'Refund',
  customer: 'Customer',
  draft: 'Draft',
  schedule: 'Schedule',
  document: 'Document',
  mail: 'Mail',
  product: 'Product',
  statement: 'Bank statement',
  statement_row: 'Row of a bank statement',
  export: 'Export',
  webhook: 'Webhook endpoint',
  delivery: 'Delivery',
  event: 'Event',
  audit_entry: 'Entry of the audit log',
  api_key: 'API key',
};

export const reasonTexts: Readonly<Record<SearchReason, string>> = {
  id: 'ID',
  claim: 'Claim of the payer',
  number: 'Number',
  reference: 'Reference',
  payment_reference: 'Payment reference',
  email: 'Email address',
  customer: 'Customer',
  name: 'Name',
  card: 'Card',
  amount: 'Amount',
};
