/**
 * Limits how many calls to the table the background functions make at the same time, so that a backlog of deliveries delays no
 * request. On AWS each batch runs in an instance of its own, and the table has room for all of them. Here all functions share one
 * process and one DynamoDB Local: hundreds of calls at once would only wait for each other, until they time out and are made again.
 */
import { triggers } from '../triggers.ts';
import { runningFunction } from './handler.ts';

/** The calls at the same time without a request, and while a request waits for a call of its own. */
const slots = { alone: 16, besideRequests: 2 };

const backgroundFiles: ReadonlySet<string> = new Set(Object.values(triggers).map(({ handler }) => handler));

/** Decides which calls begin. A call of a request begins at once. A call of a background function waits for a slot. */
export class CallSlots {
  #requests = 0;
  #background = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * Makes a call as soon as it may begin. Calls of background functions begin in their order.
   * @param file the file of the function that makes the call. Undefined outside of all functions
   */
  async run<T>(file: string | undefined, call: () => Promise<T>): Promise<T> {
    const isBackground = file !== undefined && backgroundFiles.has(file);
    if (isBackground) await this.#enter();
    else this.#requests++;
    try {
      return await call();
    } finally {
      if (isBackground) this.#background--;
      else this.#requests--;
      this.#admit();
    }
  }

  #isFree(): boolean {
    return this.#background < (this.#requests > 0 ? slots.besideRequests : slots.alone);
  }

  #enter(): Promise<void> | undefined {
    if (this.#waiting.length > 0 || !this.#isFree())
      return new Promise((resolve) => this.#waiting.push(resolve));
    this.#background++;
    return undefined;
  }

  #admit(): void {
    while (this.#isFree()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#background++;
      next();
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
  const callSlots = new CallSlots();
  const name = 'limitBackgroundCalls';
  const step = (next: Next) => (args: object) => callSlots.run(runningFunction(), () => next(args));
  // Before the deadline of the batch is looked at, so that a call never begins after it.
  dynamodb.middlewareStack.add(step as never, { step: 'initialize', priority: 'high', name });
  return () => void dynamodb.middlewareStack.remove(name);
}
