/** Limits how long the service waits for a provider. */
import { ProviderCallError } from './hosted-provider.ts';

/** How long a request may wait for a provider, and how long a worker may, in milliseconds. */
export const providerWaitMs = { request: 8_000, worker: 20_000 } as const;

/**
 * Waits for a call to a provider.
 * @throws ProviderCallError if the call does not answer in time. It can still have an effect.
 */
export async function answerWithin<T>(call: Promise<T>, waitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProviderCallError(`The provider did not answer within ${waitMs} ms.`)),
      waitMs,
    );
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
