/**
 * Checks a model of the first attempt by random interleavings: relays that store a delivery and send its message at the same
 * time, dispatchers, crashes, lost messages, sweeps and an endpoint that unsubscribes. Known mistakes must be found.
 */
import { expect, test } from '@jest/globals';
import { seededNumber } from '../../support/seeded-random.ts';

type Mistake =
  | 'the relay overwrites a delivery'
  | 'the relay stores the timer on its own'
  | 'the dispatcher ignores what the first message says'
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
  readonly isFirst: boolean;
}

/** A process: each step up to the next `yield` is atomic. */
type Process = Generator<undefined, void>;

class Model {
  delivery: ModelDelivery | undefined;
  readonly timers = new Set<TimerName>();
  messages: Message[] = [];
  outbox = true;
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
    if (isSubscribed) {
      const send = () => void this.messages.push({ timer: 'first', isFirst: true });
      const sendsFirst = this.#random() < 0.5;
      if (sendsFirst) send();
      if (sendsFirst) yield;
      if (!this.delivery || this.#mistake === 'the relay overwrites a delivery') {
        this.#store({ status: 'pending', version: 1, next: 'first' });
        if (this.#mistake === 'the relay stores the timer on its own') yield;
        this.timers.add('first');
      } else if (this.delivery.status === 'pending') {
        const { next } = this.delivery;
        yield;
        this.timers.add(next);
        this.messages.push({ timer: next, isFirst: false });
      }
      yield;
      if (!sendsFirst) send();
    }
    yield;
    this.outbox = false;
  }

  *dispatch({ timer, isFirst }: Message, mayFail: boolean): Process {
    const isRead = this.delivery !== undefined;
    const describes = isFirst && this.#mistake !== 'the dispatcher ignores what the first message says';
    const made: ModelDelivery = { status: 'pending', version: 1, next: 'first' };
    const read = this.delivery ?? (describes ? made : undefined);
    yield;
    if (read?.status !== 'pending') return void this.timers.delete(timer);
    if (read.next !== timer) {
      this.timers.add(read.next);
      yield;
      return void this.timers.delete(timer);
    }
    const isSuccess = !mayFail || this.#random() < 0.5;
    if (isSuccess) this.received += 1;
    yield;
    const isBefore = (version: number) =>
      this.#mistake === 'the dispatcher overwrites a delivery' ||
      (this.delivery ? this.delivery.version === version : !isRead);
    const version = read.version + 1;
    if (!isSuccess) {
      if (!isBefore(read.version)) return;
      this.#store({ status: 'pending', version, next: 'retry' });
      this.timers.delete(timer);
      this.timers.add('retry');
      return;
    }
    if (isBefore(read.version)) this.#store({ status: 'succeeded', version, next: timer });
    else if (this.delivery)
      this.#store({ ...this.delivery, status: 'succeeded', version: this.delivery.version + 1 });
    yield;
    this.timers.delete(timer);
  }

  /** Starts what is due: a relay of the outbox item, and messages of timers. */
  sweep(): void {
    for (const timer of this.timers) this.messages.push({ timer, isFirst: false });
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
      if (processes[index]?.next().done) processes.splice(index, 1);
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
    else if (!isAlwaysSubscribed) model.subscribed = false;
  }
  for (const process of processes) while (!process.next().done);
  for (let round = 0; round < 20; round++) {
    if (model.outbox) for (const _ of model.relay());
    for (const message of model.messages.splice(0)) for (const _ of model.dispatch(message, false));
    model.sweep();
  }
  const { delivery, received, timers, violations } = model;
  return [
    ...violations,
    ...(delivery?.status === 'pending' ? ['the delivery stays pending'] : []),
    ...(isAlwaysSubscribed && delivery?.status !== 'succeeded' ? ['the event is lost'] : []),
    ...(delivery?.status === 'succeeded' && received === 0 ? ['the receiver got nothing'] : []),
    ...(timers.size > 0 ? ['a timer is left'] : []),
  ];
}

const seeds = Array.from({ length: 2_000 }, (_, seed) => seed);

test('each history ends with a delivery that succeeded once and for all', () => {
  expect(seeds.flatMap((seed) => run(seed).map((violation) => `${seed}: ${violation}`))).toEqual([]);
});

test.each<[Mistake, string]>([
  ['the relay overwrites a delivery', 'a success was overwritten'],
  ['the relay stores the timer on its own', 'the delivery stays pending'],
  ['the dispatcher ignores what the first message says', 'the delivery stays pending'],
  ['the dispatcher overwrites a delivery', 'a success was overwritten'],
])('the model finds the mistake that %s', (mistake, violation) => {
  expect(seeds.flatMap((seed) => run(seed, mistake))).toContain(violation);
});
