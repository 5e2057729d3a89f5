/**
 * Which invocation of a function a call belongs to. Requests name theirs in a header; background functions are run
 * inside of one. Everything happens in one process, so an invocation dies alone: its client loses the connection,
 * and none of its later calls has an effect.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** The header by which a request names its invocation. */
export const invocationHeader = 'X-Test-Invocation';

export interface Invocation {
  readonly label: string;
  /** The operations of its calls so far, every attempt of each. */
  readonly operations: string[];
  readonly faults: string[];
  dead: boolean;
  /** Whether the service is done with it, also if its client is gone. */
  ended: boolean;
  /** Breaks the connection of the client that waits for it, if there is one. */
  readonly disconnect: () => void;
}

export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

const storage = new AsyncLocalStorage<Invocation | undefined>();

/** The invocation that the running code belongs to. */
export const currentInvocation = (): Invocation | undefined => storage.getStore();

const newInvocation = (label: string, disconnect = () => {}): Invocation => ({
  ...{ label, operations: [], faults: [], dead: false, ended: false, disconnect },
});

/** Runs a background function as an invocation; rejects if it died. */
export async function runAs<T>(label: string, work: () => Promise<T>): Promise<T> {
  const invocation = newInvocation(label);
  const result = await storage.run(invocation, work);
  if (invocation.dead) throw new ProcessDied(label);
  return result;
}

export interface RequestInvocations {
  readonly byLabel: ReadonlyMap<string, Invocation>;
  stop(): void;
}

/** From now on every request that names an invocation is one. */
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
  const stopListening = await onRequestLine(() => {
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

/** Every request, however it ends, writes one line. The log is loaded late, as it reads its level then. */
async function onRequestLine(listener: () => void): Promise<() => void> {
  const { logger } = await import('../../shared/log.ts');
  const own = { info: logger.info, error: logger.error };
  for (const level of ['info', 'error'] as const) {
    logger[level] = (message, ...fields) => {
      if (message === 'request') listener();
      own[level].call(logger, message, ...fields);
    };
  }
  return () => Object.assign(logger, own);
}
