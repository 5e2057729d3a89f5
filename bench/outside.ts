/** Clients, their API and a receiver in a process of their own; see `outside-process.ts`. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../infra/local/stack.ts';

/** A message that the receiver was sent. */
export interface Arrival {
  readonly path: string;
  /** Since the change was made that the event tells of. */
  readonly latencyMs: number;
}

export type Asked =
  | {
      readonly kind: 'create';
      readonly apiKeys: readonly string[];
      readonly count: number;
      readonly perSecond: number;
    }
  | { readonly kind: 'take' | 'count' };

export type Told =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'created'; readonly failed: number }
  | { readonly kind: 'arrivals'; readonly arrivals: readonly Arrival[]; readonly count: number };

/** What both processes work on. */
export interface SharedStack {
  readonly dynamodb: string;
  readonly sqsEndpoint: string;
  readonly tableName: string;
  readonly queuePrefix: string;
  readonly deploymentSecretFile: string;
}

export interface Outside {
  /** Of the receiver; see `outside-process.ts` for the paths. */
  readonly url: string;
  /** Creates invoices at a steady rate. Throws if one was not created. */
  create(order: Omit<Extract<Asked, { kind: 'create' }>, 'kind'>): Promise<void>;
  /** Waits until that many have arrived since the last time, and takes them. Throws if none comes for half a minute. */
  take(count: number): Promise<readonly Arrival[]>;
  close(): void;
}

const patienceMs = 30_000;
const lookEveryMs = 20;

/** On a stack of `withBenchStack`. */
export async function startOutside(stack: Stack): Promise<Outside> {
  const { dynamodbEndpoint: dynamodb, sqsEndpoint, tableName, deploymentSecretFile } = stack;
  const shared: SharedStack = {
    ...{ dynamodb, sqsEndpoint, deploymentSecretFile },
    ...{ tableName, queuePrefix: tableName },
  };
  const child = fork(join(import.meta.dirname, 'outside-process.ts'), [JSON.stringify(shared)]);
  const listening = await next(child, 'listening');
  const ask = async <K extends Told['kind']>(asked: Asked, kind: K) => {
    child.send(asked);
    return next(child, kind);
  };
  return {
    url: listening.url,
    create: async (order) => {
      const { failed } = await ask({ kind: 'create', ...order }, 'created');
      if (failed > 0) throw new Error(`${failed} of ${order.count} invoices were not created.`);
    },
    take: async (count) => {
      let [last, since] = [0, performance.now()];
      for (;;) {
        const present = (await ask({ kind: 'count' }, 'arrivals')).count;
        if (present >= count) return (await ask({ kind: 'take' }, 'arrivals')).arrivals;
        if (present > last) [last, since] = [present, performance.now()];
        if (performance.now() - since > patienceMs) throw new Error(`${present} of ${count} have arrived.`);
        await sleep(lookEveryMs);
      }
    },
    close: () => child.disconnect(),
  };
}

/** The next message of that kind. */
async function next<K extends Told['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<Told, { kind: K }>> {
  for (;;) {
    const [told] = (await once(child, 'message')) as [Told];
    if (told.kind === kind) return told as Extract<Told, { kind: K }>;
  }
}
