/**
 * Makes the attempts of a call as the SDK's retry middleware does, with its strategies and its kinds of errors. That middleware
 * also makes an error object for each call that succeeds, and this takes more CPU than all else in it.
 */
import { getRetryAfterHint, isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

/** The part of the SDK's strategies that decides whether a failed call is tried again, and how long it waits before. */
export interface RetryStrategy {
  acquireInitialRetryToken(scope: string): Promise<RetryToken>;
  /** Rejects if the call is not tried again. */
  refreshRetryTokenForRetry(
    token: RetryToken,
    failure: { error: SdkError; errorType: ErrorType; retryAfterHint?: Date },
  ): Promise<RetryToken>;
  recordSuccess(token: RetryToken): void;
}

type SdkError = Parameters<typeof isThrottlingError>[0];
type ErrorType = 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR';
interface Metadata {
  attempts?: number;
  totalRetryDelay?: number;
}
interface Result {
  readonly output: { readonly $metadata: Metadata };
}

/**
 * Makes attempts until one succeeds or the strategy refuses another one. Adds their number to the metadata of the result, or of
 * the error.
 * @throws the error of the last attempt, or `AbortError` if the signal aborts a wait
 */
export async function withRetries<T extends Result>(
  strategy: RetryStrategy,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  let token = await strategy.acquireInitialRetryToken('');
  for (let attempts = 1, totalRetryDelay = 0; ; attempts++) {
    try {
      const result = await attempt();
      strategy.recordSuccess(token);
      Object.assign(result.output.$metadata, { attempts, totalRetryDelay });
      return result;
    } catch (thrown) {
      const error = thrown as Error & { $metadata?: Metadata };
      const refreshed = signal?.aborted ? undefined : nextToken(strategy, token, error as SdkError);
      const next = await (refreshed && unlessAborted(refreshed, signal));
      if (!next) {
        error.$metadata = Object.assign(error.$metadata ?? {}, { attempts, totalRetryDelay });
        throw error;
      }
      token = next;
      const delayMs = token.getRetryDelay();
      totalRetryDelay += delayMs;
      if (delayMs > 0) await unlessAborted(new Promise((resolve) => setTimeout(resolve, delayMs)), signal);
    }
  }
}

/** Returns undefined if the strategy refuses another attempt. */
async function nextToken(
  strategy: RetryStrategy,
  token: RetryToken,
  error: SdkError,
): Promise<RetryToken | undefined> {
  const retryAfterHint = getRetryAfterHint(error.$response);
  const info = { error, errorType: errorTypeOf(error), ...(retryAfterHint && { retryAfterHint }) };
  try {
    return await strategy.refreshRetryTokenForRetry(token, info);
  } catch {
    return undefined;
  }
}

function errorTypeOf(error: SdkError): ErrorType {
  if (isThrottlingError(error)) return 'THROTTLING';
  if (isTransientError(error)) return 'TRANSIENT';
  return isServerError(error) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
}

/** Waits for `work`. @throws `AbortError` as soon as the signal is aborted */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}
