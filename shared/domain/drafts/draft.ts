/**
 * Defines the draft of an invoice: its fields, and the schemas of the requests and responses of its endpoints. A draft has no number
 * and no payment page, and is in no list of invoices. Its fields are those of a new invoice, and any of them can lack.
 */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import {
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
  shownMetadataSchema,
} from '../../base/metadata.ts';
import { amountSchema, currencySchema } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { type Discount, discountSchema, type LineInput, lineSchema, totalsSchema } from '../charges/line.ts';
import { newGstSchema } from '../invoices/indian-gst.ts';
import {
  customerIdSchema,
  descriptionSchema,
  invoiceIdSchema,
  invoicePeriodSchema,
  newInvoiceEntries,
  type ScheduledBy,
  scheduleIdSchema,
} from '../invoices/invoice.ts';
import { type Buyer, buyerSchema } from '../parties/buyer.ts';

/** What a draft says of the GST of India. */
export interface DraftGst {
  readonly placeOfSupply: string | null;
  readonly supply: NonNullable<v.InferOutput<typeof newGstSchema>['supply']> | null;
  readonly reverseCharge: boolean | null;
}

// What an invoice needs can lack in its draft. Sending is no field of a draft: the request that sends an invoice needs the invoice.
const { send: _, metadata: __, ...optionalFields } = newInvoiceEntries;
/** The fields of the invoice. All are optional. */
export const draftFields = {
  ...optionalFields,
  customerId: v.nullish(customerIdSchema),
  amount: v.nullish(amountSchema),
  currency: v.nullish(currencySchema),
  description: v.nullish(descriptionSchema),
};
type DraftField = keyof typeof draftFields;

/** The fields that a draft shows in another form than the one in which they are sent. */
interface ConvertedFields {
  readonly buyer: Buyer;
  readonly gst: DraftGst;
  readonly lines: readonly LineInput[];
  readonly discount: Discount;
  readonly reminders: readonly number[];
}

/** The fields of the invoice. Null: the field lacks. */
export type DraftContent = {
  readonly [Field in DraftField]:
    | (Field extends keyof ConvertedFields
        ? ConvertedFields[Field]
        : NonNullable<v.InferOutput<(typeof draftFields)[Field]>>)
    | null;
};

/** The draft as the service stores it. One that is finalized or deleted has only its ids, its version and its times. */
export interface Draft extends NumberedRecord<'draft'> {
  readonly content?: DraftContent | undefined;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  /** The invoice that the draft has become. */
  readonly invoiceId?: string | undefined;
  /** The schedule that made it. Its invoice has the same. */
  readonly scheduleId?: ScheduledBy['scheduleId'] | undefined;
  readonly period?: ScheduledBy['period'] | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

/** The content of a draft without any field. */
export const noContent = Object.fromEntries(
  Object.keys(draftFields).map((name) => [name, null]),
) as unknown as DraftContent;

/** A field that is null counts as absent. What an invoice needs is checked when the draft is finalized. */
export const createDraftBody = /* @__PURE__ */ v.strictObject({
  ...draftFields,
  metadata: v.nullish(newMetadataSchema),
});

/**
 * Absent fields do not change. Null removes a field. A client can send back a draft that it received: `updateDraft` compares the
 * read-only fields, and ignores what is computed.
 */
export const updateDraftBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  status: v.optional(v.unknown()),
  ...draftFields,
  computedAmount: v.optional(v.unknown()),
  totals: v.optional(v.unknown()),
  metadata: v.nullish(metadataUpdateSchema),
  invoiceId: v.optional(v.unknown()),
  scheduleId: v.optional(v.unknown()),
  period: v.optional(v.unknown()),
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
});

export const listDraftsQuery = /* @__PURE__ */ v.strictObject(paginationQuery);

export type CreateDraft = v.InferOutput<typeof createDraftBody>;
export type UpdateDraft = v.InferOutput<typeof updateDraftBody>;

const draftId = v.pipe(v.string(), v.regex(idPatternOf('draft')));
const { amount: ___, taxableAmount: ____, taxAmount: _____, ...lineEntries } = lineSchema.entries;

/** A line of a draft in responses. Nothing of it is computed. */
export const draftLineSchema = v.strictObject(lineEntries);

/** What a draft says of the GST of India, in responses. */
export const draftGstSchema = v.strictObject({
  placeOfSupply: v.nullable(v.string()),
  supply: v.nullable(newGstSchema.entries.supply.wrapped),
  reverseCharge: v.nullable(v.boolean()),
});

/** The fields that a draft shows as they were sent. */
const shownAsSent = Object.fromEntries(
  Object.entries(draftFields).map(([name, field]) => [name, v.nullable(field.wrapped as v.GenericSchema)]),
) as { readonly [Field in DraftField]: v.NullableSchema<(typeof draftFields)[Field]['wrapped'], undefined> };

/** The draft in responses. It always has all of these fields. */
export const draftSchema = v.strictObject({
  id: draftId,
  status: v.picklist(['open', 'finalized']),
  ...shownAsSent,
  buyer: v.nullable(buyerSchema),
  gst: v.nullable(draftGstSchema),
  lines: v.nullable(v.pipe(v.array(draftLineSchema), v.readonly())),
  discount: v.nullable(discountSchema),
  computedAmount: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  totals: v.nullable(totalsSchema),
  metadata: shownMetadataSchema,
  invoiceId: v.nullable(invoiceIdSchema),
  scheduleId: scheduleIdSchema,
  period: v.nullable(invoicePeriodSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const draftDeletionSchema = v.strictObject({ id: draftId, deletedAt: timestampSchema });

export type ShownDraft = v.InferOutput<typeof draftSchema>;
export type DraftDeletion = v.InferOutput<typeof draftDeletionSchema>;

/** What the invoice of a draft would charge. */
export type DraftTotals = Pick<ShownDraft, 'computedAmount' | 'totals'>;

/** The totals of a draft that cannot be computed yet. */
export const noTotals: DraftTotals = { computedAmount: null, totals: null };

/** Returns the draft as the API shows it. @param computed the result of `totalsOf` */
export function showDraft(draft: Draft, computed = noTotals): ShownDraft {
  const { id, status, content = noContent, invoiceId = null } = draft;
  const { buyer, reminders } = content;
  return {
    id,
    status: status === 'open' ? 'open' : 'finalized',
    ...content,
    buyer: buyer && { ...buyer, taxIds: [...buyer.taxIds] },
    reminders: reminders && [...reminders],
    ...computed,
    metadata: showMetadata(draft.metadata),
    invoiceId,
    scheduleId: draft.scheduleId ?? null,
    period: draft.period ? { ...draft.period } : null,
    createdAt: toTimestamp(draft.createdAt),
    updatedAt: toTimestamp(draft.updatedAt),
  };
}
