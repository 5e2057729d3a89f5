/**
 * The DynamoDB client of this instance, how it retries, and the count of calls that each request makes.
 * The SDK finds region, credentials and endpoint in the environment by itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** DynamoDB calls of one request: all, and the longest chain of calls that waited for one another. */
export interface CallCount {
  calls: number;
  inSequence: number;
}

const counts = new AsyncLocalStorage<CallCount>();

/** Runs `work` and counts the DynamoDB calls made inside of it into `count`. */
export function countingCalls<T>(count: CallCount, work: () => Promise<T>): Promise<T> {
  return counts.run(count, work);
}

/** Runs `work` for somebody else than the request: what it calls is not counted into the request's calls. */
export function uncounted<T>(work: () => Promise<T>): Promise<T> {
  return counts.exit(work);
}

const maxAttempts = 10;
const firstDelayMs = 25;
const longestDelayMs = 800;

/** The wait before attempt `attempt` + 1: exponential with jitter; ten attempts take 3 s on average, 4 s at most. */
export function retryDelayMs(attempt: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

/**
 * Retries throttling, conflicts with a transaction, server and network errors. Unlike the SDK's own strategy it
 * has no budget shared by all requests: money must not fail because of its neighbours.
 */
const retryStrategy = {
  acquireInitialRetryToken: async () => retryToken(0, 0),
  refreshRetryTokenForRetry: async (
    token: { getRetryCount(): number },
    { error, errorType }: { error?: { name?: string }; errorType: string },
  ) => {
    const attempt = token.getRetryCount();
    const final = errorType === 'CLIENT_ERROR' && error?.name !== 'TransactionConflictException';
    if (final || attempt + 1 >= maxAttempts) throw new Error('No retry.');
    return retryToken(attempt + 1, retryDelayMs(attempt));
  },
  recordSuccess: () => {},
};

function retryToken(count: number, delayMs: number) {
  return { getRetryCount: () => count, getRetryDelay: () => delayMs };
}

const client = new DynamoDBClient({
  maxAttempts,
  retryStrategy,
  requestHandler: {
    connectionTimeout: 3_000,
    socketTimeout: 5_000,
    httpAgent: { keepAlive: true, maxSockets: 128 },
    httpsAgent: { keepAlive: true, maxSockets: 128 },
    socketAcquisitionWarningTimeout: 30_000,
  },
});

client.middlewareStack.add(
  (next) => async (args) => {
    const count = counts.getStore();
    if (!count) return next(args);
    count.calls += 1;
    const place = count.inSequence + 1;
    try {
      return await next(args);
    } finally {
      count.inSequence = Math.max(count.inSequence, place);
    }
  },
  { step: 'initialize', name: 'countCalls' },
);

export const dynamodb = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});
