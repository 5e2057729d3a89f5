/**
 * Limits the calls of the background functions to the table, so that a backlog of deliveries delays no request. On AWS the table has
 * room for all of them. DynamoDB Local executes one call after another, so each call that runs is one that a request waits for.
 */
import { triggers } from '../triggers.ts';
import { runningFunction } from './handler.ts';
import { type LocalRequestState, listenToLastRequest, requestState } from './running-requests.ts';

/**
 * The calls at the same time: while no request is expected, between requests, and while a request runs. A call begins while a request
 * runs only after the longest wait, so that a stream of requests does not stop the background work.
 */
const slotsOf: Readonly<Record<LocalRequestState, number>> = { 'none expected': 16, expected: 4, running: 2 };
const longestWaitMs = 10;

const backgroundFiles: ReadonlySet<string> = new Set(Object.values(triggers).map(({ handler }) => handler));

/** A call that waits for a slot. */
interface Waiting {
  readonly since: number;
  readonly begin: () => void;
}

/** Decides when the calls of background functions begin. They begin in their order. */
export class CallSlots {
  #running = 0;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #requestState: () => LocalRequestState;

  /** @param requestState decides which calls wait. When no request runs any longer, call `admit` */
  constructor(requestState: () => LocalRequestState) {
    this.#requestState = requestState;
  }

  /** Makes a call as soon as it may begin. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ since: performance.now(), begin });
      this.admit();
    });
    try {
      return await call();
    } finally {
      this.#running--;
      this.admit();
    }
  }

  /** Begins the calls that may begin now. The end of a call, and of the last request, call it. */
  admit(): void {
    clearTimeout(this.#timer);
    const state = this.#requestState();
    for (let next = this.#waiting[0]; next && this.#running < slotsOf[state]; next = this.#waiting[0]) {
      const waitMs = state === 'running' ? next.since + longestWaitMs - performance.now() : 0;
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.admit(), waitMs);
        return;
      }
      this.#waiting.shift();
      this.#running++;
      next.begin();
    }
  }
}

type Next = (args: object) => Promise<unknown>;

/**
 * Begins to limit the calls. Call this after the environment of the functions is set, because it imports the client of the service.
 * @returns a function that ends this
 */
export async function limitBackgroundCalls(): Promise<() => void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  const callSlots = new CallSlots(requestState);
  const stopListening = listenToLastRequest(() => callSlots.admit());
  const name = 'limitBackgroundCalls';
  const step =
    (next: Next): Next =>
    (args) => {
      const file = runningFunction();
      return file !== undefined && backgroundFiles.has(file) ? callSlots.run(() => next(args)) : next(args);
    };
  // For each attempt, so that a call that waits for its next attempt has no slot.
  dynamodb.middlewareStack.add(step as never, { step: 'finalizeRequest', priority: 'low', name });
  return () => {
    stopListening();
    dynamodb.middlewareStack.remove(name);
  };
}
