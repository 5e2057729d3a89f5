/**
 * Repeats a step in the background. Steps never overlap, and the loop can be paused. The stream poller, the queue
 * pollers and the schedules use it.
 */

/** Reports an error of a background part. The text is one line. */
export type ReportError = (line: string) => void;

/** A background part of the stack that tests can pause. */
export interface Pausable {
  /** Stops new work until `resume()`. Resolves when the running work has ended. */
  pause(): Promise<void>;
  resume(): void;
}

export interface Loop extends Pausable {
  /** Runs the next step as soon as possible. A step that runs now is followed by another one. */
  wake(): void;
  /** Ends the loop permanently. Resolves when the running step has ended. */
  close(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  /** Runs one step. Returns true if the next step should follow immediately. `signal` aborts when the loop closes. */
  readonly step: (signal: AbortSignal) => Promise<boolean>;
  /** The pause after a step that returned false and after a step that failed. */
  readonly idleMs: number;
  readonly report: ReportError;
}

/** Starts the loop immediately. If a step throws, the loop reports the error and continues after `idleMs`. */
export function startLoop({ name, step, idleMs, report }: LoopOptions): Loop {
  const closing = new AbortController();
  let pause: Pause | undefined;
  let isWoken = false;
  let endIdling = () => {};
  const wake = () => {
    isWoken = true;
    endIdling();
  };

  const idle = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, idleMs);
      endIdling = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const runStep = async (): Promise<boolean> => {
    try {
      return await step(closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) report(`${name}: ${summarizeError(error)}`);
      return false;
    }
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      if (pause) {
        pause.paused.resolve();
        await pause.resumed.promise;
        continue;
      }
      isWoken = false;
      const more = await runStep();
      if (!more && !isWoken && !pause && !closing.signal.aborted) await idle();
    }
    pause?.paused.resolve();
  };
  const ended = run();

  return {
    wake,
    pause: async () => {
      pause ??= { paused: Promise.withResolvers<void>(), resumed: Promise.withResolvers<void>() };
      wake();
      await Promise.race([pause.paused.promise, ended]);
    },
    resume: () => {
      pause?.resumed.resolve();
      pause = undefined;
    },
    close: async () => {
      closing.abort();
      pause?.resumed.resolve();
      wake();
      await ended;
    },
  };
}

/** A requested pause. */
interface Pause {
  readonly paused: PromiseWithResolvers<void>;
  readonly resumed: PromiseWithResolvers<void>;
}

/** Returns the name and message of a thrown value in one line. */
export function summarizeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}`.replaceAll('\n', ' ') : String(error);
}
