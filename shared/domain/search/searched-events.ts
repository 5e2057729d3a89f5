/**
 * Says which items lead to the records of an event, so that the relay stores them after the change. Pure.
 *
 * - An update names the values of before, so the items of these are deleted.
 * - A payment leads by its outcome: one that is still pending has no event.
 * - A record about which the merchant must decide has an item from the event that asks for the decision until the one that takes it.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { TableHash } from '../../platform/secrets/deployment-secret.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import type { Key } from '../../store/keys.ts';
import {
  changedEntries,
  comparableTerm,
  openDecision,
  openDispute,
  type SearchEntry,
  type Searched,
  searchEntriesOf,
  type Term,
} from '../../store/search/search-entries.ts';
import type { EventType } from '../events/event.ts';
import { type Dispute, isUndecided } from '../payments/provider/hosted-provider.ts';

/** What leads to an invoice, a payment or a refund. The record and what the API shows of it have these fields. */
export interface SearchedFields {
  readonly id: string;
  readonly amount?: unknown;
  readonly currency?: unknown;
  readonly buyer?: unknown;
  readonly card?: unknown;
  readonly claim?: unknown;
  readonly reference?: unknown;
  readonly receivedOn?: unknown;
}

/** The events after which other terms lead to a record. */
const types: ReadonlySet<string> = new Set<EventType>([
  'invoice.created',
  'invoice.updated',
  'payment.completed',
  'payment.failed',
  'payment.held',
  'refund.processed',
  'refund.failed',
  'document.issued',
]);

/** Returns what leads to an invoice, a payment or a refund. @param createdAt that of the record */
export function searchedRecord(owner: Owner, record: SearchedFields, createdAt: Instant): Searched {
  const { account, mode } = owner;
  const { id, amount } = record;
  const currency = typeof record.currency === 'string' ? record.currency : undefined;
  const { name } = (record.buyer ?? {}) as { readonly name?: unknown };
  const { last4 } = (record.card ?? {}) as { readonly last4?: unknown };
  // The own reference of an invoice has an item already.
  const reference = id.startsWith('pay_') ? record.reference : undefined;
  const terms: Term[] = [
    ...(typeof amount === 'number' ? [{ kind: 'amount' as const, value: String(amount), currency }] : []),
    ...(typeof last4 === 'string' ? [{ kind: 'card' as const, value: last4 }] : []),
    ...(typeof reference === 'string'
      ? [{ kind: 'reference' as const, value: comparableTerm(reference) }]
      : []),
    // That of an invoice is an object. An open one has the item of the decision.
    ...(typeof record.claim === 'string' ? [{ kind: 'claim' as const, value: record.claim }] : []),
    ...(typeof record.receivedOn === 'string'
      ? [{ kind: 'received' as const, value: record.receivedOn }]
      : []),
  ];
  return { account, mode, id, createdAt, terms, name: typeof name === 'string' ? name : undefined };
}

/** Returns what leads to the invoice of a document. */
export function searchedDocument(
  { account, mode }: Owner,
  {
    number,
    invoiceId,
    issuedAt,
  }: { readonly number: string; readonly invoiceId: string; readonly issuedAt: Instant },
): Searched {
  const terms = [{ kind: 'number' as const, value: comparableTerm(number) }];
  return { account, mode, id: invoiceId, createdAt: issuedAt, terms, name: undefined };
}

/**
 * Returns what led to the record of an event before it, and what leads to it after it.
 * @returns undefined if it is the same, or if the event names no record: a search is no reason to hold up an event
 */
function changeOf(owner: Owner, { type, body }: Pick<EventDraft, 'type' | 'body'>) {
  if (!types.has(type)) return undefined;
  const { data, previous } = JSON.parse(body) as {
    readonly data?: SearchedFields &
      Readonly<Record<'createdAt' | 'issuedAt' | 'number' | 'invoiceId', string>>;
    readonly previous?: object;
  };
  if (!data || Number.isNaN(Date.parse(data.createdAt ?? data.issuedAt))) return undefined;
  if (type === 'document.issued')
    return { after: searchedDocument(owner, { ...data, issuedAt: Date.parse(data.issuedAt) }) };
  const createdAt = Date.parse(data.createdAt);
  const before = previous && searchedRecord(owner, { ...data, ...previous }, createdAt);
  return { before, after: searchedRecord(owner, data, createdAt) };
}

/** What the API shows of an invoice or a payment about which the merchant decides. */
export interface DecidedFields {
  readonly id: string;
  readonly createdAt: string;
  readonly claim?: unknown;
  readonly dispute?: { readonly status: string; readonly openedAt: string } | null | undefined;
  readonly pendingReason?: string | null | undefined;
  readonly failureCode?: string | null | undefined;
}

/** A decision about a record. */
interface MerchantDecision {
  readonly kind: 'claim' | 'dispute' | 'held';
  readonly isOpen: boolean;
  /** Leads to the record while the decision is open. */
  readonly searched: Searched;
}

/** What a decision about a claim depends on. */
interface ShownClaim {
  readonly id: string;
  readonly status: string;
  readonly claimedAt: string;
  /** Null: an erasure has removed it. */
  readonly reference: string | null;
}

/** Returns the decisions about a record: those of its claim, of its dispute, and of its other amount. */
function decisionsAbout({ account, mode }: Owner, record: DecidedFields): readonly MerchantDecision[] {
  const { id, createdAt, dispute, pendingReason } = record;
  // A payment has the id of the claim that it confirms.
  const claim = id.startsWith('inv_') ? (record.claim as ShownClaim | null) : null;
  const decision = (kind: MerchantDecision['kind'], isOpen: boolean, since: string): MerchantDecision => {
    const claimNames = [claim?.id, claim?.reference].filter((name) => name != null).map(comparableTerm);
    const open = kind === 'claim' ? { ...openDecision, claimNames } : openDecision;
    const terms = [kind === 'dispute' ? openDispute : open];
    return {
      kind,
      isOpen,
      searched: { account, mode, id, createdAt: Date.parse(since), terms, name: undefined },
    };
  };
  return [
    ...(claim ? [decision('claim', claim.status === 'open', claim.claimedAt)] : []),
    ...(dispute
      ? [decision('dispute', isUndecided(dispute.status as Dispute['status']), dispute.openedAt)]
      : []),
    decision('held', pendingReason === 'amount_differs', createdAt),
  ];
}

/** Returns the items that lead to a record because the merchant must decide about it. */
export const openDecisionEntries = (
  hash: TableHash,
  owner: Owner,
  record: DecidedFields,
): readonly SearchEntry[] =>
  decisionsAbout(owner, record)
    .filter(({ isOpen }) => isOpen)
    .flatMap(({ searched }) => searchEntriesOf(hash, searched));

/** The events that can ask for a decision, or take it. */
const decided: ReadonlySet<string> = new Set<EventType>([
  'invoice.claimed',
  'invoice.updated',
  'invoice.paid',
  'invoice.cancelled',
  'payment.held',
  'payment.completed',
  'payment.failed',
  'payment.disputed',
]);

/** Returns the decisions that an event asks for, or takes. */
function decisionsOf(owner: Owner, { type, body }: Pick<EventDraft, 'type' | 'body'>) {
  if (!decided.has(type)) return [];
  const { data, previous } = JSON.parse(body) as {
    readonly data?: DecidedFields;
    readonly previous?: { readonly claim?: unknown; readonly pendingReason?: unknown };
  };
  if (!data || Number.isNaN(Date.parse(data.createdAt))) return [];
  const isClosing = type === 'invoice.paid' || type === 'invoice.cancelled';
  const concerns: Readonly<Record<MerchantDecision['kind'], boolean>> = {
    claim: type === 'invoice.claimed' || isClosing || previous?.claim !== undefined,
    dispute: type === 'payment.disputed',
    held:
      type === 'payment.held' ||
      data.failureCode === 'amount_differs' ||
      previous?.pendingReason === 'amount_differs',
  };
  return decisionsAbout(owner, data).filter(({ kind }) => concerns[kind]);
}

/** Returns the items to put and to delete after an event. */
export function entriesAfter(
  hash: TableHash,
  owner: Owner,
  event: Pick<EventDraft, 'type' | 'body'>,
): { readonly puts: readonly SearchEntry[]; readonly deletes: readonly Key[] } {
  const change = changeOf(owner, event);
  const { puts, deletes } = changedEntries(hash, change?.before, change?.after);
  const decisions = decisionsOf(owner, event);
  const entriesOf = (isOpen: boolean) =>
    decisions
      .filter((each) => each.isOpen === isOpen)
      .flatMap(({ searched }) => searchEntriesOf(hash, searched));
  return { puts: [...puts, ...entriesOf(true)], deletes: [...deletes, ...entriesOf(false)] };
}

/** Returns the items that lead by the values that an event names, before and after it. */
export function entriesNamedBy(
  hash: TableHash,
  owner: Owner,
  event: Pick<EventDraft, 'type' | 'body'>,
): readonly SearchEntry[] {
  const { before, after } = changeOf(owner, event) ?? {};
  return [before, after].flatMap((searched) => (searched ? searchEntriesOf(hash, searched) : []));
}
