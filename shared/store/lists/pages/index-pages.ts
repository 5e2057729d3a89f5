/**
 * Stores index pages, which show which records exist and which status each has. One page covers 256 consecutive
 * sequence numbers of one list. A list contains all records of a resource, or those of a filter, for example of one
 * customer. A page has one grow-only set of numbers for each status.
 *
 * - Writers only add a number to a set. Adding is commutative and idempotent, so retries, replays, races and repairs
 *   cannot corrupt a page. An erasure removes numbers (`remove-index-entries.ts`), and a folder removes what a volume
 *   holds (`fold-volume.ts`).
 * - A page is never part of a transaction, so changes of different records never conflict in it.
 * - A record exists if any set contains its number. Its status is the one of highest precedence among those sets. This
 *   is correct because statuses only move forward, in the order of `indexStates`.
 */
import type { Resource } from '../../../base/ids.ts';
import type { StatusOf } from '../../../base/statuses.ts';
import { pageSize } from '../../keys.ts';
import type { NumberedRecord } from '../../records.ts';
import { arrayOf, type Field, objectOf, optional, positive, text } from '../../stored-fields.ts';
import { factsOf, type RecordFacts } from '../filters/record-facts.ts';
import { indexStates } from '../index-states.ts';

/** States that the record with number `seq` has reached `status`. Goes to the list of all and to each filtered list. */
export type IndexEntry = {
  readonly [R in Resource]: {
    readonly resource: R;
    readonly seq: number;
    readonly filterKeys: readonly string[];
    readonly status: StatusOf<R>;
    /** The attribute of the status, if the entry was stored by another version. This one may not know the status. */
    readonly set?: string | undefined;
    /** Added to the pages with the status. Undefined if the record has none, or if the entry was stored: lists add missing facts. */
    readonly facts?: RecordFacts | undefined;
  };
}[Resource];

/** Returns an entry as outbox items and idempotency records store it: without its facts, and with the attribute of its status. */
export const toStoredEntry = ({ facts: _, ...entry }: IndexEntry): IndexEntry => ({
  ...entry,
  set: setOf(entry),
});

/** How items store entries. A later version can store other resources and statuses. */
export const storedIndexEntries: Field<readonly IndexEntry[]> = arrayOf(
  objectOf<Pick<IndexEntry, 'seq' | 'filterKeys' | 'set'> & { resource: string; status: string }>({
    resource: text,
    seq: positive,
    status: text,
    filterKeys: arrayOf(text),
    set: optional(text),
  }) as Field<object> as Field<IndexEntry>,
);

/** The index entry of a record's present status, with its facts. */
export function indexEntryOf<R extends Resource>(
  resource: R,
  record: Pick<NumberedRecord<R>, 'seq' | 'filterKeys' | 'status'> & Partial<RecordFacts>,
): IndexEntry {
  const { seq, filterKeys, status } = record;
  return { resource, seq, filterKeys, status, facts: factsOf(record) } as IndexEntry;
}

/** The precedence of a status that only a newer version knows: such a record has left all statuses known here. */
const unknownPrecedence = 255;

/** Whether this version knows a status. Records of a newer version can have others. */
export function isKnownStatus(resource: Resource, status: string): boolean {
  return Object.hasOwn(indexStates[resource], status);
}

/** Returns the precedence of a status, from 1. 0 means that the record does not exist. */
export function precedenceOf(resource: Resource, status: string): number {
  if (!isKnownStatus(resource, status)) return unknownPrecedence;
  return Object.keys(indexStates[resource]).indexOf(status) + 1;
}

/** Returns the status that has this precedence, or undefined for 0. */
export function statusAtPrecedence(resource: Resource, precedence: number): string | undefined {
  return Object.keys(indexStates[resource])[precedence - 1];
}

/** The attribute that holds the set of the entry's status. Undefined if neither this version nor the entry knows it. */
export function setOf({
  resource,
  status,
  set,
}: Pick<IndexEntry, 'resource' | 'status' | 'set'>): string | undefined {
  return (indexStates[resource] as Readonly<Record<string, string>>)[status] ?? set;
}

/**
 * Returns the precedence of each number of a page.
 * @param lowsIn returns the low bytes that a set contains
 */
export function precedencesOf(resource: Resource, lowsIn: (set: string) => readonly number[]): Uint8Array {
  const precedences = new Uint8Array(pageSize);
  // Lowest precedence first, so that the highest one is written last.
  Object.values(indexStates[resource]).forEach((set, index) => {
    for (const low of lowsIn(set)) precedences[low] = index + 1;
  });
  return precedences;
}
