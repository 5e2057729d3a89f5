/** The English texts of the pages of exports. */
import type { ExportFailure } from '../../../domain/exports/export.ts';
import type { ExportFormat, ExportKind } from '../../../domain/exports/export-kinds.ts';

export const exportTexts = {
  title: 'Exports',
  one: 'Export',
  create: 'Create export',
  choose: 'What should the file have?',
  next: 'Continue',
  missing: 'This export is about one record. Enter its ID.',
  otherKind: 'Export something else',
  about:
    'Files for your accountant or another program. A run takes seconds, or minutes if there are very many rows. Files can be downloaded for seven days.',
  empty: 'No exports yet.',
  table: 'Exports, newest first',
  files: 'Files',
  download: 'Download',
  downloadPart: (part: number, of: number) => `Download part ${part} of ${of}`,
  running: 'The files are being made. This page opens again by itself.',
  expired: 'The files have expired. Create the export again.',
  noFile: 'There is nothing in this range.',
  rows: 'Rows',
  rowsOf: (rows: number, bytes: string) => `${rows} rows, ${bytes}`,
  leftOut: 'Left out, because they cannot be read',
  range: 'Days',
  rangeOf: (from: string, to: string) => `${from} to ${to}`,
  asOf: 'As of',
  expires: 'Files expire',
  filters: 'Only',
  back: 'All exports',
  kinds: {
    invoices: 'Invoices',
    lines: 'Lines of invoices',
    payments: 'Payments',
    refunds: 'Refunds',
    customers: 'Customers',
    journal: 'Journal',
    documents: 'Documents, as PDFs in a ZIP archive',
    audit: 'Audit log',
    statement: 'Statement of account of a customer',
  } satisfies Record<ExportKind, string>,
  formats: {
    csv: 'CSV, for spreadsheets',
    jsonl: 'JSON lines, for programs',
  } satisfies Record<ExportFormat, string>,
  failures: {
    storage_unavailable:
      'The files could not be stored. Ask the operators of this service, then create the export again.',
    timed_out: 'The files were not ready after a day. Create an export of a shorter range.',
    too_large:
      'The customer has too many invoices or payments for a statement. Export the payments and the invoices of the customer.',
  } satisfies Record<ExportFailure, string>,
} as const;

/** The fields of the form, in their order. */
export const exportFields = {
  from: { label: 'From', hint: 'The first day. Empty: ten years before the last day.' },
  to: { label: 'To', hint: 'The last day. Empty: today.' },
  format: { label: 'Format', message: 'Format must be one of the list.' },
  status: { label: 'Status', message: 'Status must be one of the list.' },
  currency: { label: 'Currency', message: 'Currency must be one of the list.' },
  customerId: { label: 'Customer', hint: 'The ID of a customer, such as cust_a2ey…, as its page shows it.' },
  invoiceId: { label: 'Invoice', hint: 'The ID of an invoice, such as inv_a2ey…, as its page shows it.' },
  paymentId: { label: 'Payment', hint: 'The ID of a payment, such as pay_a2ey…, as its page shows it.' },
} as const;
