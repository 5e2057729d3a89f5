/** A clock of a test file's own that stands still between its steps and never goes back. */
import { type Instant, setClock } from '../../shared/time.ts';

export interface TestClock {
  now(): Instant;
  /** Moves on by `ms`. */
  advance(ms: number): void;
  /** Moves on to `instant`. */
  to(instant: Instant): void;
}

/** Stops the clock at the present, or at `start`. */
export function stopClock(start: Instant = Date.now()): TestClock {
  let time = start;
  setClock(() => time);
  const to = (instant: Instant) => {
    if (instant < time) throw new Error('The clock would go back.');
    time = instant;
  };
  return { now: () => time, advance: (ms) => to(time + ms), to };
}
