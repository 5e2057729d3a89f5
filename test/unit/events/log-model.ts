/**
 * Runs relays of one event log on a model of the table. Each call takes effect at one moment, and a random choice decides
 * whose call is next. Calls crash, lose their answer, and are made again by other relays. The model can have a bug, so that
 * a test shows that the checks find it.
 */
import {
  appendAtOnce,
  appendInTurn,
  appendTogether,
  type EventLogCalls,
  knownEnd,
} from '../../../shared/domain/events/append-events.ts';
import type { EventDraft } from '../../../shared/store/commit/outbox-item.ts';
import { type Random, seededRandom } from '../../support/seeded-random.ts';

/** A rule that a model does not keep. */
export type PlantedBug =
  | 'put replaces an event'
  | 'reserve replaces a pointer'
  | 'move replaces any position'
  | 'put with pointer replaces an event'
  | 'put with pointer replaces a pointer'
  | 'transaction replaces an event'
  | 'transaction replaces a pointer'
  | 'transaction ignores the cursor'
  | 'cursor is never raised';

const monthSeconds = 30 * 24 * 60 * 60;

class Crash extends Error {}

class LogModel {
  /** Everything that is wrong. */
  readonly violations: string[] = [];
  readonly #random: Random;
  readonly #bug: PlantedBug | undefined;
  readonly #events = new Map<number, { id: string; expiresAt: number }>();
  readonly #pointers = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #cursor = 0;
  #last = 0;
  #now = 0;

  constructor(random: Random, bug: PlantedBug | undefined) {
    this.#random = random;
    this.#bug = bug;
  }

  get nowSeconds(): number {
    return this.#now;
  }

  /** Lets all events and pointers expire, and deletes some or all of them. */
  expire(): void {
    this.#now += monthSeconds + 1;
    this.#deleteExpired(this.#random.pick([0, 0, 0.9, 1]) ?? 1);
    this.#pointers.clear();
  }

  /** Deletes a share of the expired events, in any order, as DynamoDB does. */
  #deleteExpired(share: number): void {
    for (const [position, { expiresAt }] of [...this.#events])
      if (expiresAt <= this.#now && this.#random.chance(share)) this.#events.delete(position);
  }

  /** Runs the calls of the tasks in a random order until all tasks have ended. Returns the tasks that crashed. */
  async runAll<T>(tasks: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
    let running = tasks.length;
    const results = Promise.allSettled(
      tasks.map((task) =>
        task().finally(() => {
          running -= 1;
        }),
      ),
    );
    while (running > 0) {
      await new Promise(setImmediate);
      const [next] = this.#waiting.splice(this.#random.integer(0, this.#waiting.length - 1), 1);
      next?.();
    }
    return results;
  }

  readonly calls: EventLogCalls = {
    wait: () => this.#call(() => undefined),
    readNewest: () =>
      this.#call(() => {
        const position = Math.max(0, ...this.#events.keys());
        const newest = this.#events.get(position);
        return newest && { position, ...newest };
      }),
    readCursor: () => this.#call(() => this.#cursor),
    readAt: (position) =>
      this.#call(() => {
        const event = this.#events.get(position);
        return event && { position, ...event };
      }),
    reserve: ({ id }, position) =>
      this.#call(() => {
        if (!this.#pointers.has(id) || this.#bug === 'reserve replaces a pointer')
          this.#pointers.set(id, position);
        return this.#pointers.get(id) as number;
      }),
    move: ({ id }, from, to) =>
      this.#call(() => {
        if (this.#pointers.get(id) === from || this.#bug === 'move replaces any position')
          this.#pointers.set(id, to);
        return this.#pointers.get(id) as number;
      }),
    put: ({ id }, position) =>
      this.#call(() => {
        if (this.#events.has(position) && this.#bug !== 'put replaces an event') return false;
        this.#store(position, id);
        return true;
      }),
    putWithPointer: (event, position) => this.#once(() => this.#transactOne(event, position)),
    raiseCursor: (position) =>
      this.#call(() => {
        if (this.#bug !== 'cursor is never raised') this.#cursor = Math.max(this.#cursor, position);
      }),
    putTogether: (events, cursor, first) => this.#once(() => this.#transact(events, cursor, first)),
  };

  #transactOne({ id }: EventDraft, position: number) {
    const reserved = this.#pointers.get(id);
    const isRefused =
      (this.#events.has(position) && this.#bug !== 'put with pointer replaces an event') ||
      (reserved !== undefined && this.#bug !== 'put with pointer replaces a pointer');
    if (isRefused) return { written: false as const, reserved };
    this.#store(position, id);
    this.#pointers.set(id, position);
    return { written: true as const };
  }

  #transact(events: readonly EventDraft[], cursor: number, first: number) {
    const isTaken = (_: EventDraft, index: number) => this.#events.has(first + index);
    const reserved = events.map(({ id }) => this.#pointers.get(id));
    const isRefused =
      (this.#cursor !== cursor && this.#bug !== 'transaction ignores the cursor') ||
      (events.some(isTaken) && this.#bug !== 'transaction replaces an event') ||
      (reserved.some((position) => position !== undefined) && this.#bug !== 'transaction replaces a pointer');
    if (isRefused) return { written: false as const, reserved };
    for (const [index, { id }] of events.entries()) {
      this.#store(first + index, id);
      this.#pointers.set(id, first + index);
    }
    this.#cursor = first + events.length - 1;
    return { written: true as const };
  }

  #store(position: number, id: string): void {
    if (position <= this.#last) this.violations.push(`${id} at ${position} is not after ${this.#last}`);
    const isEmpty = ![...this.#events.values()].some(({ expiresAt }) => expiresAt > this.#now);
    if (position > this.#last + 1 && !isEmpty)
      this.violations.push(`${id} at ${position} leaves a gap after ${this.#last}`);
    this.#last = Math.max(this.#last, position);
    this.#events.set(position, { id, expiresAt: this.#now + monthSeconds });
  }

  /** Makes a call when the random choice falls on it. It can crash before or after, or take effect twice. */
  #call<T>(effect: () => T): Promise<T> {
    return this.#once(() => {
      const first = effect();
      // The answer was lost, so the SDK has made the call again.
      return this.#random.chance(0.1) ? effect() : first;
    });
  }

  async #once<T>(effect: () => T): Promise<T> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#random.chance(0.05)) this.#deleteExpired(1);
    if (this.#random.chance(0.03)) throw new Crash();
    const result = effect();
    if (this.#random.chance(0.03)) throw new Crash();
    return result;
  }

  /** Checks the log after all relays of `ids` have ended. */
  check(ids: readonly string[], returned: ReadonlyMap<string, ReadonlySet<number>>): void {
    const stored = new Map<string, number[]>();
    for (const [position, { id, expiresAt }] of this.#events)
      if (expiresAt > this.#now) stored.set(id, [...(stored.get(id) ?? []), position]);
    for (const id of ids) {
      const positions = stored.get(id) ?? [];
      if (positions.length !== 1) this.violations.push(`${id} is stored ${positions.length} times`);
      const answers = [...(returned.get(id) ?? [])];
      if (answers.join() !== positions.join() || this.#pointers.get(id) !== positions[0])
        this.violations.push(`${id} is at ${positions}, but answers are ${answers}`);
    }
  }
}

/** Relays events five times in the history of a log, with months between, and returns all violations. */
export async function runLogModel(seed: number, bug?: PlantedBug): Promise<readonly string[]> {
  const random = seededRandom('event log', seed);
  const model = new LogModel(random, bug);
  let count = 0;
  for (let month = 0; month < 5; month++) {
    const rounds = random.integer(1, 5);
    const known: EventDraft[] = [];
    const returned = new Map<string, Set<number>>();
    for (let round = 0; round < rounds; round++) {
      const added = Array.from({ length: random.integer(1, 6) }, () => newEvent(count++));
      known.push(...added);
      const relays = Array.from({ length: random.integer(1, 4) }, () => {
        const late = known.filter(() => random.chance(0.2));
        return random.chance(0.7) ? [...new Set([...added, ...late])] : late;
      });
      // After a month, several relays find the end of the log by what is left of it.
      const first = added.map((event) => [event]);
      await runUntilDone(model, random, round === 0 ? first : relays, returned);
    }
    const alone = known.map((event) => [event]);
    await runUntilDone(model, random, alone, returned);
    model.check(
      known.map(({ id }) => id),
      returned,
    );
    model.expire();
  }
  return model.violations;
}

const newEvent = (number: number): EventDraft => ({ id: `evt_${number}`, type: 'invoice.created', body: '' });

/** Runs the relays at the same time. Then those that crashed run again. Each is in turn, at once or together. */
async function runUntilDone(
  model: LogModel,
  random: Random,
  relays: readonly (readonly EventDraft[])[],
  returned: Map<string, Set<number>>,
): Promise<void> {
  let open = relays;
  for (let attempt = 0; open.length > 0 && attempt < 20; attempt++) {
    const results = await model.runAll(
      open.map((events) => async () => {
        for (const [id, position] of await relayEvents(model, events, random))
          returned.set(id, (returned.get(id) ?? new Set()).add(position));
      }),
    );
    for (const result of results)
      if (result.status === 'rejected' && !(result.reason instanceof Crash)) throw result.reason;
    open = open.filter((_, index) => results[index]?.status === 'rejected');
  }
}

async function relayEvents(model: LogModel, events: readonly EventDraft[], random: Random) {
  const { calls, nowSeconds } = model;
  let last = random.chance(0.6) ? knownEnd(await calls.readNewest(), nowSeconds) : undefined;
  const positions: [string, number][] = [];
  if (last !== undefined) {
    const atOnce = random.chance(0.5);
    const ahead = !atOnce && random.chance(0.5) ? await reserveAhead(calls, events, last) : undefined;
    for (const event of events) {
      const reserved = event === ahead?.event ? ahead.position : undefined;
      const position = atOnce
        ? await appendAtOnce(calls, event, last)
        : await appendInTurn(calls, event, last, reserved);
      positions.push([event.id, position]);
      last = Math.max(last, position);
    }
    return positions;
  }
  const together = events.length === 0 ? [] : await appendTogether(calls, events, nowSeconds);
  return events.map(({ id }, index): [string, number] => [id, together[index] as number]);
}

/** Reserves a position for the first event. Then other calls may follow, before the event is put there. */
async function reserveAhead(calls: EventLogCalls, [event]: readonly EventDraft[], last: number) {
  return event && { event, position: await calls.reserve(event, last + 1) };
}
