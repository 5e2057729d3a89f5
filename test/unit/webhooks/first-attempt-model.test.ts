/**
 * Checks a model of the first attempt by random interleavings: relays that only send the message and keep the outbox item, relays
 * that store the timer and the delivery and send the message meanwhile, dispatchers of which some ignore the outbox item, early
 * messages, crashes, lost messages, sweeps and an endpoint that unsubscribes. Known mistakes must be found.
 */
import { expect, test } from '@jest/globals';
import { seededNumber } from '../../support/seeded-random.ts';

type Mistake =
  | 'the relay overwrites a delivery'
  | 'the relay stores the delivery before its timer'
  | 'the relay deletes the outbox item before the timer is stored'
  | 'the timer does not describe the delivery'
  | 'a repeated early message does not describe the delivery'
  | 'the dispatcher ignores what a message describes'
  | 'the dispatcher deletes the timer before it stores the outcome'
  | 'the dispatcher deletes the outbox item before it stores the outcome'
  | 'an early message whose watchdog is the outbox item sets no timer'
  | 'the relay deletes the outbox item that is a watchdog'
  | 'a later relay forgets the endpoint that the event names'
  | 'the dispatcher overwrites a delivery';

type TimerName = 'first' | 'retry';

interface ModelDelivery {
  readonly status: 'pending' | 'succeeded';
  readonly version: number;
  readonly next: TimerName;
}

interface Message {
  readonly timer: TimerName;
  /** Whether it describes the new delivery. */
  readonly describes: boolean;
  /** Whether the outbox item exists in place of a timer. */
  readonly hasOutboxItem: boolean;
}

/** A process: each step up to the next `yield` is atomic. */
type Process = Generator<undefined, void>;

class Model {
  delivery: ModelDelivery | undefined;
  /** The stored timers, and whether each describes the new delivery. */
  readonly timers = new Map<TimerName, boolean>();
  messages: Message[] = [];
  outbox = true;
  /** Whether the stored event names the endpoint. Undefined: the event is not stored yet. */
  named: boolean | undefined;
  subscribed = true;
  received = 0;
  readonly violations: string[] = [];
  readonly #mistake: Mistake | undefined;
  readonly #random: () => number;

  constructor(random: () => number, mistake: Mistake | undefined) {
    this.#random = random;
    this.#mistake = mistake;
  }

  #store(next: ModelDelivery): void {
    if (this.delivery?.status === 'succeeded' && next.status !== 'succeeded')
      this.violations.push('a success was overwritten');
    this.delivery = next;
  }

  /** @param isClaimed whether a sweep relays the item */
  *relay(isClaimed: boolean): Process {
    const isSubscribed = this.subscribed;
    yield;
    // The relay that stores the event names the endpoint in it.
    this.named ??= isSubscribed && !isClaimed;
    const isNamed = this.named && this.#mistake !== 'a later relay forgets the endpoint that the event names';
    yield;
    if (!isSubscribed && !isNamed) {
      this.outbox = false;
      return;
    }
    const describes = this.#mistake !== 'the timer does not describe the delivery';
    const isWatchdog = !isClaimed && isNamed;
    const send = () => void this.messages.push({ timer: 'first', describes, hasOutboxItem: isWatchdog });
    if (isWatchdog) {
      if (this.#mistake === 'the relay deletes the outbox item that is a watchdog') this.outbox = false;
      return send();
    }
    const storesFirst = this.#mistake === 'the relay stores the delivery before its timer';
    if (storesFirst) yield* this.#putDelivery();
    if (this.#mistake === 'the relay deletes the outbox item before the timer is stored') this.outbox = false;
    const sendsFirst = this.#random() < 0.5;
    if (sendsFirst) {
      send();
      yield;
    }
    this.timers.set('first', describes);
    yield;
    if (!sendsFirst) {
      send();
      yield;
    }
    if (!storesFirst) yield* this.#putDelivery();
    this.outbox = false;
  }

  /** Stores the delivery, unless it exists. */
  *#putDelivery(): Process {
    if (!this.delivery || this.#mistake === 'the relay overwrites a delivery') {
      this.#store({ status: 'pending', version: 1, next: 'first' });
    } else if (this.delivery.status === 'pending' && this.delivery.next !== 'first') {
      const { next } = this.delivery;
      yield;
      this.timers.set(next, false);
    }
    yield;
  }

  *dispatch({ timer, describes, hasOutboxItem }: Message, mayFail: boolean): Process {
    // So does one of another release that does not know that the outbox item can be the watchdog.
    const ignoresItem = this.#random() < 0.1;
    const complete = () => {
      if (hasOutboxItem && !ignoresItem) this.outbox = false;
      else this.timers.delete(timer);
    };
    const isNew = this.delivery === undefined;
    const isKnown = describes && this.#mistake !== 'the dispatcher ignores what a message describes';
    const described: ModelDelivery = { status: 'pending', version: 1, next: 'first' };
    const read = this.delivery ?? (isKnown ? described : undefined);
    yield;
    if (read?.status !== 'pending') return complete();
    if (read.next !== timer) {
      this.timers.set(read.next, isNew);
      yield;
      return complete();
    }
    if (mayFail && this.#random() < 0.3) {
      // The message is early.
      const forgets = this.#mistake === 'a repeated early message does not describe the delivery';
      const isForgotten =
        this.#mistake === 'an early message whose watchdog is the outbox item sets no timer';
      if (!(isForgotten && hasOutboxItem)) this.timers.set(timer, isNew && !forgets);
      yield;
      if (hasOutboxItem && !ignoresItem) complete();
      return;
    }
    const isSuccess = !mayFail || this.#random() < 0.5;
    if (isSuccess) this.received += 1;
    yield;
    if (
      this.#mistake ===
      `the dispatcher deletes the ${hasOutboxItem ? 'outbox item' : 'timer'} before it stores the outcome`
    ) {
      complete();
      yield;
    }
    const isBefore = (version: number) =>
      this.#mistake === 'the dispatcher overwrites a delivery' ||
      (this.delivery ? this.delivery.version === version : isNew);
    const version = read.version + 1;
    if (!isSuccess) {
      if (!isBefore(read.version)) return;
      this.#store({ status: 'pending', version, next: 'retry' });
      complete();
      this.timers.set('retry', false);
      return;
    }
    if (isBefore(read.version)) this.#store({ status: 'succeeded', version, next: timer });
    else if (this.delivery)
      this.#store({ ...this.delivery, status: 'succeeded', version: this.delivery.version + 1 });
    yield;
    complete();
  }

  /** Sends the messages of all timers. */
  sweep(): void {
    for (const [timer, describes] of this.timers)
      this.messages.push({ timer, describes, hasOutboxItem: false });
  }

  /** Makes the next step of a process. Returns whether it has ended. */
  step(process: Process): boolean {
    const { done } = process.next();
    if (this.delivery?.status === 'pending' && this.timers.size === 0 && !this.outbox)
      this.violations.push('a pending delivery has no timer');
    return done ?? false;
  }

  /** Makes all steps of a process. */
  finish(process: Process): void {
    while (!this.step(process));
  }
}

/** Runs one random history. Returns what is wrong at its end. */
function run(seed: number, mistake?: Mistake): readonly string[] {
  let draws = 0;
  const random = () => seededNumber(seed, draws++);
  const model = new Model(random, mistake);
  const isAlwaysSubscribed = random() < 0.5;
  const relay = () => model.relay(random() < 0.5);
  const processes: Process[] = [relay()];
  for (let step = 0; step < 60; step++) {
    const choice = random();
    const index = Math.floor(random() * processes.length);
    if (choice < 0.6) {
      // A process takes a step, and one that has ended leaves.
      const process = processes[index];
      if (process && model.step(process)) processes.splice(index, 1);
    } else if (choice < 0.75 && model.messages.length > 0) {
      const at = Math.floor(random() * model.messages.length);
      const [message] = model.messages.slice(at, at + 1) as [Message];
      // SQS can deliver a message again.
      if (random() < 0.8) model.messages.splice(at, 1);
      processes.push(model.dispatch(message, true));
    } else if (choice < 0.83) processes.splice(index, 1);
    else if (choice < 0.88 && model.outbox) processes.push(relay());
    else if (choice < 0.93) model.sweep();
    else if (choice < 0.96) model.messages.pop();
    else if (!isAlwaysSubscribed) model.subscribed = false;
  }
  for (const process of processes) model.finish(process);
  for (let round = 0; round < 20; round++) {
    if (model.outbox) model.finish(relay());
    for (const message of model.messages.splice(0)) model.finish(model.dispatch(message, false));
    model.sweep();
  }
  const { delivery, received, timers, violations } = model;
  return [
    ...violations,
    ...(delivery?.status === 'pending' ? ['the delivery stays pending'] : []),
    ...(isAlwaysSubscribed && delivery?.status !== 'succeeded' ? ['the event is lost'] : []),
    ...(delivery?.status === 'succeeded' && received === 0 ? ['the receiver got nothing'] : []),
    ...(timers.size > 0 ? ['a timer is left'] : []),
    ...(model.outbox ? ['the outbox item is left'] : []),
    ...(received > 0 && !delivery ? ['the receiver got the event without a delivery'] : []),
  ];
}

const seeds = Array.from({ length: 2_000 }, (_, seed) => seed);

test('each history ends with a delivery that succeeded once and for all', () => {
  expect(seeds.flatMap((seed) => run(seed).map((violation) => `${seed}: ${violation}`))).toEqual([]);
});

test.each<[Mistake, string]>([
  ['the relay overwrites a delivery', 'a success was overwritten'],
  ['the relay stores the delivery before its timer', 'the delivery stays pending'],
  ['the relay deletes the outbox item before the timer is stored', 'the event is lost'],
  ['the timer does not describe the delivery', 'a pending delivery has no timer'],
  ['a repeated early message does not describe the delivery', 'the event is lost'],
  ['the dispatcher ignores what a message describes', 'the delivery stays pending'],
  ['the dispatcher deletes the timer before it stores the outcome', 'the delivery stays pending'],
  ['the dispatcher overwrites a delivery', 'a success was overwritten'],
  ['the dispatcher deletes the outbox item before it stores the outcome', 'the event is lost'],
  ['an early message whose watchdog is the outbox item sets no timer', 'the event is lost'],
  ['the relay deletes the outbox item that is a watchdog', 'the event is lost'],
  [
    'a later relay forgets the endpoint that the event names',
    'the receiver got the event without a delivery',
  ],
])('the model finds the mistake that %s', (mistake, violation) => {
  expect(seeds.some((seed) => run(seed, mistake).includes(violation))).toBe(true);
});
