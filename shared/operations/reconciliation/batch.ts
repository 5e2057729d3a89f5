/** Describes the batches of the daily reconciliation, which are the bodies of its queue messages. */
import { modes, type Owner, type Resource } from '../../base/ids.ts';
import { parseMessage } from '../../store/parse-message.ts';
import {
  arrayOf,
  checksOf,
  count,
  flag,
  instant,
  objectOf,
  oneOf,
  optional,
  positive,
  requireAttributes,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { SeriesNumbers } from './document-numbers.ts';
import { type PageLocation, resources } from './facts.ts';
import type { Checkpoint } from './journal-checkpoint.ts';
import type { BooksBatch } from './reconcile-books.ts';
import type { DocumentsBatch } from './reconcile-documents.ts';
import type { JournalBatch, JournalProgress } from './reconcile-journal.ts';

/**
 * The comparison of an owner's pages, one page to check again, the comparison with the books of a provider, that of documents, or that of
 * the journal.
 */
export type ReconciliationBatch = Comparison | Recheck | BooksBatch | DocumentsBatch | JournalBatch;

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
  /** The day of the last complete comparison. Undefined if this one is full. */
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

const resource = oneOf(...resources);
const checks = checksOf({
  account: text,
  mode: oneOf(...modes),
  day: text,
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
  books: optional(
    objectOf<BooksBatch['books']>({
      provider: textOf<BooksBatch['books']['provider']>(),
      since: instant,
      cursor: optional(text),
      offset: optional(count),
      candidates: arrayOf(text),
      isSecond: flag,
      tries: count,
    }),
  ),
  documents: optional(
    objectOf<DocumentsBatch['documents']>({
      after: text,
      full: flag,
      series: arrayOf(
        objectOf<SeriesNumbers>({
          name: text,
          first: count,
          last: count,
          digits: count,
          starts: arrayOf(count),
          ends: arrayOf(count),
        }),
      ),
    }),
  ),
  journal: optional(
    objectOf<JournalProgress>({
      checkpoint: optional(objectOf<Checkpoint>({ id: text, parts: positive })),
      tries: count,
    }),
  ),
});
const recheckChecks = checksOf({
  resource,
  page: count,
  candidates: arrayOf(text),
  confirmed: arrayOf(text),
  checks: count,
});

/**
 * Returns the batch in the body of a queue message.
 * @throws MalformedItemError
 */
export function fromMessage(body: string): ReconciliationBatch {
  const message = parseMessage(body);
  requireAttributes(checks, message, () => 'message');
  const batch = message as unknown as ReconciliationBatch;
  if (isRecheck(batch)) requireAttributes(recheckChecks, message, () => 'message');
  return batch;
}

/** Whether a batch is a page to check again. */
export const isRecheck = (batch: ReconciliationBatch): batch is Recheck => 'candidates' in batch;
/** Whether a batch is the comparison with the books of a provider. */
export const isBooks = (batch: ReconciliationBatch): batch is BooksBatch => 'books' in batch;
/** Whether a batch is the comparison of documents. */
export const isDocuments = (batch: ReconciliationBatch): batch is DocumentsBatch => 'documents' in batch;
/** Whether a batch is the comparison of the journal. */
export const isJournal = (batch: ReconciliationBatch): batch is JournalBatch => 'journal' in batch;
