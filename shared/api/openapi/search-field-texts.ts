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
  parentId: null,
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
    name: 'The name of the customer, of the buyer, or of the record itself. That is the bank of a statement, the address of a mail, the URL of an endpoint, the type of an event, the action of an entry, or the kind of an export. Null if it has none.',
    customerId: 'The ID of the customer. Null if the record names none.',
    invoiceId: 'The ID of the invoice. Null if the record is about none.',
    parentId:
      'The ID of what the record is a part of: the statement of a row, or the webhook endpoint of a delivery. Null for all others.',
    reference: 'Your own reference, that of the payment or the row, or the number of a document.',
    amount:
      'In the smallest unit of the currency. Negative for a row of money that left your account. Null if the record has none.',
    currency: 'The currency of the amount. Null if the record has none.',
    status: 'The status of the record. That of a voided payment is `voided`. Null for events and documents.',
    createdAt: 'When the record was created.',
  },
};
