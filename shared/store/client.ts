/**
 * Creates the DynamoDB client of this instance, and defines its retries. It takes the commands of the SDK. `env.awsCalls`
 * decides whether the SDK or the short path of `direct-table.ts` makes the calls.
 *
 * A call never lasts longer than the deadline of its request or batch. It then rejects with `DeadlineExceededError`. As
 * with a lost answer, the call may have taken effect.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  DeadlineExceededError,
  type Expiry,
  noteEffect,
  rejectAtDeadline,
  remainingMs,
} from '../base/deadline.ts';
import { env, localStage } from '../base/env.ts';
import type { Instant } from '../base/time.ts';
import type { DirectClient } from '../platform/aws/direct-client.ts';
import type { DirectOptions } from '../platform/aws/direct-service.ts';
import { beginCall } from './call-count.ts';
import { createDirectTable } from './direct-table.ts';
import { createSdkTable } from './sdk-table.ts';
import {
  isThrottling,
  throttledDelayMs,
  throttledRemainingMs,
  throttledUntilDeadline,
} from './throttling.ts';
import { traceCalls } from './trace-calls.ts';

const maxAttempts = 10;
const firstDelayMs = 25;
const longestDelayMs = 800;

/**
 * Returns the wait after attempt `attempt` (from 0) in milliseconds: exponential with jitter. Ten attempts take 3 s on
 * average and 4 s at most.
 */
export function retryDelayMs(attempt: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

/**
 * Decides what follows from an attempt that failed in a way that can be retried. A throttled call has as many attempts as
 * fit before the deadline, and they do not count. All other failures of a call may be ten.
 * @param attempt the number of earlier attempts that count
 * @param delayMs the wait before the next attempt
 * @param leftMs the time in which the next attempt can start. `Infinity` without a deadline
 */
export function decideRetry(
  attempt: number,
  delayMs: number,
  leftMs: number,
  throttled: boolean,
): 'retry' | 'fail' | 'deadline exceeded' {
  const mayWait = throttled && leftMs !== Number.POSITIVE_INFINITY;
  if (attempt + 1 >= maxAttempts && !mayWait) return 'fail';
  return delayMs < leftMs ? 'retry' : 'deadline exceeded';
}

/** The expiry of the call whose code runs. The retry strategy cannot choose the error of a call that it does not retry. */
const expiries = new AsyncLocalStorage<Expiry>();

/**
 * Retries throttling, transaction conflicts, server errors and network errors. The SDK's own strategy shares one retry
 * budget among all requests. This one has no budget, because other requests must not make a payment fail.
 */
const retryStrategy = {
  acquireInitialRetryToken: async () => retryToken(0, 0, 0),
  refreshRetryTokenForRetry: async (
    token: RetryToken,
    { error, errorType }: { error?: { name?: string }; errorType: string },
  ) => {
    const attempt = token.getRetryCount();
    const throttled = isThrottling(error?.name);
    const isRefused = errorType === 'CLIENT_ERROR' || throttled;
    const isFinal = isRefused && !throttled && error?.name !== 'TransactionConflictException';
    // The answer is lost or an error of the server, so the call may have taken effect.
    if (!isRefused) noteEffect();
    const leftMs = throttled ? throttledRemainingMs() : remainingMs();
    const delayMs = throttled ? throttledDelayMs(attempt, leftMs) : retryDelayMs(attempt);
    const counted = throttled ? attempt : token.failures;
    const decision = isFinal ? 'fail' : decideRetry(counted, delayMs, leftMs, throttled);
    const expiry = expiries.getStore();
    if (expiry) expiry.cause = error;
    if (decision === 'deadline exceeded')
      expiry?.expire(throttled ? throttledUntilDeadline(error) : new DeadlineExceededError(error));
    if (decision !== 'retry') throw new Error('The call is not retried.');
    return retryToken(attempt + 1, token.failures + (throttled ? 0 : 1), delayMs);
  },
  recordSuccess: () => {},
};

interface RetryToken {
  readonly getRetryCount: () => number;
  readonly getRetryDelay: () => number;
  /** The attempts that failed in another way than by throttling. */
  readonly failures: number;
}

function retryToken(count: number, failures: number, delayMs: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => delayMs, failures };
}

/**
 * The time to connect, and the time without a byte of the answer, in milliseconds. DynamoDB answers in milliseconds, so a
 * retry is faster than waiting. DynamoDB Local on a busy machine is slower.
 */
const attemptMs = env.stage() === localStage ? 5_000 : 1_000;

/** Enough for a sweep, see `lease-timers.ts`, and for a batch of the relay. Lambda allows 1,024 open connections and files. */
export const tableConnections = 384;

/** The retries, timeouts and connections of both paths. */
export const tableOptions: DirectOptions & { readonly maxAttempts: number } = {
  maxAttempts,
  retryStrategy,
  requestHandler: {
    connectionTimeout: attemptMs,
    socketTimeout: attemptMs,
    httpAgent: { maxSockets: tableConnections },
    httpsAgent: { maxSockets: tableConnections },
    socketAcquisitionWarningTimeout: 30_000,
  },
};

/** The part of the SDK's client that both paths have. */
type TableClient = Pick<DynamoDBDocumentClient, 'send' | 'middlewareStack'> & {
  /** Only on the short path. */
  readonly sendForJson?: DirectClient['sendForJson'];
  readonly config: Pick<DynamoDBDocumentClient['config'], 'requestHandler' | 'systemClockOffset'>;
};

// The condition has this form, because esbuild then leaves the SDK's client out of bundles that do not use it.
export const dynamodb = (
  typeof directCallsOnly === 'undefined' && env.awsCalls() === 'sdk'
    ? createSdkTable(tableOptions)
    : createDirectTable(tableOptions)
) as TableClient;

dynamodb.middlewareStack.add(
  (next) => async (args) => {
    const end = beginCall();
    try {
      return await rejectAtDeadline((expiry) => expiries.run(expiry, () => next(args)));
    } finally {
      end();
    }
  },
  { step: 'initialize', name: 'callsOfRequest' },
);
// Outside of the deadline, so a subsegment lasts as long as the request waited.
dynamodb.middlewareStack.add(traceCalls('DynamoDB'), { step: 'initialize', priority: 'high', name: 'trace' });

/**
 * Clocks that differ by less than this count as equal: the `Date` header of a response has whole seconds, and its way
 * takes time.
 */
const clockToleranceMs = 60_000;

/**
 * Returns the time on DynamoDB's clock when the clock of this process shows `now`, in milliseconds since 1970. So a
 * process whose clock is days wrong still knows the time. The SDK measures the difference of the clocks with the `Date`
 * header of each response, because it signs requests with the time. Before the first response it assumes none.
 */
export function tableTime(now: Instant): Instant {
  const { systemClockOffset: offsetMs } = dynamodb.config;
  return Math.abs(offsetMs) < clockToleranceMs ? now : now + offsetMs;
}
