/**
 * What each function may do, and no more: the actions on each kind of item that it calls, whether it reads the
 * deployment secret, and which queues it sends to. A handler of `shared/routes.ts` or `triggers.ts` without an
 * entry does not compile.
 */
import { idPrefixes } from '../shared/ids.ts';
import type { QueueName } from '../shared/queues.ts';
import type { routes } from '../shared/routes.ts';
import type { triggers } from './triggers.ts';

/** The partition keys of each kind of item, as patterns of IAM. The shapes themselves are in `shared/store/keys.ts`. */
export const partitions = {
  directory: 'ACCOUNTS',
  /** An account's profile; its ids have 16 characters. What follows an id in the key of a head has more. */
  account: `ACCOUNT#${idPrefixes.account}_${'?'.repeat(16)}`,
  head: 'ACCOUNT#*#*',
  apiKey: 'KEY#*',
  source: 'SOURCE#*',
  attempts: 'ATTEMPTS#*',
  testProvider: 'TESTPROVIDER#*',
  invoice: `${idPrefixes.invoice}_*`,
  payment: `${idPrefixes.payment}_*`,
  refund: `${idPrefixes.refund}_*`,
  indexPage: 'INDEX#*',
  idempotency: 'IDEMPOTENCY#*',
  outbox: 'OUTBOX#*',
  event: 'EVENTS#*',
  eventPointer: 'EVENT#*',
  eventCursor: 'EVENTCURSOR#*',
  webhook: 'WEBHOOKS#*',
  webhookHealth: 'WEBHOOKHEALTH#*',
  delivery: 'DELIVERIES#*',
  timer: 'TIMER#*',
  watermark: 'SWEEP',
  reconciliation: 'RECONCILIATION#*',
} as const;

export type Partition = keyof typeof partitions;

/** Transactions need the actions that they are made of, and none of their own. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

export type TableAccess = Partial<Record<Partition, readonly TableAction[]>>;

export interface Grant {
  readonly table: TableAccess;
  /** Draws numbers from heads, and sees nothing else of them: hashes of API keys are none of its business. */
  readonly drawsNumbers?: true;
  /** Reads the deployment secret. */
  readonly secret?: true;
  /** Shows where payers go. */
  readonly payUrlBase?: true;
  /** Judges the addresses of webhook endpoints: what is private, and what is the service itself. */
  readonly callsReceivers?: true;
  readonly sendsTo?: readonly QueueName[];
}

export type HandlerFile =
  | (typeof routes)[keyof typeof routes]['handler']
  | (typeof triggers)[keyof typeof triggers]['handler'];

/** Every request: the head, or why it was refused. */
const admission: TableAccess = { head: ['UpdateItem'], apiKey: ['GetItem'], source: ['UpdateItem'] };
/** `commit` on behalf of a request, but for the records. */
const change: TableAccess = {
  outbox: ['PutItem'],
  idempotency: ['GetItem', 'PutItem'],
};
/** A change that lists must show. */
const listing: TableAccess = { indexPage: ['UpdateItem'] };
/** A card payment: intent, provider, outcome. */
const cardPayment: TableAccess = {
  ...change,
  ...listing,
  invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
  payment: ['GetItem', 'PutItem'],
  testProvider: ['PutItem', 'UpdateItem'],
};
/** A worker that sets the next timer before it completes its own. */
const rescheduling: TableAccess = { timer: ['PutItem', 'DeleteItem'], watermark: ['GetItem', 'PutItem'] };
/** `publish`: all that follows from an outbox item. */
const publishing: TableAccess = {
  ...listing,
  eventCursor: ['GetItem', 'UpdateItem'],
  event: ['PutItem'],
  eventPointer: ['PutItem'],
  webhook: ['Query'],
  delivery: ['PutItem'],
  timer: ['PutItem', 'DeleteItem'],
  watermark: ['GetItem', 'PutItem'],
  outbox: ['DeleteItem'],
};

const api = (...table: TableAccess[]): Grant => ({ table: together(admission, ...table), secret: true });

export const grants: Readonly<Record<HandlerFile, Grant>> = {
  'functions/invoices/list.ts': {
    ...api({ indexPage: ['Query', 'UpdateItem'], invoice: ['BatchGetItem', 'GetItem'] }),
    payUrlBase: true,
  },
  'functions/invoices/create.ts': { ...api(change, listing, { invoice: ['PutItem'] }), payUrlBase: true },
  'functions/invoices/get.ts': { ...api({ invoice: ['GetItem'] }), payUrlBase: true },
  'functions/invoices/update.ts': {
    ...api(change, { invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'] }),
    payUrlBase: true,
  },
  'functions/invoices/cancel.ts': {
    ...api(change, listing, { invoice: ['GetItem', 'PutItem'] }),
    payUrlBase: true,
  },
  'functions/payments/list.ts': api({
    indexPage: ['Query', 'UpdateItem'],
    payment: ['BatchGetItem', 'GetItem'],
  }),
  'functions/payments/create.ts': { ...api(cardPayment), payUrlBase: true },
  'functions/payments/get.ts': api({ payment: ['GetItem'] }),
  'functions/refunds/list.ts': api({
    indexPage: ['Query', 'UpdateItem'],
    refund: ['BatchGetItem', 'GetItem'],
  }),
  'functions/refunds/create.ts': api(change, listing, {
    payment: ['GetItem', 'PutItem'],
    refund: ['GetItem', 'PutItem'],
  }),
  'functions/refunds/get.ts': api({ refund: ['GetItem'] }),
  'functions/events/list.ts': api({ event: ['Query', 'GetItem'], eventPointer: ['GetItem'] }),
  'functions/events/get.ts': api({ event: ['GetItem'], eventPointer: ['GetItem'] }),
  'functions/pay/show.ts': {
    table: { invoice: ['GetItem'], payment: ['GetItem'], account: ['GetItem'] },
    payUrlBase: true,
  },
  'functions/pay/submit.ts': {
    table: together(cardPayment, { attempts: ['UpdateItem'], account: ['GetItem'] }),
    drawsNumbers: true,
    secret: true,
    payUrlBase: true,
  },
  'functions/webhooks/list.ts': api({ webhook: ['Query'] }),
  'functions/webhooks/create.ts': {
    ...api({ idempotency: ['GetItem', 'PutItem'], webhook: ['GetItem', 'PutItem'] }),
    callsReceivers: true,
  },
  'functions/webhooks/get.ts': api({ webhook: ['GetItem'] }),
  'functions/webhooks/update.ts': {
    ...api({
      idempotency: ['GetItem', 'PutItem'],
      webhook: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      webhookHealth: ['DeleteItem'],
    }),
    callsReceivers: true,
  },
  'functions/webhooks/delete.ts': api({
    idempotency: ['GetItem', 'PutItem'],
    webhook: ['GetItem', 'PutItem', 'DeleteItem'],
  }),
  'functions/webhooks/rotate-secret.ts': api({
    idempotency: ['GetItem', 'PutItem'],
    webhook: ['GetItem', 'PutItem'],
  }),
  'functions/webhooks/test.ts': {
    ...api({
      idempotency: ['GetItem', 'PutItem'],
      webhook: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
    }),
    callsReceivers: true,
  },
  'functions/webhooks/list-deliveries.ts': api({ webhook: ['GetItem'], delivery: ['Query'] }),
  'functions/webhooks/redeliver.ts': {
    ...api({
      idempotency: ['GetItem', 'PutItem'],
      webhook: ['GetItem', 'BatchGetItem', 'PutItem'],
      webhookHealth: ['BatchGetItem', 'DeleteItem'],
      delivery: ['GetItem', 'BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    callsReceivers: true,
  },
  'functions/webhooks/recover.ts': api(change, { webhook: ['GetItem', 'PutItem'] }),
  'functions/meta/openapi.ts': { table: {}, payUrlBase: true },
  'functions/meta/docs.ts': { table: {}, payUrlBase: true },
  'functions/meta/not-found.ts': api(),
  'functions/background/publish-outbox.ts': {
    table: publishing,
    sendsTo: ['overdue', 'payment', 'refund', 'webhook', 'recovery'],
  },
  'functions/background/sweep.ts': {
    table: together(publishing, {
      outbox: ['Query', 'UpdateItem'],
      timer: ['Query'],
      watermark: ['UpdateItem'],
    }),
    sendsTo: ['overdue', 'payment', 'refund', 'webhook', 'recovery'],
  },
  'functions/background/overdue.ts': {
    table: { invoice: ['GetItem', 'PutItem'], outbox: ['PutItem'], ...listing, timer: ['DeleteItem'] },
    payUrlBase: true,
  },
  'functions/background/settle-payment.ts': {
    table: together(listing, rescheduling, {
      invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
      idempotency: ['PutItem'],
      testProvider: ['GetItem', 'PutItem', 'UpdateItem'],
    }),
    sendsTo: ['payment'],
    payUrlBase: true,
  },
  'functions/background/deliver-webhook.ts': {
    table: together(rescheduling, {
      webhook: ['BatchGetItem', 'GetItem', 'PutItem'],
      webhookHealth: ['BatchGetItem', 'UpdateItem', 'DeleteItem'],
      delivery: ['BatchGetItem', 'PutItem'],
      event: ['BatchGetItem'],
    }),
    sendsTo: ['webhook'],
    secret: true,
    callsReceivers: true,
  },
  'functions/background/recover-deliveries.ts': {
    table: together(rescheduling, { webhook: ['GetItem'], delivery: ['Query', 'PutItem'] }),
    sendsTo: ['webhook', 'recovery'],
  },
  'functions/background/process-refund.ts': {
    table: together(listing, rescheduling, {
      invoice: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      payment: ['GetItem', 'PutItem'],
      refund: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
      testProvider: ['GetItem', 'PutItem', 'UpdateItem'],
    }),
    sendsTo: ['refund'],
    payUrlBase: true,
    drawsNumbers: true,
  },
  'functions/background/begin-reconciliation.ts': {
    table: { directory: ['Query'], reconciliation: ['GetItem', 'PutItem'] },
    sendsTo: ['reconciliation'],
  },
  'functions/background/reconcile.ts': {
    table: {
      invoice: ['BatchGetItem'],
      payment: ['BatchGetItem'],
      refund: ['BatchGetItem'],
      indexPage: ['BatchGetItem', 'Query'],
      outbox: ['Query'],
      reconciliation: ['PutItem'],
    },
    drawsNumbers: true,
    sendsTo: ['reconciliation'],
  },
};

/** The union of several accesses. */
function together(...all: readonly TableAccess[]): TableAccess {
  const union: Partial<Record<Partition, TableAction[]>> = {};
  for (const access of all) {
    for (const [partition, actions] of entriesOf(access)) {
      union[partition] = [...new Set([...(union[partition] ?? []), ...actions])];
    }
  }
  return union;
}

/**
 * The patterns of partition keys that each action may touch: one statement per action, so that it does not matter
 * whether IAM is asked about the keys of a transaction one by one or about all at once.
 */
export function keysByAction(access: TableAccess): Map<TableAction, string[]> {
  const keys = new Map<TableAction, string[]>();
  for (const [partition, actions] of entriesOf(access)) {
    for (const action of actions) keys.set(action, [...(keys.get(action) ?? []), partitions[partition]]);
  }
  return keys;
}

function entriesOf(access: TableAccess): [Partition, readonly TableAction[]][] {
  return Object.entries(access) as [Partition, readonly TableAction[]][];
}
