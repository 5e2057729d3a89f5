/** Defines `remit search`: finds records by what people know of them. */
import type { SearchResult } from '../client/src/remit.ts';
import { connectApi } from './api-connection.ts';
import type { CliCommand } from './command.ts';
import { type Columns, formatAmountCell } from './resources.ts';

const columns: Columns<SearchResult> = {
  RESULT: ({ id }) => id,
  STATUS: ({ status }) => status ?? '',
  AMOUNT: ({ amount, currency }) =>
    amount === null || currency === null ? '' : formatAmountCell({ amount, currency }),
  NAME: ({ name, customerId }) => name ?? customerId ?? '',
  'FOUND BY': ({ matchedBy }) => matchedBy.replace('_', ' '),
  CREATED: ({ createdAt }) => createdAt,
};

export const searchCommand: CliCommand = {
  about: 'Find invoices, payments, refunds and customers by what you know of them, and any record by its ID.',
  details:
    'The text can be the number of a document, a reference, an amount, a name, an email address, the last four digits of a card, or an ID.',
  operands: ['TEXT'],
  examples: ['npx remit search 1,250.00', 'npx remit search "Pema Lhamo"'],
  run: async (options) => {
    const { remit } = await connectApi();
    const results = await remit.search({ q: options.required('TEXT') });
    const rows = results.data.map((each) => Object.values(columns).map((cell) => cell(each)));
    return { json: results, table: { headers: Object.keys(columns), rows } };
  },
};
