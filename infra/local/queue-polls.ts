/**
 * Changes how the emulator of SQS lets polls wait for messages.
 *
 * - One timer of the process looks for messages whose time has come. The emulator starts a timer of 20 ms for each queue that is
 *   polled, which are 500 calls a second for the queues of one stack.
 * - A poll ends early if its client asks for it, and if its client leaves. Otherwise the next message would go to a client that is gone,
 *   and be hidden until its visibility timeout.
 */
import type { buildApp } from 'fauxqs';

/** The parts of the emulator's queue that this file uses. */
interface PolledQueue {
  readonly pollWaiters: readonly unknown[];
  /** Makes the messages visible whose time has come, and wakes the polls if there is one. */
  processTimers(): void;
  /** Lets all polls answer now. */
  cancelWaiters(): void;
}
interface QueueStore {
  getQueue(url: string): PolledQueue | undefined;
}

const lookEveryMs = 20;
const path = '/end-polls';
const polled = new Set<PolledQueue>();

/**
 * Lets the queues of this process share one timer.
 * @param queueClass the emulator's class of queues
 * @returns a function that ends the timer
 */
export function shareTimer(queueClass: { readonly prototype: object }): () => void {
  Object.assign(queueClass.prototype, {
    startPollTimerIfNeeded(this: PolledQueue) {
      polled.add(this);
    },
    stopPollTimerIfEmpty() {},
  });
  const timer = setInterval(() => {
    for (const queue of polled) {
      if (queue.pollWaiters.length === 0) polled.delete(queue);
      else queue.processTimers();
    }
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Adds to the emulator that polls end early. Call this before it listens. */
export function letPollsEnd(app: ReturnType<typeof buildApp>, store: QueueStore): void {
  const end = (url: unknown) => store.getQueue(String(url ?? ''))?.cancelWaiters();
  app.addHook('onRequest', async (request, { raw }) => {
    raw.once('close', () => {
      if (!raw.writableFinished) end((request.body as { QueueUrl?: string } | undefined)?.QueueUrl);
    });
  });
  app.post(path, async (request) => {
    end((request.query as { queue?: string }).queue);
    return {};
  });
}

/** Lets the polls of a queue answer now. Another SQS than the emulator refuses this, and its polls end by themselves. */
export async function endPolls(queueUrl: string): Promise<void> {
  const url = new URL(`${path}?${new URLSearchParams({ queue: queueUrl })}`, queueUrl);
  await fetch(url, { method: 'POST' }).then(
    (response) => response.arrayBuffer(),
    () => {},
  );
}
