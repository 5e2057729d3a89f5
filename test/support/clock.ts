/** Replaces the service's clock. */
import { clock, type Instant } from '../../shared/base/time.ts';

const listeners = new Set<() => void>();
const announce = () => {
  for (const listener of listeners) listener();
};

/** Calls `listener` after each change of the clock. Returns a function that ends this. */
export function listenToClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

let readTime = () => Date.now();
let offsetMs = () => 0;
const readClock = () => readTime() + offsetMs();

/** Replaces the clock. Without an argument, restores that of the system. */
export function setClock(read: () => Instant = () => Date.now()): void {
  readTime = read;
  clock.read = readClock;
  announce();
}

/** Moves the clock that `setClock` sets by an offset in milliseconds. Without an argument, removes the offset. */
export function setClockOffset(offset: () => number = () => 0): void {
  offsetMs = offset;
  clock.read = readClock;
  announce();
}

/** A clock that only the test advances. It never goes back. */
export interface TestClock {
  now(): Instant;
  /** Advances the clock by `ms` milliseconds. */
  advance(ms: number): void;
  /** Advances the clock to `instant`. Throws if `instant` is in the past. */
  to(instant: Instant): void;
}

/** Stops the clock at the current time, or at `start`. */
export function stopClock(start: Instant = Date.now()): TestClock {
  let time = start;
  setClock(() => time);
  const to = (instant: Instant) => {
    if (instant < time) throw new Error('The clock cannot go back. Pass a later instant.');
    time = instant;
    announce();
  };
  return { now: () => time, advance: (ms) => to(time + ms), to };
}
