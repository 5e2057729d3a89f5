/**
 * A step that is repeated in the background, never twice at once, and that can be paused. The stream, the queues
 * and the schedule are such loops; what one step does is theirs.
 */

/** Takes one line about something that went wrong in the background. */
export type Report = (line: string) => void;

/** A background part of the stack that tests can hold still. */
export interface Pausable {
  /** Resolves once nothing of this part runs any more; nothing starts until `resume()`. */
  pause(): Promise<void>;
  resume(): void;
}

export interface Loop extends Pausable {
  /** Ends the loop for good; resolves once the running step has ended. */
  close(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  /** One round. Answers true if there may be more to do at once; `signal` aborts when the loop is closed. */
  readonly step: (signal: AbortSignal) => Promise<boolean>;
  /** The rest after a round that had nothing more to do, and after one that failed. */
  readonly idleMs: number;
  readonly report: Report;
}

/** Starts the loop at once. A step that throws is reported and tried again after `idleMs`. */
export function startLoop({ name, step, idleMs, report }: LoopOptions): Loop {
  const closing = new AbortController();
  let gate: Gate | undefined;
  let wake = () => {};

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, idleMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const once = async (): Promise<boolean> => {
    try {
      return await step(closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) report(`${name}: ${describe(error)}`);
      return false;
    }
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      if (gate) {
        gate.arrived.resolve();
        await gate.opened.promise;
        continue;
      }
      const more = await once();
      if (!more && !gate && !closing.signal.aborted) await rest();
    }
    gate?.arrived.resolve();
  };
  const ended = run();

  return {
    pause: async () => {
      gate ??= { arrived: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
      wake();
      await Promise.race([gate.arrived.promise, ended]);
    },
    resume: () => {
      gate?.opened.resolve();
      gate = undefined;
    },
    close: async () => {
      closing.abort();
      gate?.opened.resolve();
      wake();
      await ended;
    },
  };
}

interface Gate {
  readonly arrived: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
}

/** One line that says what was thrown. */
export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}`.replaceAll('\n', ' ') : String(error);
}
