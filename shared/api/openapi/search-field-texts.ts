/** Describes the fields of search results, and shows examples. */
import type { FieldTexts } from './common-field-texts.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const searchResultExample: Example<'SearchResult'> = {
  type: 'invoice',
  id: invoice.id,
  matchedBy: 'amount',
  name: null,
  customerId: invoice.customerId,
  invoiceId: invoice.id,
  reference: null,
  amount: invoice.amount,
  currency: invoice.currency,
  status: invoice.status,
  createdAt: invoice.createdAt,
};

export const searchFieldTexts: Pick<FieldTexts, 'SearchResults' | 'SearchResult'> = {
  SearchResults: {
    data: 'The results, newest first.',
    hasMore:
      'Whether more records match, or can match: of a text that more than 1,000 records have, the newest are searched. Search for more of the text to find them.',
  },
  SearchResult: {
    type: 'The kind of the record.',
    id: 'The ID of the record.',
    matchedBy: 'Why the record is a result.',
    name: 'The name of the customer, or of the buyer of the invoice. Null if the record has none.',
    customerId: 'The ID of the customer. Null for a refund.',
    invoiceId: 'The ID of the invoice. Null for a customer.',
    reference: 'Your own reference, or that of the payment.',
    amount: 'In the smallest unit of the currency. Null for a customer.',
    currency: 'The currency of the amount. Null for a customer.',
    status: 'The status of the record. That of a voided payment is `voided`.',
    createdAt: 'When the record was created.',
  },
};
