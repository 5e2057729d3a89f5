/** Keeps what is to happen in a run, and when. */

type Work = () => Promise<void>;

export class Agenda {
  readonly #elapsed: () => number;
  #events: { readonly atMs: number; readonly work: Work }[] = [];

  /** @param elapsed the time since the begin of the run, in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(atMs: number, work: Work): void {
    this.#events.push({ atMs, work });
  }

  addLater(afterMs: number, work: Work): void {
    this.add(this.#elapsed() + afterMs, work);
  }

  /** Removes and returns what is due, in its order. */
  takeDue(): Work[] {
    const now = this.#elapsed();
    const due = this.#events.filter(({ atMs }) => atMs <= now);
    this.#events = this.#events.filter(({ atMs }) => atMs > now);
    return due.toSorted((one, other) => one.atMs - other.atMs).map(({ work }) => work);
  }
}
