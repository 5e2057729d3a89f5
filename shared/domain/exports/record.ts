/** Defines how exports are stored. Their files are in the bucket. */
import type { Currency } from '../../base/money.ts';
import { defineNumberedType } from '../../store/records.ts';
import {
  arrayOf,
  compressibleJson,
  count,
  instant,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { Export, ExportFilters, StoredPart } from './export.ts';

export const exportType = defineNumberedType<Export>('export', {
  attributes: {
    kind: textOf<Export['kind']>(),
    format: textOf<Export['format']>(),
    bom: optional(oneOf(true)),
    from: text,
    to: text,
    timeZone: text,
    filters: optional(
      objectOf<ExportFilters>({
        status: optional(text),
        currency: optional(textOf<Currency>()),
        customerId: optional(text),
        invoiceId: optional(text),
        paymentId: optional(text),
      }),
    ),
    slot: positive,
    asOf: optional(instant),
    until: optional(text),
    cursor: optional(text),
    parts: compressibleJson<readonly StoredPart[]>(),
    rows: count,
    leftOut: count,
    failure: optional(textOf<NonNullable<Export['failure']>>()),
    keptUntil: optional(instant),
    createdAt: instant,
    updatedAt: instant,
  },
  json: { parts: arrayOf(objectOf<StoredPart>({ name: text, rows: count, bytes: count })) },
  lastStatuses: ['completed', 'failed'],
});
