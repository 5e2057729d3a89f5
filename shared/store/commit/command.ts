/** What `commit` executes: loaded records, and the pure function that decides their next state. */
import type { SettingChange } from '../../base/audit-origin.ts';
import type { ApiError } from '../../base/errors.ts';
import type { Key } from '../keys.ts';
import type { IndexEntry } from '../lists/pages/index-pages.ts';
import type { Item, LoadedRecord, RecordBase } from '../records.ts';
import type { Timer } from '../timers/timer-item.ts';
import type { Reply } from './idempotency-records.ts';
import type { EventDraft } from './outbox-item.ts';

/** A record's next state, and what follows from it. */
export interface Change<T extends RecordBase> {
  readonly record: T;
  /** The record is deleted. */
  readonly deleted?: true;
  /** Set if the record has reached another status. */
  readonly indexEntry: IndexEntry | undefined;
  /**
   * The index entry is correct also before the record is written, and even if it is not written. So it is added while the
   * transaction is written.
   */
  readonly indexedEarly?: true;
  readonly events: readonly EventDraft[];
  /** Documents follow from the events. */
  readonly issuesDocuments?: true | undefined;
  readonly timers: readonly Timer[];
}

/** A change that clients do not see: no event, no index entry, no timer. */
export function internalChange<T extends RecordBase>(record: T): Change<T> {
  return { record, indexEntry: undefined, events: [], timers: [] };
}

/** A request that still waits for its answer. The record of its pending operation stores it. */
export interface PendingRequest {
  readonly keyHash: string;
  /** Identifies repetitions of the request. */
  readonly fingerprint: string;
  /** The HTTP status of the answer. */
  readonly status: number;
}

/** What a command decides: a change for each record (undefined leaves it as it is), and the answer to the client. */
export interface Decision<Rs extends readonly RecordBase[], A> {
  readonly changes: { readonly [I in keyof Rs]: Change<Rs[I]> | undefined };
  readonly answer: A;
  /**
   * The id of a record that is only a pending operation yet. The command resumes from it, and so does a repetition of
   * the request.
   */
  readonly pendingOperation?: string;
  /** The request that this decision answers. The first record is its pending operation. */
  readonly completes?: PendingRequest | undefined;
  /** The settings that the decision changes, for the audit log. */
  readonly changedSettings?: readonly SettingChange[];
  /** The request has an effect outside its records, so the audit log records it in any case. */
  readonly hasOtherEffect?: true;
  /** The resource that the audit log names, if it is none of the records. */
  readonly auditedAs?: string;
  /** Timers beside those of the changes, in the time of the account. */
  readonly timers?: readonly Timer[];
  /** Items without a version that the same transaction deletes. */
  readonly deletes?: readonly Key[];
  /** Items without a version that the same transaction puts, in the place of those with the same keys. */
  readonly puts?: readonly Item[];
  /** Items whose version the same transaction raises by one, whatever it is. */
  readonly bumpsVersionOf?: readonly Key[];
  /** Items that the same transaction puts, if they do not exist or move from another record. */
  readonly reserves?: readonly Reservation[];
}

/** An item that only one change can put. While it exists, all later changes that need it are refused. */
export interface Reservation {
  readonly item: Item;
  /** The item exists, and its attribute `id` names this record. The change gives the item to another record. */
  readonly movesFrom?: string;
  /** Returns the error of a request that finds the item. */
  readonly refuse: (existing: Item) => ApiError;
}

/** The creation of a record, with the items that the same transaction reserves. */
export interface Creation<T extends RecordBase> {
  readonly change: Change<T>;
  readonly reserves: readonly Reservation[];
}

/** The result of a commit. */
export interface Committed<A> {
  readonly answer: A;
  /** Set if this is the stored answer of an earlier request under the same key: its exact status and bytes. */
  readonly replayed?: Reply;
  /** Set if the same transaction answered the request that the decision completes. */
  readonly completed?: true;
}

type LoadedRecords<Rs extends readonly RecordBase[]> = { readonly [I in keyof Rs]: LoadedRecord<Rs[I]> };

/** The present state of each record; undefined where it does not exist. */
export type PresentRecords<Rs extends readonly RecordBase[]> = {
  readonly [I in keyof Rs]: Rs[I] | undefined;
};

/**
 * Resumes a pending operation.
 * @param id the id of its record
 * @param records the records as the pending operation left them; undefined for a repetition of the request
 */
export type Resume<Rs extends readonly RecordBase[], A> = (
  id: string,
  records: PresentRecords<Rs> | undefined,
) => Promise<Committed<A>>;

/**
 * Makes sure that a new record does not replace an existing one.
 * @param existing the record that is stored under the new id
 * @throws Error if it exists: the account's sequence numbers are behind its records, as after a restore from a backup
 */
export function requireNew(existing: RecordBase | undefined): void {
  if (existing) throw new Error(`The sequence number of ${existing.id} was allocated twice.`);
}

/** How a command runs, besides what it decides. */
export interface CommandOptions<Rs extends readonly RecordBase[], A> {
  /** Required if `decide` leaves a pending operation. */
  readonly resume?: Resume<Rs, A> | undefined;
  /** Work that runs beside the commit. The endpoint waits for it before it answers. It never rejects. */
  readonly meanwhile?: Promise<void> | undefined;
  /**
   * Removes the reason of an error that `decide` threw. Returns whether the command decides again, on records that are
   * read again. Otherwise the request is refused.
   */
  readonly resolveRefusal?: ((refusal: unknown) => Promise<boolean>) | undefined;
}

/**
 * A change of items without a version, such as API keys. It makes its own writes, and stores its answer under the key of its request.
 * `answer-record.ts` makes it.
 */
export class RecordedChange<A> {
  /** Makes the change, or returns the answer of the same request. */
  readonly make: () => Promise<Committed<A>>;

  constructor(make: () => Promise<Committed<A>>) {
    this.make = make;
  }
}

/**
 * A change to be decided and written. After a version conflict, `decide` runs again on the records as they are then.
 */
export class Command<Rs extends readonly RecordBase[], A = unknown> {
  readonly loaded: LoadedRecords<Rs>;
  readonly decide: (...records: PresentRecords<Rs>) => Decision<Rs, A>;
  readonly resume: CommandOptions<Rs, A>['resume'];
  readonly meanwhile: CommandOptions<Rs, A>['meanwhile'];
  readonly resolveRefusal: CommandOptions<Rs, A>['resolveRefusal'];

  /** @param decide pure; throws `ApiError` if the state of the records does not allow the request */
  constructor(
    loaded: LoadedRecords<Rs>,
    decide: (...records: PresentRecords<Rs>) => Decision<Rs, A>,
    { resume, meanwhile, resolveRefusal }: CommandOptions<Rs, A> = {},
  ) {
    this.loaded = loaded;
    this.decide = decide;
    this.resume = resume;
    this.meanwhile = meanwhile;
    this.resolveRefusal = resolveRefusal;
  }
}
