/**
 * Says which items lead to the records of an event, so that the relay stores them after the change. Pure.
 *
 * - An update names the values of before, so the items of these are deleted.
 * - A payment leads by its outcome: one that is still pending has no event.
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
  type SearchEntry,
  type Searched,
  searchEntriesOf,
  type Term,
} from '../../store/search/search-entries.ts';
import type { EventType } from '../events/event.ts';

/** What leads to an invoice, a payment or a refund. The record and what the API shows of it have these fields. */
export interface SearchedFields {
  readonly id: string;
  readonly amount?: unknown;
  readonly buyer?: unknown;
  readonly card?: unknown;
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
  const { name } = (record.buyer ?? {}) as { readonly name?: unknown };
  const { last4 } = (record.card ?? {}) as { readonly last4?: unknown };
  // The own reference of an invoice has an item already.
  const reference = id.startsWith('pay_') ? record.reference : undefined;
  const terms: Term[] = [
    ...(typeof amount === 'number' ? [{ kind: 'amount' as const, value: String(amount) }] : []),
    ...(typeof last4 === 'string' ? [{ kind: 'card' as const, value: last4 }] : []),
    ...(typeof reference === 'string'
      ? [{ kind: 'reference' as const, value: comparableTerm(reference) }]
      : []),
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

/** The events after which the merchant must decide something. */
const decided: ReadonlySet<string> = new Set<EventType>([
  'invoice.claimed',
  'payment.held',
  'payment.disputed',
]);

/** Returns the item that leads from the decisions of an account to the record of an event. */
function decisionEntries(
  hash: TableHash,
  { account, mode }: Owner,
  { type, body }: Pick<EventDraft, 'type' | 'body'>,
): readonly SearchEntry[] {
  if (!decided.has(type)) return [];
  const { data, timestamp } = JSON.parse(body) as {
    readonly data?: { id: string };
    readonly timestamp: string;
  };
  if (!data) return [];
  const createdAt = Date.parse(timestamp);
  return searchEntriesOf(hash, {
    account,
    mode,
    id: data.id,
    createdAt,
    terms: [openDecision],
    name: undefined,
  });
}

/** Returns the items to put and to delete after an event. */
export function entriesAfter(
  hash: TableHash,
  owner: Owner,
  event: Pick<EventDraft, 'type' | 'body'>,
): { readonly puts: readonly SearchEntry[]; readonly deletes: readonly Key[] } {
  const change = changeOf(owner, event);
  const { puts, deletes } = changedEntries(hash, change?.before, change?.after);
  return { puts: [...puts, ...decisionEntries(hash, owner, event)], deletes };
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
