/**
 * The trigger table: the queues, the stream of the table, the schedules, and the function that each of them calls.
 * It is the only list of background functions. The CDK app and the local stack both read it. `shares.ts` limits how many
 * batches of a queue are processed at the same time.
 */
import { type QueueName, queueVariables } from '../shared/base/queues.ts';

/** The settings of a queue. */
export interface Queue {
  /** The name of the environment variable that contains the queue's URL. */
  readonly urlVariable: string;
  readonly visibilityTimeoutSeconds: number;
  /** The number of receives after which SQS moves a message to the dead-letter queue. */
  readonly maxReceives: number;
}

export type Trigger =
  | {
      readonly kind: 'stream';
      readonly handler: string;
      readonly batchSize: number;
      /**
       * The number of batches of one stream shard that are processed at the same time. Records with the same partition
       * key are never in two of them.
       */
      readonly parallelizationFactor: number;
      /** The function receives only records with this event name and partition key prefix. */
      readonly filter: { readonly eventName: 'INSERT'; readonly pkPrefix: string };
    }
  | {
      readonly kind: 'schedule';
      readonly handler: string;
      readonly everySeconds: number;
      readonly timeoutSeconds: number;
      /** Begins the work of the day. The stack of tests does not call it: each test begins what it needs. */
      readonly beginsDailyWork?: true;
    }
  | {
      readonly kind: 'queue';
      readonly handler: string;
      readonly queue: QueueName;
      readonly batchSize: number;
    };

export const queues = {
  overdue: { urlVariable: queueVariables.overdue, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  payment: { urlVariable: queueVariables.payment, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  checkout: { urlVariable: queueVariables.checkout, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  refund: { urlVariable: queueVariables.refund, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  webhook: { urlVariable: queueVariables.webhook, visibilityTimeoutSeconds: 120, maxReceives: 10 },
  /** A message has no effect once its timer has its next lease. It fails six times within the longest of them. */
  recovery: { urlVariable: queueVariables.recovery, visibilityTimeoutSeconds: 120, maxReceives: 6 },
  /** The function sends no second message of a mail before the first one has ended, see `send-mail.ts`. */
  mail: { urlVariable: queueVariables.mail, visibilityTimeoutSeconds: 120, maxReceives: 10 },
  /** What came of mails. Amazon SES sends the messages, through a topic. */
  feedback: { urlVariable: queueVariables.feedback, visibilityTimeoutSeconds: 60, maxReceives: 10 },
  /** Each run makes some files and sends the next message, see `make-export.ts`. */
  export: { urlVariable: queueVariables.export, visibilityTimeoutSeconds: 120, maxReceives: 10 },
  reconciliation: {
    urlVariable: queueVariables.reconciliation,
    visibilityTimeoutSeconds: 120,
    maxReceives: 10,
  },
} as const satisfies Record<QueueName, Queue>;

export const triggers = {
  publishOutbox: {
    kind: 'stream',
    handler: 'functions/background/publish-outbox.ts',
    // Two transactions of the event log, if all changes are of one account and have one event each.
    batchSize: 98,
    parallelizationFactor: 10,
    filter: { eventName: 'INSERT', pkPrefix: 'OUTBOX#' },
  },
  /** The timeout is shorter than the leases that the sweep takes: see `sweepTimers`. */
  sweep: {
    kind: 'schedule',
    handler: 'functions/background/sweep.ts',
    everySeconds: 60,
    timeoutSeconds: 90,
  },
  overdue: {
    kind: 'queue',
    handler: 'functions/background/overdue.ts',
    queue: 'overdue',
    batchSize: 10,
  },
  settlePayment: {
    kind: 'queue',
    handler: 'functions/background/settle-payment.ts',
    queue: 'payment',
    batchSize: 10,
  },
  settleCheckout: {
    kind: 'queue',
    handler: 'functions/background/settle-checkout.ts',
    queue: 'checkout',
    batchSize: 1,
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
  },
  recoverDeliveries: {
    kind: 'queue',
    handler: 'functions/background/recover-deliveries.ts',
    queue: 'recovery',
    batchSize: 1,
  },
  /** One at a time: a mail with its document takes most of a second, and SES limits the rate. */
  sendMail: {
    kind: 'queue',
    handler: 'functions/background/send-mail.ts',
    queue: 'mail',
    batchSize: 1,
  },
  recordMailOutcome: {
    kind: 'queue',
    handler: 'functions/background/record-mail-outcome.ts',
    queue: 'feedback',
    batchSize: 10,
  },
  makeExport: {
    kind: 'queue',
    handler: 'functions/background/make-export.ts',
    queue: 'export',
    batchSize: 1,
  },
  /** Starts at most one reconciliation a day. It runs hourly, so the first one starts soon after a deployment. */
  beginReconciliation: {
    kind: 'schedule',
    handler: 'functions/background/begin-reconciliation.ts',
    everySeconds: 3_600,
    timeoutSeconds: 300,
    beginsDailyWork: true,
  },
  reconcile: {
    kind: 'queue',
    handler: 'functions/background/reconcile.ts',
    queue: 'reconciliation',
    batchSize: 1,
  },
  /** The deletion continues where it was interrupted, also by the timeout. */
  deleteSandboxes: {
    kind: 'schedule',
    handler: 'functions/background/delete-sandboxes.ts',
    everySeconds: 3_600,
    timeoutSeconds: 300,
  },
} as const satisfies Record<string, Trigger>;
