/**
 * Starts the load generator: a separate process with API clients, their API, and a webhook receiver. Its work does not
 * count in the measurements. `load-generator-process.ts` runs in that process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../infra/local/stack.ts';

/** A webhook message that arrived at the receiver. */
export interface Arrival {
  readonly path: string;
  /** The time from the event's timestamp to the arrival. */
  readonly latencyMs: number;
}

export type LoadGeneratorRequest =
  | {
      readonly kind: 'create';
      readonly apiKeys: readonly string[];
      readonly count: number;
      readonly perSecond: number;
    }
  | { readonly kind: 'read'; readonly count: number; readonly perSecond: number }
  | { readonly kind: 'take' | 'count' };

export type LoadGeneratorReply =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'created'; readonly failed: number }
  | { readonly kind: 'read'; readonly durations: readonly number[] }
  | { readonly kind: 'arrivals'; readonly arrivals: readonly Arrival[]; readonly count: number };

/** The parts of the stack that both processes use. */
export interface SharedStack {
  readonly dynamodb: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly tableName: string;
  readonly queuePrefix: string;
  readonly deploymentSecretFile: string;
}

export interface LoadGenerator {
  /** The URL of the receiver. `load-generator-process.ts` describes its paths. */
  readonly url: string;
  /** Creates invoices at a steady rate. @throws Error if a create fails */
  create(order: Omit<Extract<LoadGeneratorRequest, { kind: 'create' }>, 'kind'>): Promise<void>;
  /**
   * Reads the table at a steady rate, each time with the number of calls in sequence that a list makes, but with no other work.
   * Returns how long each took, in milliseconds.
   */
  read(order: { count: number; perSecond: number }): Promise<readonly number[]>;
  /**
   * Waits until `count` messages have arrived since the last call, and returns them.
   * @throws Error if no message arrives for 30 seconds
   */
  take(count: number): Promise<readonly Arrival[]>;
  close(): void;
}

const arrivalTimeoutMs = 30_000;
const pollIntervalMs = 20;

/** Starts the load generator on a stack of `withBenchStack`. */
export async function startLoadGenerator(stack: Stack): Promise<LoadGenerator> {
  const { dynamodbEndpoint: dynamodb, sqsEndpoint, s3Endpoint, tableName, deploymentSecretFile } = stack;
  const shared: SharedStack = {
    dynamodb,
    sqsEndpoint,
    s3Endpoint,
    deploymentSecretFile,
    tableName,
    queuePrefix: tableName,
  };
  const child = fork(join(import.meta.dirname, 'load-generator-process.ts'), [JSON.stringify(shared)]);
  const listening = await nextReply(child, 'listening');
  const send = async <K extends LoadGeneratorReply['kind']>(request: LoadGeneratorRequest, kind: K) => {
    child.send(request);
    return nextReply(child, kind);
  };
  return {
    url: listening.url,
    create: async (order) => {
      const { failed } = await send({ kind: 'create', ...order }, 'created');
      if (failed > 0) throw new Error(`${failed} of ${order.count} invoices were not created.`);
    },
    read: async (order) => (await send({ kind: 'read', ...order }, 'read')).durations,
    take: async (count) => {
      let [last, since] = [0, performance.now()];
      for (;;) {
        const present = (await send({ kind: 'count' }, 'arrivals')).count;
        if (present >= count) return (await send({ kind: 'take' }, 'arrivals')).arrivals;
        if (present > last) [last, since] = [present, performance.now()];
        if (performance.now() - since > arrivalTimeoutMs)
          throw new Error(`Only ${present} of ${count} messages arrived.`);
        await sleep(pollIntervalMs);
      }
    },
    close: () => child.disconnect(),
  };
}

/** Returns the next reply of the given kind. */
async function nextReply<K extends LoadGeneratorReply['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<LoadGeneratorReply, { kind: K }>> {
  for (;;) {
    const [reply] = (await once(child, 'message')) as [LoadGeneratorReply];
    if (reply.kind === kind) return reply as Extract<LoadGeneratorReply, { kind: K }>;
  }
}
