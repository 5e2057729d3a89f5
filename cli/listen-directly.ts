/** Lets a service on this machine send its events to `remit listen`: as to any endpoint, over the loopback interface. */
import { type EventType, type Remit, RemitError } from '../client/src/remit.ts';
import { type EventReceiver, type EventReceiverOptions, startEventReceiver } from './receiver.ts';

/** Describes the endpoint of a process. `deleteStaleEndpoints` recognizes the endpoints of killed processes by it. */
export const endpointDescription = (pid: number | string) => `remit listen ${pid}`;

/**
 * Registers an endpoint, and deletes it when the signal aborts.
 * @param onListening is called when the endpoint is registered
 * @returns undefined after the signal, or the reason why the service does not accept the endpoint
 */
export async function listenDirectly(
  remit: Remit,
  events: readonly EventType[],
  options: EventReceiverOptions,
  { signal, onListening }: { readonly signal: AbortSignal; readonly onListening: () => void },
): Promise<string | undefined> {
  const receiver = await startEventReceiver(options);
  try {
    const id = await register(remit, events, receiver);
    onListening();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await remit.webhooks.delete(id);
    return undefined;
  } catch (error) {
    if (error instanceof RegistrationRefused) return error.message;
    throw error;
  } finally {
    await receiver.close();
  }
}

class RegistrationRefused extends Error {}

async function register(
  remit: Remit,
  events: readonly EventType[],
  receiver: EventReceiver,
): Promise<string> {
  try {
    await deleteStaleEndpoints(remit);
    const body = { url: receiver.url, events: [...events], description: endpointDescription(process.pid) };
    const { id, secret } = await remit.webhooks.create(body);
    receiver.setSecret(secret);
    return id;
  } catch (error) {
    const isRefused = error instanceof RemitError && (error.status === 400 || error.status === 403);
    throw isRefused ? new RegistrationRefused(error.message) : error;
  }
}

/** Deletes the endpoints of processes that no longer run. */
export async function deleteStaleEndpoints(remit: Remit): Promise<void> {
  for (const endpoint of (await remit.webhooks.list()).data) {
    const [, pid] = /^remit listen (\d+)$/.exec(endpoint.description ?? '') ?? [];
    if (pid && !isAlive(Number(pid))) await remit.webhooks.delete(endpoint.id);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
