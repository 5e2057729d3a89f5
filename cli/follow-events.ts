/**
 * Follows the event log of a service and delivers each event once it is there. It works from any place that can reach the
 * service, because the service sends nothing.
 * - A service that does not answer yet is waited for.
 * - Each event is delivered at least once, in the order of the log. The position moves only after a delivery.
 * - If nothing answers at the destination, it waits there. If the destination refuses an event, later events continue, and
 *   the refused one is sent again.
 * - At most 100 events are refused at a time. Beyond that, it reads no further until some are accepted.
 */
import { ConnectionError, type Remit, RemitError, type RemitEvent } from '../client/src/remit.ts';
import { CommandError } from './command.ts';
import type { ListenPosition, PositionFile } from './listen-position.ts';
import { failedPollDelayMs, pollDelayMs, type RateLimitState } from './poll-delay.ts';

/** What became of an event at its destination. */
export type Delivered = 'accepted' | 'refused' | 'unreachable';

export interface FollowOptions {
  readonly remit: Remit;
  readonly position: PositionFile;
  /** Begins with new events, and forgets the kept position. */
  readonly fromNow: boolean;
  readonly types: readonly string[];
  readonly deliver: (event: RemitEvent) => Promise<Delivered>;
  readonly rateLimit: () => RateLimitState | undefined;
  /** Tells the user something that is not an event. */
  readonly report: (text: string) => void;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

interface Refused {
  readonly event: RemitEvent;
  readonly attempts: number;
  /** In milliseconds since 1970. */
  readonly nextAt: number;
}

const maxRefused = 100;
const resendDelaysMs = [5_000, 30_000, 300_000];
const lastResendDelayMs = 1_800_000;

/**
 * Delivers events until the signal aborts.
 * @throws RemitError if the service refuses the key
 */
export async function followEvents(options: FollowOptions): Promise<void> {
  try {
    await new Follower(options).run();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

class Follower {
  readonly #options: FollowOptions;
  readonly #refused = new Map<string, Refused>();
  #after = 'start';
  #quietPolls = 0;
  #failures = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal, report } = this.#options;
    await this.#beginOnceItAnswers();
    report('Listening for events. Press Ctrl-C to stop.');
    let nextPollAt = 0;
    while (!signal.aborted) {
      await this.#resendRefused();
      const isFull = this.#refused.size >= maxRefused;
      if (!isFull && nextPollAt <= Date.now()) nextPollAt = Date.now() + (await this.#poll());
      const times = [...this.#refused.values()].map(({ nextAt }) => nextAt);
      await this.#pause(Math.min(...times, ...(isFull ? [] : [nextPollAt])) - Date.now());
    }
  }

  /** Begins, and waits before that for a service that does not answer yet. */
  async #beginOnceItAnswers(): Promise<void> {
    const { signal } = this.#options;
    for (;;) {
      try {
        await this.#begin();
        this.#failures = 0;
        return;
      } catch (error) {
        signal.throwIfAborted();
        await this.#pause(this.#afterFailedPoll(error));
        signal.throwIfAborted();
      }
    }
  }

  /** Continues at the kept position. Without one, begins after the newest event. */
  async #begin(): Promise<void> {
    const { remit, position, fromNow, report, signal } = this.#options;
    const kept = fromNow ? undefined : await position.read();
    if (!kept) {
      const [newest] = (await remit.events.list({ limit: 1 }, { signal, maxRetries: 0 })).data;
      this.#after = newest?.id ?? 'start';
      return this.#save();
    }
    this.#after = kept.after;
    for (const id of kept.refused) {
      const event = await this.#retrieve(id);
      if (event) this.#refused.set(id, { event, attempts: 0, nextAt: 0 });
    }
    report(`Continuing after the event ${kept.after}. To begin with new events, add --from-now.`);
  }

  async #retrieve(id: string): Promise<RemitEvent | undefined> {
    const { remit, signal, report } = this.#options;
    try {
      return await remit.events.retrieve(id, { signal, maxRetries: 0 });
    } catch (error) {
      if (!(error instanceof RemitError) || error.status !== 404) throw error;
      report(`The event ${id} is not sent again: events are kept for 30 days.`);
      return undefined;
    }
  }

  /** Requests a page and delivers its events. Returns the wait before the next page in milliseconds. */
  async #poll(): Promise<number> {
    const { remit, types, rateLimit, report, signal } = this.#options;
    let page: { readonly data: readonly RemitEvent[]; readonly cursor: { readonly hasMore: boolean } };
    try {
      page = await remit.events.list({ after: this.#after, limit: 100 }, { signal, maxRetries: 0 });
    } catch (error) {
      signal.throwIfAborted();
      return this.#afterFailedPoll(error);
    }
    if (this.#failures > 0) report('The service answers again.');
    this.#failures = 0;
    for (const event of page.data) {
      if (this.#refused.size >= maxRefused) {
        report(
          `Your endpoint has refused ${maxRefused} events. Reading continues when it accepts some of them. To skip all, start with --from-now.`,
        );
        return 0;
      }
      if (types.includes(event.type)) await this.#deliver(event, 0);
      this.#after = event.id;
      await this.#save();
    }
    this.#quietPolls = page.data.length > 0 ? 0 : this.#quietPolls + 1;
    return page.cursor.hasMore ? 0 : pollDelayMs(this.#quietPolls, rateLimit(), Date.now());
  }

  /** Returns the wait after a temporary failure. Throws an error that does not go away by waiting. */
  #afterFailedPoll(error: unknown): number {
    const { report } = this.#options;
    if (!(error instanceof RemitError)) throw error;
    const { status = 0, code, retryAfterSeconds, message } = error;
    const isTemporary = error instanceof ConnectionError || status === 429 || status >= 500;
    if (code === 'invalid_after') {
      if (this.#after === 'start') throw error;
      report(
        `The event ${this.#after} is no longer kept: events are kept for 30 days. Continuing with the oldest event.`,
      );
      this.#after = 'start';
      return 0;
    }
    if (!isTemporary) throw error;
    this.#failures += 1;
    const waitMs = failedPollDelayMs(this.#failures, retryAfterSeconds);
    report(`${message} Next attempt in ${Math.ceil(waitMs / 1000)} s. No event is missed.`);
    return waitMs;
  }

  async #resendRefused(): Promise<void> {
    for (const { event, attempts, nextAt } of [...this.#refused.values()]) {
      if (nextAt > Date.now()) continue;
      await this.#deliver(event, attempts);
      await this.#save();
    }
  }

  /** Delivers an event, and waits for as long as nothing answers at the destination. */
  async #deliver(event: RemitEvent, attempts: number): Promise<void> {
    const { deliver, report, signal } = this.#options;
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      const outcome = await deliver(event);
      if (outcome === 'accepted') return void this.#refused.delete(event.id);
      if (outcome === 'refused') {
        const delayMs = resendDelaysMs[attempts] ?? lastResendDelayMs;
        this.#refused.set(event.id, { event, attempts: attempts + 1, nextAt: Date.now() + delayMs });
        return report(`Your endpoint refused ${event.id}. Next attempt in ${delayMs / 1000} s.`);
      }
      if (failures === 1) report('Nothing answers at the URL of --forward-to. Waiting for your endpoint.');
      await this.#pause(failedPollDelayMs(Math.min(failures, 4)));
    }
  }

  #save(): Promise<void> {
    const position: ListenPosition = { after: this.#after, refused: [...this.#refused.keys()] };
    return this.#options.position.write(position).catch((error) => {
      throw new CommandError(`The position cannot be kept: ${error.message}`);
    });
  }

  /** Waits. Returns early if the signal aborts. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, Math.min(ms, lastResendDelayMs)));
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}
