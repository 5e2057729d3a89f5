/**
 * Divides the concurrent executions of the AWS account between the API and the background functions.
 *
 * - Each queue has a maximum concurrency, so a backlog cannot take the executions of the API.
 * - The functions that wait for a receiver while a client waits have executions of their own, and no more. So receivers
 *   that do not answer cannot take the executions of the API.
 * - The API gets the rest. Its functions share it, so it cannot be reserved for them.
 * - Lambda reserves executions for a function only if 100 stay unreserved. With a smaller limit nothing is reserved:
 *   the stream then uses up to its share for each shard, and two runs of a schedule can overlap, which is safe.
 */

import { redeliver, testWebhook } from '../shared/api/routes.ts';
import type { QueueName } from '../shared/base/queues.ts';
import type { DashboardHandlerFile } from './dashboard-grants.ts';
import { triggers } from './triggers.ts';

/** The functions that send to a receiver while a client waits. */
const dashboardSender: DashboardHandlerFile = 'functions/dashboard/webhook-sends.ts';
const senders: readonly string[] = [testWebhook.handler, redeliver.handler, dashboardSender];

/** The share of each queue, of the stream and of each sender, in thousandths of the limit. */
const thousandths = {
  overdue: 29,
  payment: 20,
  checkout: 20,
  refund: 20,
  webhook: 39,
  recovery: 5,
  mail: 5,
  feedback: 2,
  export: 5,
  reconciliation: 5,
  stream: 100,
  sender: 12,
} as const satisfies Record<QueueName | 'stream' | 'sender', number>;

/** The range that Lambda accepts as the maximum concurrency of a queue. */
const queueRange = { min: 2, max: 1_000 };
/** Lambda keeps this many executions unreserved. */
export const unreserved = 100;
/** What the canary reserves. Without a limit, strangers could use up the account's executions at its function URL. */
const canaryShares = { run: 1, receive: 2 };
/** The runs of a schedule that can overlap if nothing is reserved. */
const overlappingRuns = 2;

/** Numbers of concurrent executions. */
export interface Shares {
  /** The maximum concurrency of each queue. */
  readonly queues: Readonly<Record<QueueName, number>>;
  readonly stream: number;
  /** For each function that sends to a receiver while a client waits. */
  readonly sender: number;
  /** For each schedule. */
  readonly schedule: number;
  /** Whether `stream`, `sender` and `schedule` are reserved. Otherwise they are estimates. */
  readonly reserved: boolean;
  /** What the functions of the canary reserve. Undefined if nothing is left to reserve. */
  readonly canary: typeof canaryShares | undefined;
  /** What a backlog in all queues leaves to the API. 0 if the other shares exceed the limit. */
  readonly api: number;
}

/**
 * Returns the shares.
 * @param limit the concurrent executions that the AWS account allows for Remit
 */
export function divideConcurrency(limit: number): Shares {
  const shareOf = (name: keyof typeof thousandths) => Math.floor((limit * thousandths[name]) / 1_000);
  const queueShare = (name: QueueName) => Math.min(Math.max(shareOf(name), queueRange.min), queueRange.max);
  const queues = {
    overdue: queueShare('overdue'),
    payment: queueShare('payment'),
    checkout: queueShare('checkout'),
    refund: queueShare('refund'),
    webhook: queueShare('webhook'),
    recovery: queueShare('recovery'),
    mail: queueShare('mail'),
    feedback: queueShare('feedback'),
    export: queueShare('export'),
    reconciliation: queueShare('reconciliation'),
  };
  const schedules = countSchedules();
  const stream = Math.max(shareOf('stream'), 1);
  const sender = Math.max(shareOf('sender'), 1);
  const ofSenders = senders.length * sender;
  const reserved = limit - stream - ofSenders - schedules >= unreserved;
  const schedule = reserved ? 1 : overlappingRuns;
  const ofQueues = Object.values(queues).reduce((sum, share) => sum + share, 0);
  const api = Math.max(0, limit - ofQueues - stream - ofSenders - schedules * schedule);
  const ofCanary = canaryShares.run + canaryShares.receive;
  const canary = limit - stream - ofSenders - schedules - ofCanary >= unreserved ? canaryShares : undefined;
  return { queues, stream, sender, schedule, reserved, canary, api };
}

/**
 * Returns how many executions all functions of a deployment reserve together.
 * @param limit as in `divideConcurrency`
 * @param hasCanary whether the deployment has the canary
 */
export function countReserved(limit: number, hasCanary: boolean): number {
  const { reserved, stream, sender, schedule, canary } = divideConcurrency(limit);
  const ofCanary = hasCanary && canary ? canary.run + canary.receive : 0;
  return ofCanary + (reserved ? stream + senders.length * sender + countSchedules() * schedule : 0);
}

const countSchedules = () => Object.values(triggers).filter(({ kind }) => kind === 'schedule').length;

/**
 * Returns the reserved concurrency of a function of the API or the dashboard, if it sends to a receiver while a client
 * waits and the limit allows a reservation.
 * @param limit as in `divideConcurrency`
 */
export function reserveForSender(handler: string, limit: number) {
  const { reserved, sender } = divideConcurrency(limit);
  return reserved && senders.includes(handler) && { reservedConcurrentExecutions: sender };
}
