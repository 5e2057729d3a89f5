/** Defines how drafts are stored. */
import { type Currency, currencies } from '../../base/money.ts';
import { defineNumberedType } from '../../store/records.ts';
import {
  arrayOf,
  compressibleJson,
  type Field,
  flag,
  instant,
  integer,
  jsonObject,
  nullable,
  nullableEach,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { LineInput } from '../charges/line.ts';
import { storedDiscount, storedLineInput } from '../charges/stored-charges.ts';
import type { ScheduledBy } from '../invoices/invoice.ts';
import { sentFields } from '../invoices/record.ts';
import { storedBuyer } from '../parties/stored-party.ts';
import type { Draft, DraftContent, DraftGst } from './draft.ts';

const nullableText = nullable(text);

/** The content of a draft, as JSON. */
export const storedContent: Field<DraftContent> = objectOf<DraftContent>({
  customerId: nullableText,
  amount: nullable(positive),
  currency: nullable(oneOf<Currency>(...currencies)),
  description: nullableText,
  dueDate: nullableText,
  ...nullableEach(sentFields),
  acceptPartial: nullable(flag),
  reminders: nullable(arrayOf(integer)),
  buyer: nullable(storedBuyer),
  gst: nullable(
    objectOf<DraftGst>({
      placeOfSupply: nullableText,
      supply: nullable(textOf<NonNullable<DraftGst['supply']>>()),
      reverseCharge: nullable(flag),
    }),
  ),
  lines: nullable(arrayOf<LineInput>(storedLineInput)),
  prices: nullable(textOf<NonNullable<DraftContent['prices']>>()),
  discount: storedDiscount,
  roundTo: nullable(positive as Field<NonNullable<DraftContent['roundTo']>>),
});

export const draftType = defineNumberedType<Draft>('draft', {
  attributes: {
    content: optional(compressibleJson<DraftContent>()),
    metadata: optional(jsonObject),
    invoiceId: optional(text),
    scheduleId: optional(text),
    period: optional(objectOf<ScheduledBy['period']>({ start: text, end: text })),
    createdAt: instant,
    updatedAt: instant,
  },
  json: { content: storedContent },
});
