/** Describes the batches of the daily reconciliation, and converts them to queue messages and back. */
import { modes, type Owner, type Resource } from '../ids.ts';
import { parseMessage } from '../store/parse-message.ts';
import {
  anyObject,
  arrayOf,
  checksOf,
  count,
  flag,
  objectOf,
  oneOf,
  optional,
  requireAttributes,
  text,
} from '../store/stored-fields.ts';
import { type PageLocation, resources } from './facts.ts';
import type { BooksBatch } from './reconcile-books.ts';

/** The comparison of an owner's pages, one page to check again, or the comparison with the books of a provider. */
export type ReconciliationBatch = Comparison | Recheck | BooksBatch;

export interface Comparison extends Owner {
  /** The day of the report, such as `2027-01-31`. */
  readonly day: string;
  /** Where this batch continues. Undefined if it is the first one. */
  readonly progress?: Progress | undefined;
  /** Only this part is left of the batch: the comparisons before the first page, or the page of `progress`. */
  readonly part?: 'beginning' | 'page' | undefined;
}

export interface Progress {
  readonly resource: Resource;
  readonly page: number;
  /** The numbers of records that earlier batches read and compared, and that they took from digests. */
  readonly records: number;
  readonly remembered: number;
  /** Whether all records are read, also those that digests hold. */
  readonly full: boolean;
  /** The day of the last complete comparison. Undefined if this one is full, or an earlier release began it. */
  readonly since?: string | undefined;
}

export interface Recheck extends PageLocation {
  readonly day: string;
  /** The identities of the differences that the previous check found. */
  readonly candidates: readonly string[];
  /** The identities of the differences that are already confirmed. */
  readonly confirmed: readonly string[];
  /** The number of rechecks, including this one. */
  readonly checks: number;
}

/** A batch as the queue carries it. The field names never change, because queued messages keep them. */
interface BatchMessage extends PageLocation {
  readonly day: string;
  readonly records: number;
  readonly progress?: Progress | undefined;
  /** An earlier release ignores it, and compares also what follows. */
  readonly part?: Comparison['part'];
  readonly again?: {
    readonly suspects: readonly string[];
    readonly known: readonly string[];
    readonly looks: number;
  };
  /** An earlier release ignores it, and checks nothing again. */
  readonly books?: BooksBatch['books'] | undefined;
}

/** What an earlier release does with a message that it does not know. */
const nothingToCheck = { suspects: [], known: [], looks: 99 };

/**
 * Converts a batch to the body of its queue message. An earlier release ignores `progress`, and compares all records from its
 * own first page on.
 */
export function toMessage(batch: ReconciliationBatch): BatchMessage {
  if (isBooks(batch)) return { ...batch, resource: 'refund', page: 0, records: 0, again: nothingToCheck };
  if (!isRecheck(batch)) return { ...batch, resource: 'invoice', page: 0, records: 0 };
  const { candidates, confirmed, checks, ...location } = batch;
  return { ...location, records: 0, again: { suspects: candidates, known: confirmed, looks: checks } };
}

/**
 * Returns the batch in the body of a queue message. A message of an earlier release without `progress` starts the
 * comparison of its owner again, because earlier releases compare the resources in another order.
 * @param body JSON
 * @throws MalformedItemError
 */
export function fromMessage(body: string): ReconciliationBatch {
  const parsed = parseMessage(body);
  requireAttributes(checks, parsed, () => 'message');
  const message = parsed as unknown as BatchMessage;
  const { account, mode, resource, page, day, progress, part, again, books } = message;
  if (books) return { account, mode, day, books };
  if (!again) return { account, mode, day, progress, part };
  const { suspects, known, looks } = again;
  return { account, mode, resource, page, day, candidates: suspects, confirmed: known, checks: looks };
}

const resource = oneOf(...resources);
const checks = checksOf({
  account: text,
  mode: oneOf(...modes),
  day: text,
  resource,
  page: count,
  records: count,
  part: optional(oneOf('beginning', 'page')),
  progress: optional(
    objectOf<Progress>({
      resource,
      page: count,
      records: count,
      remembered: count,
      full: flag,
      since: optional(text),
    }),
  ),
  again: optional(
    objectOf<NonNullable<BatchMessage['again']>>({
      suspects: arrayOf(text),
      known: arrayOf(text),
      looks: count,
    }),
  ),
  books: optional(anyObject),
});

/** Whether a batch is a page to check again. */
export const isRecheck = (batch: ReconciliationBatch): batch is Recheck => 'candidates' in batch;
/** Whether a batch is the comparison with the books of a provider. */
export const isBooks = (batch: ReconciliationBatch): batch is BooksBatch => 'books' in batch;
