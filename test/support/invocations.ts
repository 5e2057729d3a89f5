/**
 * Tracks which function invocation a call belongs to. A request names its invocation in a header. A test runs a
 * background function as an invocation.
 *
 * All invocations run in one process, so a crash is simulated: the client loses its connection, and no later call of the
 * invocation has an effect.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** The header with which a request names its invocation. */
export const invocationHeader = 'X-Test-Invocation';

export interface Invocation {
  readonly label: string;
  /** The operation of each attempt of each call so far. */
  readonly operations: string[];
  readonly faults: string[];
  crashed: boolean;
  /** Whether the service has finished it. Its client may have disconnected before. */
  ended: boolean;
  /** Breaks the connection to the client, if a client is connected. */
  readonly disconnect: () => void;
}

export class ProcessCrashed extends Error {
  override readonly name = 'ProcessCrashed';
}

const storage = new AsyncLocalStorage<Invocation | undefined>();

/** Returns the invocation that the running code belongs to. */
export const currentInvocation = (): Invocation | undefined => storage.getStore();

const newInvocation = (label: string, disconnect = () => {}): Invocation => ({
  label,
  operations: [],
  faults: [],
  crashed: false,
  ended: false,
  disconnect,
});

/** Runs a background function as an invocation. Rejects if it crashed, even if the function caught that. */
export async function runAsInvocation<T>(label: string, work: () => Promise<T>): Promise<T> {
  const invocation = newInvocation(label);
  const result = await storage.run(invocation, work);
  if (invocation.crashed) throw new ProcessCrashed(label);
  return result;
}

export interface RequestInvocations {
  readonly byLabel: ReadonlyMap<string, Invocation>;
  stop(): void;
}

/** Makes each request that names an invocation run as that invocation. */
export async function followRequests(): Promise<RequestInvocations> {
  const byLabel = new Map<string, Invocation>();
  const requests = channel('http.server.request.start');
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    const label = request.headers[invocationHeader.toLowerCase()];
    if (typeof label !== 'string') return storage.enterWith(undefined);
    const invocation = newInvocation(label, () => request.socket.destroy());
    byLabel.set(label, invocation);
    storage.enterWith(invocation);
  };
  requests.subscribe(onRequest);
  const stopListening = await onRequestEnd(() => {
    const invocation = currentInvocation();
    if (invocation) invocation.ended = true;
  });
  return {
    byLabel,
    stop: () => {
      requests.unsubscribe(onRequest);
      stopListening();
    },
  };
}

/**
 * Calls `listener` after each request, because each request writes one log line at its end. The log is imported late,
 * because it reads its level when it is imported.
 */
async function onRequestEnd(listener: () => void): Promise<() => void> {
  const { logger } = await import('../../shared/base/log.ts');
  const original = { info: logger.info, error: logger.error };
  for (const level of ['info', 'error'] as const) {
    logger[level] = (message, ...fields) => {
      if (message === 'request') listener();
      original[level].call(logger, message, ...fields);
    };
  }
  return () => Object.assign(logger, original);
}
