/**
 * Defines the export: a file, or several, with the rows of one kind in a range of days, and the schemas of the requests and responses
 * of its endpoints. A worker makes the files (`shared/operations/exports`).
 */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { type Currency, currencySchema } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { statuses } from '../../base/statuses.ts';
import { type AccountTime, type RealTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import type { Permission } from '../auth/permissions.ts';
import { invoiceIdSchema } from '../invoices/invoice.ts';
import { firstDaySchema, lastDaySchema } from '../journal/summary.ts';
import { paymentIdSchema } from '../payments/payment.ts';
import {
  type ExportFormat,
  type ExportKind,
  exportFilters,
  exportFormats,
  exportKinds,
} from './export-kinds.ts';

/**
 * Why an export has failed: the bucket refused a file, the export was not ready after a day, or a statement of account is made of more
 * records than one can have.
 */
export const exportFailures = ['storage_unavailable', 'timed_out', 'too_large'] as const;
export type ExportFailure = (typeof exportFailures)[number];

/** Which rows an export has. Absent: all of the range. */
export interface ExportFilters {
  /** One status, or several separated by commas. */
  readonly status?: string | undefined;
  readonly currency?: Currency | undefined;
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly paymentId?: string | undefined;
}

/** What an export of a kind needs, and which filters it has. */
interface KindRule {
  /** The permissions to read these rows. A key needs all of them. */
  readonly permissions: readonly Permission[];
  readonly filters: readonly (keyof ExportFilters)[];
  /** The filter that an export must have. */
  readonly needs?: keyof ExportFilters;
  /** The statuses of the filter. */
  readonly statuses?: readonly string[];
}

const invoiceRule = { permissions: ['invoices:read'], statuses: statuses.invoice } as const;

const rules: Readonly<Record<ExportKind, Omit<KindRule, 'filters'>>> = {
  invoices: invoiceRule,
  lines: invoiceRule,
  payments: { permissions: ['payments:read'], statuses: statuses.payment },
  refunds: { permissions: ['refunds:read'], statuses: statuses.refund },
  customers: { permissions: ['customers:read'] },
  journal: { permissions: ['payments:read'] },
  documents: { permissions: ['invoices:read'] },
  audit: { permissions: ['audit:read'] },
  statement: {
    permissions: ['customers:read', 'invoices:read', 'payments:read', 'refunds:read'],
    needs: 'customerId',
  },
};

/** Returns what an export of a kind needs, and which filters it has. */
export const kindRuleOf = (kind: ExportKind): KindRule => ({ ...rules[kind], filters: exportFilters[kind] });

/** A file in the bucket. */
export interface StoredPart {
  /** The end of its key. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The export as the service stores it. */
export interface Export extends NumberedRecord<'export'> {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  /** CSV begins with a byte order mark. */
  readonly bom?: true | undefined;
  /** The first and the last day, `YYYY-MM-DD` in the time zone. */
  readonly from: string;
  readonly to: string;
  /** The time zone of the account at the creation. */
  readonly timeZone: string;
  readonly filters?: ExportFilters | undefined;
  /** Its place among those that run at the same time. */
  readonly slot: number;
  /** When the set of its rows was fixed. Undefined: not yet. */
  readonly asOf?: AccountTime | undefined;
  /** The last position in the set. Its form depends on the kind. */
  readonly until?: string | undefined;
  /** The position up to which the files have all rows. Undefined: they have none. */
  readonly cursor?: string | undefined;
  readonly parts: readonly StoredPart[];
  readonly rows: number;
  /** The records that cannot be read, so that no file has them. */
  readonly leftOut: number;
  readonly failure?: ExportFailure | undefined;
  /** When the first file can expire, in milliseconds. The record itself is kept. */
  readonly keptUntil?: RealTime | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

const kindMessage = `kind must be one of ${exportKinds.join(', ')}.`;
const formatMessage = `format must be one of ${exportFormats.join(', ')}.`;
const bomMessage = 'bom must be true or false.';
const filtersMessage = 'filters must be an object, such as { "status": "paid" }.';
const statusMessage = 'status must be a status, or several separated by commas.';
const idMessage = (name: string, form: string) => `${name} must be an ID in the form ${form}.`;

const idFilter = (name: string, resource: 'customer' | 'invoice' | 'payment', form: string) =>
  v.nullish(v.pipe(v.string(idMessage(name, form)), v.regex(idPatternOf(resource), idMessage(name, form))));

/** The filters of all kinds. `createExport` checks which of them a kind has. */
export const exportFiltersSchema = v.strictObject(
  {
    status: v.nullish(v.pipe(v.string(statusMessage), v.nonEmpty(statusMessage))),
    currency: v.nullish(currencySchema),
    customerId: idFilter('customerId', 'customer', 'cust_…'),
    invoiceId: idFilter('invoiceId', 'invoice', 'inv_…'),
    paymentId: idFilter('paymentId', 'payment', 'pay_…'),
  },
  filtersMessage,
);

export const createExportBody = /* @__PURE__ */ createBody();

/** A bundle omits the result if it does not use it. */
function createBody() {
  return v.pipe(
    v.strictObject({
      kind: v.picklist(exportKinds, kindMessage),
      from: v.nullish(firstDaySchema('from')),
      to: v.nullish(lastDaySchema('to')),
      format: v.nullish(v.picklist(exportFormats, formatMessage)),
      bom: v.nullish(v.boolean(bomMessage)),
      filters: v.nullish(exportFiltersSchema),
    }),
    // The clock of test mode has a field of the same name.
    v.metadata({ errorCodes: { to: 'invalid_to' } }),
  );
}

export type CreateExport = v.InferOutput<typeof createExportBody>;

export const listExportsQuery = v.strictObject(paginationQuery);

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A file in responses. */
export const exportPartSchema = v.strictObject({
  rows: count,
  bytes: count,
  url: v.nullable(v.pipe(v.string(), v.url())),
});

/** The filters in responses. */
export const shownFiltersSchema = v.strictObject({
  status: v.nullable(v.string()),
  currency: v.nullable(currencySchema),
  customerId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('customer')))),
  invoiceId: v.nullable(invoiceIdSchema),
  paymentId: v.nullable(paymentIdSchema),
});

/** The export in responses. It always has all of these fields. */
export const exportSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('export'))),
  status: v.picklist(statuses.export),
  kind: v.picklist(exportKinds),
  format: v.picklist(exportFormats),
  bom: v.boolean(),
  from: v.pipe(v.string(), v.isoDate()),
  to: v.pipe(v.string(), v.isoDate()),
  timeZone: v.string(),
  filters: shownFiltersSchema,
  asOf: v.nullable(timestampSchema),
  rows: count,
  leftOut: count,
  parts: v.array(exportPartSchema),
  failure: v.nullable(v.picklist(exportFailures)),
  expiresAt: v.nullable(timestampSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export type ShownExport = v.InferOutput<typeof exportSchema>;

/**
 * Returns the export as the API shows it.
 * @param links the links to its files, in their order. Without them, the files have none
 */
export function showExport(record: Export, links: readonly string[] = []): ShownExport {
  const { id, status, kind, format, from, to, timeZone, filters, asOf, keptUntil } = record;
  return {
    id,
    status,
    kind,
    format,
    bom: record.bom ?? false,
    from,
    to,
    timeZone,
    filters: {
      status: filters?.status ?? null,
      currency: filters?.currency ?? null,
      customerId: filters?.customerId ?? null,
      invoiceId: filters?.invoiceId ?? null,
      paymentId: filters?.paymentId ?? null,
    },
    asOf: asOf === undefined ? null : toTimestamp(asOf),
    rows: record.rows,
    leftOut: record.leftOut,
    parts: record.parts.map(({ rows, bytes }, index) => ({ rows, bytes, url: links[index] ?? null })),
    failure: record.failure ?? null,
    expiresAt: keptUntil === undefined ? null : toTimestamp(keptUntil),
    createdAt: toTimestamp(record.createdAt),
    updatedAt: toTimestamp(record.updatedAt),
  };
}
