/** Describes the fields of exports, and shows examples. */
import { createdAt, type FieldTexts, pagination, updatedAt } from './common-field-texts.ts';
import type { Example } from './named-schemas.ts';

/** As events and lists show it. */
export const completedExport: Example<'Export'> = {
  id: 'exp_3w8q1xh6r0mz4tv9c2jk5nbd7e',
  status: 'completed',
  kind: 'invoices',
  format: 'csv',
  bom: false,
  from: '2026-01-01',
  to: '2026-12-31',
  timeZone: 'Asia/Thimphu',
  filters: { status: 'paid', currency: 'BTN', customerId: null, invoiceId: null, paymentId: null },
  asOf: '2027-01-04T03:20:44.610Z',
  rows: 4_120,
  leftOut: 0,
  parts: [{ rows: 4_120, bytes: 1_893_204, url: null }],
  failure: null,
  expiresAt: '2027-01-11T03:20:44.610Z',
  createdAt: '2027-01-04T03:20:44.180Z',
  updatedAt: '2027-01-04T03:20:49.020Z',
};

export const failedExport: Example<'Export'> = {
  ...completedExport,
  status: 'failed',
  rows: 0,
  parts: [],
  failure: 'storage_unavailable',
};

const link =
  'https://remit-bucket.s3.ap-south-1.amazonaws.com/exports/acct_7c2xq9t0h4mzr6wk/exp_3w8q1xh6r0mz4tv9c2jk5nbd7e/0001-q4x9.csv?X-Amz-Expires=900';

/** As a request for one export shows it. */
export const exportExample: Example<'Export'> = {
  ...completedExport,
  parts: completedExport.parts.map((part) => ({ ...part, url: link })),
};

const kind =
  'Which rows the files have: `invoices`, the `lines` of invoices, `payments`, `refunds`, `customers`, the lines of the `journal`, the entries of the `audit` log, `documents`, or the `statement` of account of a customer. Documents are a ZIP archive of the PDFs with an index.';
const bom = 'Whether CSV begins with a byte order mark. Excel needs it for other scripts than Latin.';
const status = 'One status, or several separated by commas. For invoices, lines, payments and refunds.';
const currency = 'Only rows of this currency. Not for customers and the audit log.';
const customerId = 'Only rows of this customer. For invoices, lines and payments. A statement needs it.';
const invoiceId = 'Only rows of this invoice. For payments, refunds, the journal and documents.';
const paymentId = 'Only refunds of this payment.';

export const exportFieldTexts: Pick<
  FieldTexts,
  'Export' | 'ExportList' | 'ExportPart' | 'ExportFilters' | 'CreateExport' | 'ExportFiltersInput'
> = {
  Export: {
    id: 'The ID of the export.',
    status: '`running` while its files are made, then `completed`, or `failed` with the reason in `failure`.',
    kind,
    format: '`csv`, or `jsonl`: a JSON object for each row, in a line of its own.',
    bom,
    from: 'The first day, in the time zone.',
    to: 'The last day, in the time zone.',
    timeZone:
      'The time zone of your account at the creation. Days begin in it, and CSV shows times with its clock and offset.',
    filters: 'Which of the rows the files have.',
    asOf: 'When the set of rows was fixed. What was created later is in no file. Each row says in its own `asOf` as of when its values are. Null until then.',
    rows: 'How many rows the files have.',
    leftOut: 'How many records cannot be read, so that no file has them. Normally 0.',
    parts:
      'The files, each with its own header. A file has up to about 5,000 rows. Documents are one archive with one index, which has up to 10,000 of them. More of them are several archives.',
    failure:
      'Why the export has failed: `storage_unavailable` if the bucket of the deployment refuses files, `timed_out` if it was not ready after a day, `too_large` if a customer has more than 5,000 invoices or payments, too many for a statement. Null if it has not failed.',
    expiresAt: 'When the files are deleted, 7 days after `asOf`. Null until then.',
    createdAt,
    updatedAt,
  },
  ExportList: { data: 'The exports, newest first. Their files have no links.', pagination },
  ExportPart: {
    rows: 'How many rows the file has.',
    bytes: 'The size of the file.',
    url: 'The link to the file, which works for 15 minutes. Everyone who has it can read the file, so do not store it: request the export again. Null in lists and events, and until the export is completed.',
  },
  ExportFilters: {
    status: `${status} Null: all.`,
    currency: `${currency} Null: all.`,
    customerId: `${customerId} Null: all.`,
    invoiceId: `${invoiceId} Null: all.`,
    paymentId: `${paymentId} Null: all.`,
  },
  CreateExport: {
    kind,
    from: 'The first day, in the time zone of your account. The default is 10 years before `to` or today. Records count by their creation, documents by their issue, and payments and refunds by the day on which `GET /api/summary` counts their money.',
    to: 'The last day, at most 10 years after `from`. The default is today. It can be in the future, and the 10 years then end today. The set of rows is still that of `asOf`.',
    format: 'The default is `csv`. For `documents`, it is the format of the index.',
    bom: `${bom} The default is false.`,
    filters: 'Which of the rows the files have. The default is all. Each kind has its own filters.',
  },
  ExportFiltersInput: { status, currency, customerId, invoiceId, paymentId },
};
