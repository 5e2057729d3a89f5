/** Lists the kinds of exports with their filters, and the formats. Data only, so the command line and lists need no schemas. */

export const exportKinds = [
  'invoices',
  'lines',
  'payments',
  'refunds',
  'customers',
  'journal',
  'documents',
  'audit',
  'statement',
] as const;
export type ExportKind = (typeof exportKinds)[number];

export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The filters that the exports of a kind have. */
export const exportFilters = {
  invoices: ['status', 'currency', 'customerId'],
  lines: ['status', 'currency', 'customerId'],
  payments: ['status', 'currency', 'customerId', 'invoiceId'],
  refunds: ['status', 'currency', 'invoiceId', 'paymentId'],
  customers: [],
  journal: ['currency', 'invoiceId'],
  documents: ['currency', 'invoiceId'],
  audit: [],
  statement: ['currency', 'customerId'],
} as const satisfies Record<ExportKind, readonly string[]>;
