/**
 * Checks a model of the first attempt by random interleavings: relays that store the event with its timer, and then send the message
 * and store the delivery, dispatchers, early messages, crashes, lost messages, sweeps and an endpoint that unsubscribes and subscribes. Known mistakes
 * must be found.
 */
import { expect, test } from '@jest/globals';
import { seededNumber } from '../../support/seeded-random.ts';

type Mistake =
  | 'the relay overwrites a delivery'
  | 'the relay stores the delivery before its timer'
  | 'the relay deletes the outbox item before the event is stored'
  | 'a later relay does not store the timer again'
  | 'the timer does not describe the delivery'
  | 'the dispatcher ignores what a message describes'
  | 'the dispatcher deletes the timer before it stores the outcome'
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
}

/** A process: each step up to the next `yield` is atomic. */
type Process = Generator<undefined, void>;

class Model {
  delivery: ModelDelivery | undefined;
  /** The stored timers, and whether each describes the new delivery. */
  readonly timers = new Map<TimerName, boolean>();
  messages: Message[] = [];
  outbox = true;
  /** Whether the event is stored. */
  appended = false;
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

  *relay(): Process {
    const isSubscribed = this.subscribed;
    yield;
    const describes = this.#mistake !== 'the timer does not describe the delivery';
    const storesFirst = this.#mistake === 'the relay stores the delivery before its timer';
    if (storesFirst && isSubscribed) yield* this.#putDelivery();
    if (this.#mistake === 'the relay deletes the outbox item before the event is stored') this.outbox = false;
    yield;
    const existed = this.appended;
    // One transaction stores the event and the timer. If an earlier relay has stored the event, the timer is stored again.
    this.appended = true;
    const omitsTimer = existed && this.#mistake === 'a later relay does not store the timer again';
    if (isSubscribed && !omitsTimer) this.timers.set('first', describes);
    yield;
    if (isSubscribed) {
      const sendsFirst = this.#random() < 0.5;
      const send = () => void this.messages.push({ timer: 'first', describes });
      if (sendsFirst) {
        send();
        yield;
      }
      if (!storesFirst) yield* this.#putDelivery();
      if (!sendsFirst) send();
      yield;
    }
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

  *dispatch({ timer, describes }: Message, mayFail: boolean): Process {
    const complete = () => void this.timers.delete(timer);
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
      this.timers.set(timer, isNew);
      yield;
      return;
    }
    const isSuccess = !mayFail || this.#random() < 0.5;
    if (isSuccess) this.received += 1;
    yield;
    if (this.#mistake === 'the dispatcher deletes the timer before it stores the outcome') {
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
    // One transaction stores the outcome and deletes the timer.
    if (isBefore(read.version)) this.#store({ status: 'succeeded', version, next: timer });
    else if (this.delivery)
      this.#store({ ...this.delivery, status: 'succeeded', version: this.delivery.version + 1 });
    complete();
  }

  /** Sends the messages of all timers. */
  sweep(): void {
    for (const [timer, describes] of this.timers) this.messages.push({ timer, describes });
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
  const processes: Process[] = [model.relay()];
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
    else if (choice < 0.88 && model.outbox) processes.push(model.relay());
    else if (choice < 0.93) model.sweep();
    else if (choice < 0.96) model.messages.pop();
    else if (!isAlwaysSubscribed) model.subscribed = !model.subscribed;
  }
  for (const process of processes) model.finish(process);
  for (let round = 0; round < 20; round++) {
    if (model.outbox) model.finish(model.relay());
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
  ['the relay deletes the outbox item before the event is stored', 'the event is lost'],
  ['a later relay does not store the timer again', 'a pending delivery has no timer'],
  ['the timer does not describe the delivery', 'a pending delivery has no timer'],
  ['the dispatcher ignores what a message describes', 'the delivery stays pending'],
  ['the dispatcher deletes the timer before it stores the outcome', 'the delivery stays pending'],
  ['the dispatcher overwrites a delivery', 'a success was overwritten'],
])('the model finds the mistake that %s', (mistake, violation) => {
  expect(seeds.some((seed) => run(seed, mistake).includes(violation))).toBe(true);
});
