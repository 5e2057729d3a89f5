import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { type Addition, addExpression, updatesOf } from '../../store/additions.ts';
import type { OpenLog } from '../../store/append-to-logs.ts';
import { tableTime } from '../../store/client.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { toStoredText } from '../../store/stored-text.ts';
import { type FailedAction, isRefusedByItem, type TransactionItem } from '../../store/transactions.ts';
import {
  parseCursor,
  parsePointer,
  readLastTaken,
  readNewestEvent,
  retentionSeconds,
} from './log-end-store.ts';

/** An event to append. */
export interface NewEvent {
  readonly event: EventDraft;
  /** Returns what the transaction stores with the event at a position. */
  readonly besides?: (position: number) => readonly TransactionItem[];
  /** What the transaction adds to the sums of the account. */
  readonly sums?: EventSums | undefined;
}

/** What an event adds to the sums of an account. The cursor has the totals, and says which items have the days. */
interface EventSums {
  /** @param generation undefined: the cursor has none @param timeZone that of the sums */
  readonly additions: (generation: number | undefined, timeZone: string) => readonly Addition[];
  /** The time zone of the sums, if the cursor has none. */
  readonly timeZone: string;
}

/** An event in the log. */
export interface AppendedEvent {
  readonly position: number;
  /** Whether an earlier run had appended it, with what was stored beside it. */
  readonly existed: boolean;
}

/** The end of a log: the position of the last event, and what the item of the cursor has for it. */
interface LogEnd {
  readonly last: number;
  /** Undefined: the item has no position, or does not exist. */
  readonly stored: unknown;
  /** The generation and the time zone of the sums. */
  readonly generation: unknown;
  readonly timeZone: unknown;
}

/** The log of an owner, from the end on that was read. Events that it appends expire 30 days after `now`. */
export class EventLog implements OpenLog {
  /** The events that were appended, by id. */
  readonly appended = new Map<string, AppendedEvent>();
  readonly #owner: Owner;
  readonly #expiresAt: number;
  #end: LogEnd;
  #missing: readonly NewEvent[] = [];
  /** The actions of each missing event after the first action, which raises the cursor. */
  #planned: readonly (readonly TransactionItem[])[] = [];

  private constructor(owner: Owner, now: Instant, end: LogEnd) {
    this.#owner = owner;
    this.#expiresAt = toSeconds(now) + retentionSeconds;
    this.#end = end;
  }

  /**
   * Opens a log. A cursor that cannot be read is replaced by the position of the newest event.
   * @param cursor the item of the cursor, as it was read. Another relay may have raised it since. Undefined: it does not exist
   * @throws MalformedItemError if the cursor cannot be read, and no event shows the end of the log
   */
  static async open(owner: Owner, now: Instant, cursor: Item | undefined): Promise<EventLog> {
    return new EventLog(owner, now, await endOf(owner, now, cursor));
  }

  /** Adds events to append, in their order. */
  add(events: readonly NewEvent[]): void {
    this.#missing = [...this.#missing, ...events];
  }

  actions(): readonly TransactionItem[] {
    if (this.#missing.length === 0) return [];
    this.#planned = this.#missing.map((each, index) => this.#putsOf(each, this.#end.last + 1 + index));
    const to = this.#end.last + this.#missing.length;
    const { pk } = tableKeys.eventCursor(this.#owner);
    const { additions, timeZone } = this.#sums();
    const totals = additions.filter(({ key }) => key.pk === pk);
    const ofDays = additions.filter(({ key }) => key.pk !== pk);
    return [this.#raise(to, totals, timeZone), ...this.#planned.flat(), ...updatesOf(ofDays, to)];
  }

  /** Returns what the missing events add to the sums, and the time zone of their days. Undefined: they add nothing. */
  #sums(): { readonly additions: readonly Addition[]; readonly timeZone: string | undefined } {
    const all = this.#missing.flatMap(({ sums }) => sums ?? []);
    const { generation, timeZone = all[0]?.timeZone } = this.#end;
    const isReadable = generation === undefined || typeof generation === 'number';
    if (!isReadable || typeof timeZone !== 'string') return { additions: [], timeZone: undefined };
    return { additions: all.flatMap((sums) => sums.additions(generation, timeZone)), timeZone };
  }

  /**
   * Leaves out what the missing events add to the sums, if an item of the sums can be why they were refused. The events count more than
   * the sums, which the reconciliation builds again from the journal.
   * @returns whether something was left out
   */
  leaveOutSums(error: unknown): boolean {
    if (!isRefusedByItem(error) || !this.#missing.some(({ sums }) => sums)) return false;
    const { account, mode } = this.#owner;
    logger.error('sums left out', { account, mode, error: String(error) });
    this.#missing = this.#missing.map(({ sums: _, ...event }) => event);
    return true;
  }

  onWritten(): void {
    const { last } = this.#end;
    this.#missing.forEach(({ event }, index) => {
      this.appended.set(event.id, { position: last + 1 + index, existed: false });
    });
    const { timeZone } = this.#sums();
    const position = last + this.#missing.length;
    this.#end = {
      ...this.#end,
      last: position,
      stored: position,
      ...(timeZone !== undefined && { timeZone }),
    };
    this.#missing = [];
  }

  async onRefused([cursor, ...puts]: readonly FailedAction[]): Promise<boolean> {
    let next = 0;
    let isTaken = false;
    this.#missing = this.#missing.filter(({ event }, index) => {
      const [pointer, ...others] = puts.slice(next, next + (this.#planned[index]?.length ?? 0));
      next += this.#planned[index]?.length ?? 0;
      if (!pointer?.failed) {
        isTaken ||= others.some(({ failed }) => failed);
        return true;
      }
      this.appended.set(event.id, { position: parsePointer(pointer.item ?? {}).position, existed: true });
      return false;
    });
    if (cursor?.failed) {
      const last = cursor.item ? parseCursor(cursor.item).position : 0;
      this.#end = { last, ...storedIn(cursor.item) };
      return true;
    }
    // The cursor is behind the log or the journal, for example because somebody has deleted it, or restored it from a copy.
    if (isTaken) this.#end = { ...this.#end, last: await readLastTaken(this.#owner) };
    return false;
  }

  #raise(to: number, totals: readonly Addition[], timeZone: string | undefined): TransactionItem {
    const { stored, generation } = this.#end;
    const added = addExpression(sumsOf(totals));
    const isSummed = timeZone !== undefined && this.#missing.some(({ sums }) => sums);
    const isSameGeneration = generation === undefined ? 'attribute_not_exists(#sums)' : '#sums = :sums';
    const isSamePosition = stored === undefined ? 'attribute_not_exists(#position)' : '#position = :from';
    return {
      Update: {
        TableName: env.tableName(),
        Key: tableKeys.eventCursor(this.#owner),
        UpdateExpression: [`SET #position = :to${isSummed ? ', #zone = :zone' : ''}`, added.expression]
          .join(' ')
          .trim(),
        ConditionExpression: isSummed ? `${isSamePosition} AND ${isSameGeneration}` : isSamePosition,
        ExpressionAttributeNames: {
          '#position': 'position',
          ...(isSummed && { '#zone': 'sumsZone', '#sums': 'sums' }),
          ...added.names,
        },
        ExpressionAttributeValues: {
          ':to': to,
          ...(stored !== undefined && { ':from': stored }),
          ...(isSummed && { ':zone': timeZone }),
          ...(isSummed && generation !== undefined && { ':sums': generation }),
          ...added.values,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  /** Returns the actions that put the pointer of an event, the event, and what is stored beside it. */
  #putsOf({ event, besides }: NewEvent, position: number): readonly TransactionItem[] {
    const { account, mode } = this.#owner;
    const expiresAt = this.#expiresAt;
    const { id, type, body } = event;
    const items = [
      { ...tableKeys.eventPointer(id), account, mode, position, expiresAt },
      { ...tableKeys.event(this.#owner, position), id, type, body: toStoredText(body), expiresAt },
    ];
    const puts = items.map((Item) => ({
      Put: {
        TableName: env.tableName(),
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    }));
    return [...puts, ...(besides?.(position) ?? [])];
  }
}

/** What the item of a cursor has. If the state of the sums has another form, nothing is added to them. */
const storedIn = (cursor: Item | undefined): Omit<LogEnd, 'last'> => ({
  stored: cursor?.position,
  generation: cursor?.sums,
  timeZone: cursor?.sumsZone,
});

/** Adds up amounts by attribute. */
function sumsOf(additions: readonly Addition[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { attribute, amount } of additions) sums.set(attribute, (sums.get(attribute) ?? 0) + amount);
  return sums;
}

/** An event that expires within a day may be deleted already, with those after it, if clocks differ. */
const expiryMarginSeconds = 24 * 60 * 60;

async function endOf(owner: Owner, now: Instant, cursor: Item | undefined): Promise<LogEnd> {
  try {
    return { last: cursor ? parseCursor(cursor).position : 0, ...storedIn(cursor) };
  } catch (error) {
    if (!(error instanceof MalformedItemError)) throw error;
    const newest = await readNewestEvent(owner);
    const isRecent = Number(newest?.expiresAt) > toSeconds(tableTime(now)) + expiryMarginSeconds;
    if (!newest || !isRecent) throw error;
    noteLeftOut([error]);
    return { last: Number(newest.sk), ...storedIn(cursor) };
  }
}
