/**
 * Decides which changes of a draft are allowed. Pure. No event follows from a change of a draft.
 *
 * A draft is `open` until it is finalized or deleted. Then its record stays without its content, because lists and sequence numbers
 * depend on it. The invoice has the content of a finalized draft, so an erasure finds it there.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseDueDate } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { mergeMetadata, showMetadata } from '../../base/metadata.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { sortedDays } from '../accounts/reminder-plan.ts';
import { type Filled, toDiscount, toLineInput } from '../charges/line.ts';
import type { ScheduledBy } from '../invoices/invoice.ts';
import type { Buyer } from '../parties/buyer.ts';
import { toAddress } from '../parties/party.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import {
  type CreateDraft,
  type Draft,
  type DraftContent,
  noContent,
  showDraft,
  type UpdateDraft,
  updateDraftBody,
} from './draft.ts';

/** The owner, sequence number and id of a new draft. */
export interface NewDraftIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
}

/** Creates an open draft. @param scheduled the schedule that makes it. Undefined: a request @throws ApiError `invalid_metadata` */
export function createDraft(
  identity: NewDraftIdentity,
  body: Filled<CreateDraft>,
  now: AccountTime,
  scheduled?: ScheduledBy,
): Change<Draft> {
  const draft: Draft = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'open',
    content: contentWith(noContent, body),
    metadata: mergeMetadata(undefined, body.metadata ?? undefined),
    ...scheduled,
    createdAt: now,
    updatedAt: now,
  };
  return { ...internalChange(draft), indexEntry: entryOf(draft) };
}

/**
 * Sets the fields that the body names. Null removes a field. Returns undefined if they have these values already.
 * @throws ApiError `draft_finalized`, `invalid_metadata`, and `immutable_field` if a read-only field differs from its current value
 */
export function updateDraft(
  draft: Draft,
  body: Filled<UpdateDraft>,
  now: AccountTime,
): Change<Draft> | undefined {
  requireOpen(draft);
  const { computedAmount: _, totals: __, ...compared } = body;
  const sent = requireUnchanged('drafts', updateDraftBody, showDraft(draft), compared);
  const content = contentWith(draft.content ?? noContent, sent);
  const metadata = mergeMetadata(draft.metadata, sent.metadata);
  if (isDeepStrictEqual(content, draft.content) && metadata === draft.metadata) return undefined;
  return internalChange({
    ...draft,
    version: draft.version + 1,
    objectVersion: draft.objectVersion + 1,
    content,
    metadata,
    updatedAt: Math.max(now, draft.updatedAt + 1),
  });
}

/** Says that a draft has become an invoice, and leaves the content to it. @throws ApiError `draft_finalized` */
export function finalizeDraft(draft: Draft, invoiceId: string, now: AccountTime): Change<Draft> {
  requireOpen(draft);
  return endDraft(draft, { status: 'finalized', invoiceId }, now);
}

/** Deletes a draft with its content. @throws ApiError `draft_finalized` */
export function deleteDraft(draft: Draft, now: AccountTime): Change<Draft> {
  requireOpen(draft);
  return endDraft(draft, { status: 'deleted' }, now);
}

/** @throws ApiError `draft_finalized` */
export function requireOpen({ status, invoiceId }: Draft): void {
  if (status === 'open') return;
  const message = `The draft is finalized: it is the invoice ${invoiceId}. Read or change that invoice.`;
  throw new ApiError('draft_finalized', { message });
}

/** Returns the fields of the invoice that a draft would become, as in the body of a request that creates it. */
export function invoiceFieldsOf({
  content = noContent,
  metadata,
}: Pick<Draft, 'content' | 'metadata'>): Readonly<Record<string, unknown>> {
  const present = Object.entries(content).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(present),
    ...(metadata !== undefined && { metadata: showMetadata(metadata) }),
  };
}

/** Leaves only ids, version, period and times. No copy of the stored record is made, because a copy would keep what only a newer version knows. */
function endDraft(
  { account, mode, id, seq, version, objectVersion, scheduleId, period, createdAt, updatedAt }: Draft,
  end: Pick<Draft, 'status' | 'invoiceId'>,
  now: AccountTime,
): Change<Draft> {
  const ended: Draft = {
    ...{ account, mode, id, seq },
    version: version + 1,
    objectVersion: objectVersion + 1,
    filterKeys: [],
    ...end,
    ...(scheduleId !== undefined && { scheduleId }),
    ...(period && { period }),
    createdAt,
    updatedAt: Math.max(now, updatedAt + 1),
  };
  return { ...internalChange(ended), indexEntry: entryOf(ended) };
}

const entryOf = ({ seq, status }: Draft) => ({ resource: 'draft' as const, seq, filterKeys: [], status });

/** The fields of the content that a client sends. */
export type SentContent = Omit<Filled<CreateDraft>, 'metadata'>;

/** How fields are shown that are not shown as they were sent. */
const converters: {
  readonly [Field in keyof DraftContent]?: (sent: NonNullable<SentContent[Field]>) => DraftContent[Field];
} = {
  dueDate: (text) => parseDueDate(text)?.shown ?? text,
  buyer: toDraftBuyer,
  gst: ({ placeOfSupply = null, supply = null, reverseCharge = null }) => ({
    placeOfSupply,
    supply,
    reverseCharge,
  }),
  lines: (lines) => lines.map(toLineInput),
  discount: toDiscount,
  reminders: sortedDays,
};

/** Returns the content with the fields that are sent, each in the form in which it is shown. */
export function contentWith(content: DraftContent, sent: SentContent): DraftContent {
  const names = Object.keys(noContent) as (keyof DraftContent)[];
  const changed = names.flatMap((name) => {
    const value = sent[name];
    if (value === undefined) return [];
    const convert = converters[name] as ((value: unknown) => unknown) | undefined;
    return [[name, value === null || !convert ? value : convert(value)]];
  });
  return { ...content, ...(Object.fromEntries(changed) as Partial<DraftContent>) };
}

/** Returns a buyer with null for what it lacks. Its tax numbers are checked when the draft is finalized. */
function toDraftBuyer(buyer: NonNullable<CreateDraft['buyer']>): Buyer {
  const { name, email = null, address, deliveryAddress, taxIds } = buyer;
  return {
    name,
    email,
    address: address ? toAddress(address) : null,
    deliveryAddress: deliveryAddress ? toAddress(deliveryAddress) : null,
    taxIds: (taxIds ?? []).map(({ type, value }) => ({ type, value })),
  };
}
