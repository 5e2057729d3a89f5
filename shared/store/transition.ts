/** What `commit` is given: records as they were read, and the pure function that decides what becomes of them. */
import type { Reply } from './idempotency-records.ts';
import type { IndexElement } from './index-pages.ts';
import type { EventDraft } from './outbox.ts';
import type { Reading, RecordBase } from './records.ts';
import type { Timer } from './timers.ts';

/** A record's next state and what follows from it. */
export interface Change<T extends RecordBase> {
  readonly record: T;
  /** The record is deleted. */
  readonly gone?: true;
  /** That the record has reached another status. */
  readonly element: IndexElement | undefined;
  readonly events: readonly EventDraft[];
  readonly timers: readonly Timer[];
}

/** A request whose answer is still owed: which, and by what its repetition is recognised. The record stores it. */
export interface OpenRequest {
  readonly keyHash: string;
  readonly fingerprint: string;
}

/** What a transition decides: for each record its change (none: it stays as it is), and the answer to the client. */
export interface Decision<Rs extends readonly RecordBase[]> {
  readonly changes: { readonly [I in keyof Rs]: Change<Rs[I]> | undefined };
  readonly answer: unknown;
  /** The id of a record that is only an intent yet: a request under a key goes on from there, and so does a repetition. */
  readonly intent?: string;
  /** The request that this answers at last, begun by the intent of the first record. */
  readonly answers?: OpenRequest | undefined;
}

export interface Committed extends Reply {
  /** Whether the answer is that of an earlier request under the same key. */
  readonly replayed: boolean;
}

type Readings<Rs extends readonly RecordBase[]> = { readonly [I in keyof Rs]: Reading<Rs[I]> };
export type Records<Rs extends readonly RecordBase[]> = { readonly [I in keyof Rs]: Rs[I] | undefined };

/** Goes on from an intent: its id, and the records as the intent left them if they are known. */
export type Proceed<Rs extends readonly RecordBase[]> = (
  id: string,
  records: Records<Rs> | undefined,
) => Promise<Committed>;

/**
 * For what is to be created: a record that has its number already must not be replaced.
 * @param existing what is stored under the id that follows from the number drawn
 * @throws Error if there is one: the account's head is behind its records, as after a restore from a backup
 */
export function requireNew(existing: RecordBase | undefined): void {
  if (existing) throw new Error(`The number of ${existing.id} was drawn twice.`);
}

/** A decision yet to be taken, on `readings` or, if those were overtaken, on fresh ones. `decide` is pure. */
export class Transition<Rs extends readonly RecordBase[]> {
  readonly readings: Readings<Rs>;
  readonly decide: (...records: Records<Rs>) => Decision<Rs>;
  readonly proceed: Proceed<Rs> | undefined;

  /** @param decide throws `ApiError` if the records' state does not allow the request */
  constructor(
    readings: Readings<Rs>,
    decide: (...records: Records<Rs>) => Decision<Rs>,
    proceed?: Proceed<Rs>,
  ) {
    this.readings = readings;
    this.decide = decide;
    this.proceed = proceed;
  }
}
