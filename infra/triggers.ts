/**
 * The only list of what runs without a request: queues, the table's stream and the schedule, and which
 * function each of them drives. The local stack and the CDK app are readers of it, as of `shared/routes.ts`.
 */
import { type QueueName, queueVariables } from '../shared/queues.ts';

/** A queue; `url` names the environment variable under which functions find it. */
export interface Queue {
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
  /** Deliveries before a message is a bug of ours and goes to the dead-letter queue. */
  readonly maxReceives: number;
}

export type Trigger =
  | {
      readonly kind: 'stream';
      readonly handler: string;
      readonly batchSize: number;
      /** Only records whose event name and partition key prefix match reach the function. */
      readonly filter: { readonly eventName: 'INSERT'; readonly pkPrefix: string };
    }
  | {
      readonly kind: 'schedule';
      readonly handler: string;
      readonly everySeconds: number;
      readonly timeoutSeconds: number;
    }
  | {
      readonly kind: 'queue';
      readonly handler: string;
      readonly queue: QueueName;
      readonly batchSize: number;
      /** Batches at work at a time; undefined: as many as the account allows. */
      readonly maxConcurrency?: number;
    };

export const queues = {
  overdue: { url: queueVariables.overdue, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  payment: { url: queueVariables.payment, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  refund: { url: queueVariables.refund, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  webhook: { url: queueVariables.webhook, visibilityTimeoutSeconds: 120, maxReceives: 10 },
  recovery: { url: queueVariables.recovery, visibilityTimeoutSeconds: 120, maxReceives: 10 },
  reconciliation: { url: queueVariables.reconciliation, visibilityTimeoutSeconds: 120, maxReceives: 10 },
} as const satisfies Record<QueueName, Queue>;

export const triggers = {
  publishOutbox: {
    kind: 'stream',
    handler: 'functions/background/publish-outbox.ts',
    batchSize: 25,
    filter: { eventName: 'INSERT', pkPrefix: 'OUTBOX#' },
  },
  /** It ends before its leases do: see `sweepTimers`. */
  sweep: {
    kind: 'schedule',
    handler: 'functions/background/sweep.ts',
    everySeconds: 60,
    timeoutSeconds: 90,
  },
  overdue: { kind: 'queue', handler: 'functions/background/overdue.ts', queue: 'overdue', batchSize: 10 },
  settlePayment: {
    kind: 'queue',
    handler: 'functions/background/settle-payment.ts',
    queue: 'payment',
    batchSize: 10,
  },
  processRefund: {
    kind: 'queue',
    handler: 'functions/background/process-refund.ts',
    queue: 'refund',
    batchSize: 10,
  },
  deliverWebhook: {
    kind: 'queue',
    handler: 'functions/background/deliver-webhook.ts',
    queue: 'webhook',
    batchSize: 10,
    maxConcurrency: 50,
  },
  recoverDeliveries: {
    kind: 'queue',
    handler: 'functions/background/recover-deliveries.ts',
    queue: 'recovery',
    batchSize: 1,
  },
  /** Once a day is enough, which it sees to itself: so the first day's is not a day after the deployment. */
  beginReconciliation: {
    kind: 'schedule',
    handler: 'functions/background/begin-reconciliation.ts',
    everySeconds: 3_600,
    timeoutSeconds: 300,
  },
  reconcile: {
    kind: 'queue',
    handler: 'functions/background/reconcile.ts',
    queue: 'reconciliation',
    batchSize: 1,
    maxConcurrency: 5,
  },
} as const satisfies Record<string, Trigger>;
