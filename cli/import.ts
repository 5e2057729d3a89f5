/** Defines `remit import`: imports customers, products and open invoices from the exports of another tool. */
import { currencies } from '../shared/base/money.ts';
import type { CliCommand } from './command.ts';
import { importTools } from './import-records.ts';

export const importCommand: CliCommand = {
  about: 'Import customers, products and open invoices from the CSV exports of another tool.',
  details: `Tools: ${importTools.join(', ')}. Give the exports that you have, in English. Use --dry-run first: it shows what would be
imported and what is left out, and sends nothing.

The same files again create nothing twice, and go on after an interruption. What exists is not changed. The exit code is 1 if a row
is left out, for example a paid invoice.

An open invoice is imported with the amount that is still due, and with its number as reference. Import before you set the
seller profile: then it gets no second number.`,
  operands: ['TOOL'],
  options: {
    customers: { value: 'FILE', about: 'Export of the customers or clients.' },
    products: { value: 'FILE', about: 'Export of the products, prices or items.' },
    invoices: { value: 'FILE', about: 'Export of the invoices. Those that are not open are left out.' },
    currency: {
      value: 'CURRENCY',
      about: `Currency of the prices of Invoice Ninja, which name none: ${currencies.join(', ')}.`,
    },
    tax: {
      value: 'NAME=CODE',
      about:
        'Tax code of Remit for a tax of the other tool, for example "GST 18=in_gst_18". Repeat the option for more.',
      repeatable: true,
    },
    amounts: {
      value: 'FORM',
      about:
        'How amounts of Razorpay are written: units (rupees) or smallest (paise). Needed only if the file does not show it.',
    },
    'new-numbers': {
      about: 'Import invoices although the account has a seller profile. Each gets a new number.',
    },
    'set-next-number': {
      value: 'PREFIX',
      about:
        'First let the numbers of the account go on after the highest number of the file that begins with this prefix.',
    },
    'dry-run': { about: 'Only show what would be imported. Send nothing.' },
  },
  examples: [
    'npx remit import invoice-ninja --customers clients.csv --products products.csv --invoices invoices.csv --currency BTN --dry-run',
    'npx remit import stripe --customers customers.csv --products prices.csv --invoices invoices.csv',
    'npx remit import razorpay --invoices invoices.csv --amounts smallest',
  ],
  // Only the import needs the parser, and the start of the command line is measured.
  run: async (options) => (await import('./import-exports.ts')).importExports(options),
};
