/** Lists the kinds and formats of exports. Data only, so the command line starts without schemas. */

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
