/**
 * Defines the draft of an invoice: its fields, and the schemas of the requests and responses of its endpoints. A draft has no number
 * and no payment page, and is in no list of invoices. Its fields are those of a new invoice, and any of them can lack.
 */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { type Locale, localeSchema } from '../../base/locales.ts';
import {
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
  shownMetadataSchema,
} from '../../base/metadata.ts';
import { amountSchema, type Currency, currencySchema } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { newChargeFields } from '../charges/charge-fields.ts';
import {
  type Discount,
  discountSchema,
  type LineInput,
  lineSchema,
  pricesSchema,
  roundToSchema,
  totalsSchema,
} from '../charges/line.ts';
import { newGstSchema } from '../invoices/indian-gst.ts';
import {
  acceptPartialSchema,
  customerIdSchema,
  descriptionSchema,
  dueDateSchema,
  invoiceIdSchema,
  referenceSchema,
} from '../invoices/invoice.ts';
import { type Buyer, buyerSchema, newBuyerSchema } from '../parties/buyer.ts';

/** What a draft says of the GST of India. */
export interface DraftGst {
  readonly placeOfSupply: string | null;
  readonly supply: NonNullable<v.InferOutput<typeof newGstSchema>['supply']> | null;
  readonly reverseCharge: boolean | null;
}

/** The fields of the invoice, as they were sent. Null: the field lacks. */
export interface DraftContent {
  readonly customerId: string | null;
  /** In the smallest unit of the currency. */
  readonly amount: number | null;
  readonly currency: Currency | null;
  readonly description: string | null;
  readonly dueDate: string | null;
  readonly reference: string | null;
  readonly locale: Locale | null;
  /** Null and undefined: as the account says. */
  readonly acceptPartial?: boolean | null | undefined;
  readonly buyer: Buyer | null;
  readonly gst: DraftGst | null;
  readonly lines: readonly LineInput[] | null;
  readonly prices: v.InferOutput<typeof pricesSchema> | null;
  readonly discount: Discount | null;
  readonly roundTo: v.InferOutput<typeof roundToSchema> | null;
}

/** The draft as the service stores it. One that is finalized or deleted has only its ids, its version and its times. */
export interface Draft extends NumberedRecord<'draft'> {
  readonly content?: DraftContent | undefined;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  /** The invoice that the draft has become. */
  readonly invoiceId?: string | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

/** The content of a draft without any field. */
export const noContent: DraftContent = {
  customerId: null,
  amount: null,
  currency: null,
  description: null,
  dueDate: null,
  reference: null,
  locale: null,
  acceptPartial: null,
  buyer: null,
  gst: null,
  lines: null,
  prices: null,
  discount: null,
  roundTo: null,
};

const fields = {
  customerId: v.nullish(customerIdSchema),
  amount: v.nullish(amountSchema),
  currency: v.nullish(currencySchema),
  description: v.nullish(descriptionSchema),
  dueDate: v.nullish(dueDateSchema),
  reference: v.nullish(referenceSchema),
  locale: v.nullish(localeSchema),
  acceptPartial: v.nullish(acceptPartialSchema),
  buyer: v.nullish(newBuyerSchema),
  gst: v.nullish(newGstSchema),
  ...newChargeFields,
};

/** A field that is null counts as absent. What an invoice needs is checked when the draft is finalized. */
export const createDraftBody = /* @__PURE__ */ v.strictObject({
  ...fields,
  metadata: v.nullish(newMetadataSchema),
});

/**
 * Absent fields do not change. Null removes a field. A client can send back a draft that it received: `updateDraft` compares the
 * read-only fields, and ignores what is computed.
 */
export const updateDraftBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  status: v.optional(v.unknown()),
  ...fields,
  computedAmount: v.optional(v.unknown()),
  totals: v.optional(v.unknown()),
  metadata: v.nullish(metadataUpdateSchema),
  invoiceId: v.optional(v.unknown()),
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
});

export const listDraftsQuery = /* @__PURE__ */ v.strictObject(paginationQuery);

export type CreateDraft = v.InferOutput<typeof createDraftBody>;
export type UpdateDraft = v.InferOutput<typeof updateDraftBody>;

const draftId = v.pipe(v.string(), v.regex(idPatternOf('draft')));
const { amount: _, taxableAmount: __, taxAmount: ___, ...lineEntries } = lineSchema.entries;

/** A line of a draft in responses. Nothing of it is computed. */
export const draftLineSchema = v.strictObject(lineEntries);

/** What a draft says of the GST of India, in responses. */
export const draftGstSchema = v.strictObject({
  placeOfSupply: v.nullable(v.string()),
  supply: v.nullable(newGstSchema.entries.supply.wrapped),
  reverseCharge: v.nullable(v.boolean()),
});

/** The draft in responses. It always has all of these fields. */
export const draftSchema = v.strictObject({
  id: draftId,
  status: v.picklist(['open', 'finalized']),
  customerId: v.nullable(customerIdSchema),
  amount: v.nullable(amountSchema),
  currency: v.nullable(currencySchema),
  description: v.nullable(v.string()),
  dueDate: v.nullable(dueDateSchema),
  reference: v.nullable(v.string()),
  locale: v.nullable(localeSchema),
  acceptPartial: v.nullable(v.boolean()),
  buyer: v.nullable(buyerSchema),
  gst: v.nullable(draftGstSchema),
  lines: v.nullable(v.pipe(v.array(draftLineSchema), v.readonly())),
  prices: v.nullable(pricesSchema),
  discount: v.nullable(discountSchema),
  roundTo: v.nullable(roundToSchema),
  computedAmount: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  totals: v.nullable(totalsSchema),
  metadata: shownMetadataSchema,
  invoiceId: v.nullable(invoiceIdSchema),
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
  const { customerId, amount, currency, description, dueDate, reference, locale } = content;
  const { buyer, gst, lines, prices, discount, roundTo } = content;
  return {
    id,
    status: status === 'open' ? 'open' : 'finalized',
    ...{ customerId, amount, currency, description, dueDate, reference, locale },
    acceptPartial: content.acceptPartial ?? null,
    buyer: buyer && { ...buyer, taxIds: [...buyer.taxIds] },
    ...{ gst, lines, prices, discount, roundTo },
    ...computed,
    metadata: showMetadata(draft.metadata),
    invoiceId,
    createdAt: toTimestamp(draft.createdAt),
    updatedAt: toTimestamp(draft.updatedAt),
  };
}
