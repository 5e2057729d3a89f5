/** Sends many requests of one account at once, each as an invocation of its own, so that the fault layer applies. */
import type { Api, CallOptions } from './api.ts';
import type { HttpResponse } from './http.ts';
import { invocationHeader } from './invocations.ts';

/**
 * Sends `count` requests at once and returns their responses in the order of their numbers.
 * @param name distinguishes the idempotency keys of bursts; a burst of the same name repeats the requests
 * @param send sends the request of a number, from 0, with the given options
 */
export function sendBurst(
  name: string,
  count: number,
  send: (number: number, options: CallOptions) => ReturnType<Api['get']>,
): Promise<HttpResponse[]> {
  const requests = Array.from({ length: count }, (_, number) => {
    const label = `${name}-${number}`;
    return send(number, { headers: { [invocationHeader]: label, 'Idempotency-Key': label } });
  });
  return Promise.all(requests);
}

/** Counts responses by their status. */
export function countStatuses(responses: readonly HttpResponse[]): Record<number, number> {
  const groups = Map.groupBy(responses, ({ status }) => status);
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]));
}
