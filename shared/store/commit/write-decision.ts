/**
 * Writes a decision in one transaction:
 *
 * - the records, each conditional on the version on which the decision is based
 * - the items that only one change can put
 * - the idempotency record, if the request has a key
 * - the outbox item, if anything follows from the decision or the audit log records it
 */

import { randomUUID } from 'node:crypto';
import type { AuditOrigin } from '../../base/audit-origin.ts';
import { type Clock, toRealTime } from '../../base/clock.ts';
import type { ApiError } from '../../base/errors.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import { factsOf, type RecordFacts } from '../lists/filters/record-facts.ts';
import { addIndexEntries } from '../lists/pages/add-index-entries.ts';
import type { IndexEntry } from '../lists/pages/index-pages.ts';
import { entriesOfChange, type MoneyEntry } from '../money-entries.ts';
import { fromItem, type Item, type LoadedRecord, type RecordBase } from '../records.ts';
import { isSetByChange } from '../timers/due-dates.ts';
import type { Timer } from '../timers/timer-item.ts';
import { type FailedAction, type TransactionItem, writeTransaction } from '../transactions.ts';
import { type AuditedChange, auditedPrefix } from './audited-change.ts';
import {
  bumpVersion,
  checkRecord,
  completeKey,
  deleteItem,
  deleteRecord,
  put,
  putKey,
  putMoved,
  putNew,
  putRecord,
} from './change-items.ts';
import type { Change, Decision, Reservation } from './command.ts';
import { fromIdempotencyItem, type IdempotencyRecord, type RequestKey } from './idempotency-records.ts';
import { type FollowUps, toOutboxItem } from './outbox-item.ts';

/** The request that a change belongs to. */
export interface CommitContext {
  /** The change and its timers have the time of the account. Everything else has the real time. */
  readonly clock: Clock;
  /** Undefined if the request has no idempotency key, or if no request waits for the change. */
  readonly key: RequestKey | undefined;
  /** Who makes the change. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
  /** The fault of the webhooks of the change, for which the client asked in test mode. */
  readonly webhookFault?: WebhookFault | undefined;
}

export type WriteResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'key taken'; readonly idempotency: IdempotencyRecord }
  /** The request that the decision would have completed already has an answer, or has expired. */
  | { readonly kind: 'already completed' }
  /** An earlier change has put an item that only one change can put. */
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'version conflict'; readonly records: (RecordBase | undefined)[] };

/**
 * Writes `decision`, then adds its index entries.
 * @param before the records on which the decision is based
 * @returns whether it was written, or why not. The idempotency record is checked first, and the versions last.
 */
export async function writeDecision<Rs extends readonly RecordBase[], A>(
  loaded: readonly LoadedRecord<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  decision: Decision<Rs, A>,
  context: CommitContext,
): Promise<WriteResult> {
  const { clock, key } = context;
  const { real: now } = clock;
  const changes: readonly (Change<RecordBase> | undefined)[] = decision.changes;
  const [first] = loaded;
  const audited = auditedChange(loaded, decision, context);
  const isEmpty = changes.every((change) => !change) && !decision.reserves?.length;
  if (!first || (!key && !audited && !decision.completes && isEmpty)) return { kind: 'written' };
  const changeId = randomUUID();
  const followUps = { ...followUpsOf(changes, decision.timers), entries: entriesOf(loaded, before, changes) };
  const webhookFault = context.webhookFault ?? faultOfPending(before);
  const timers = realTimers(followUps.timers, clock).filter((timer) => isSetByChange(timer, now));
  const outbox = toOutboxItem(first.owner, changeId, now, { ...followUps, timers, audited, webhookFault });
  const keyItem = await keyItemOf(first, decision, followUps, context);
  const indexedAt = (isEarly: boolean) =>
    followUpsOf(changes.filter((change) => (change?.indexedEarly ?? false) === isEarly)).indexEntries;
  const addedEarly = addIndexEntries(first.owner, indexedAt(true));
  // If the transaction fails, nothing awaits it.
  addedEarly.catch(() => {});
  const reserves = decision.reserves ?? [];
  const failed = await writeParts(
    {
      records: loaded.map((record, index) => recordAction(record, before[index], changes[index], changeId)),
      reserves: reserves.map(({ item, movesFrom }) =>
        movesFrom === undefined ? putNew(item) : putMoved(item, movesFrom),
      ),
      deletes: (decision.deletes ?? []).map(deleteItem),
      puts: (decision.puts ?? []).map(put),
      bumps: (decision.bumpsVersionOf ?? []).map(bumpVersion),
      outbox: outbox ? [put(outbox)] : [],
      key: keyItem ? [keyItem] : [],
    },
    changeId,
  );
  // If the item that failed a condition carries this change's id, an earlier attempt of this change was written.
  if (failed && !failed.records.some(({ item }) => item?.change === changeId))
    return resultOfFailure(loaded, before, failed, decision, now);
  for (const { id: event, type } of followUps.events) {
    const { account, mode } = first.owner;
    logger.info('event', { event, account, ...metricFields({ Events: 1 }, { mode, type }) });
  }
  // Lists need not show a pending operation before its request has an answer.
  if (decision.pendingOperation === undefined) await addIndexEntries(first.owner, indexedAt(false));
  await addedEarly;
  return { kind: 'written' };
}

/** Returns timers of the account's time in the real time. */
const realTimers = (timers: readonly Timer[], clock: Clock): readonly Timer[] =>
  timers.map((timer) => ({ ...timer, due: toRealTime(clock, timer.due) }));

/** The fault of the request that began a pending operation, if the decision completes the operation. */
function faultOfPending([first]: readonly (RecordBase | undefined)[]): WebhookFault | undefined {
  if (first?.status !== 'pending') return undefined;
  return (first as { readonly webhookFault?: WebhookFault }).webhookFault;
}

function recordAction(
  loaded: LoadedRecord<RecordBase>,
  before: RecordBase | undefined,
  change: Change<RecordBase> | undefined,
  changeId: string,
): TransactionItem {
  if (!change) return checkRecord(loaded, before);
  return change.deleted ? deleteRecord(loaded, before) : putRecord(loaded, before, change.record, changeId);
}

/**
 * Returns what the changes add to the accounts of the journal. The journal has the positions of events, so a change without an event
 * adds nothing. That is a mistake, which the reconciliation finds. It must not refuse the money.
 */
function entriesOf(
  loaded: readonly LoadedRecord<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  changes: readonly (Change<RecordBase> | undefined)[],
): readonly MoneyEntry[] {
  const entries = entriesOfChange(
    loaded.flatMap(({ type }, index) => {
      const change = changes[index];
      if (!change) return [];
      return { type, before: before[index], after: change.deleted ? undefined : change.record };
    }),
  );
  if (entries.length === 0 || changes.some((change) => change?.events.length)) return entries;
  logger.error('money without an event', { record: loaded[0]?.id, entries });
  return [];
}

/** What the audit log records of a decision. Undefined if the decision has no effect or no known actor. */
function auditedChange<Rs extends readonly RecordBase[], A>(
  loaded: readonly LoadedRecord<RecordBase>[],
  decision: Decision<Rs, A>,
  { origin }: CommitContext,
): AuditedChange | undefined {
  const { changes, changedSettings = [], hasOtherEffect, auditedAs } = decision;
  if (!origin || !(hasOtherEffect || changes.some((change) => change !== undefined))) return undefined;
  const prefix = auditedPrefix(origin.action);
  const resource =
    auditedAs ?? loaded.find(({ id }) => prefix !== undefined && id.startsWith(prefix))?.id ?? null;
  return { ...origin, resource, changes: changedSettings };
}

function followUpsOf(
  changes: readonly (Change<RecordBase> | undefined)[],
  moreTimers: readonly Timer[] = [],
): Omit<FollowUps, 'audited' | 'entries' | 'webhookFault'> {
  const present = changes.flatMap((change) => change ?? []);
  return {
    indexEntries: present.flatMap(withFacts),
    events: present.flatMap(({ events }) => events),
    timers: [...present.flatMap(({ timers }) => timers), ...moreTimers],
    ...(present.some(({ issuesDocuments }) => issuesDocuments) && { documents: true as const }),
  };
}

/** Returns the index entry of a change with the facts of its record. */
function withFacts({ indexEntry, record }: Change<RecordBase>): IndexEntry[] {
  return indexEntry ? [{ ...indexEntry, facts: factsOf(record as RecordBase & Partial<RecordFacts>) }] : [];
}

/**
 * The action on an idempotency record: that of this request, or that of the pending request that the decision
 * completes.
 */
async function keyItemOf<Rs extends readonly RecordBase[], A>(
  { id, owner }: LoadedRecord<RecordBase>,
  { pendingOperation, completes, answer }: Decision<Rs, A>,
  { indexEntries }: Pick<FollowUps, 'indexEntries'>,
  { clock: { real: now }, key }: CommitContext,
): Promise<TransactionItem | undefined> {
  if (completes) {
    const { keyHash, fingerprint, status } = completes;
    const reply = { status, body: JSON.stringify(answer) };
    return completeKey({ owner, keyHash }, { final: true, fingerprint, indexEntries, ...reply }, id, now);
  }
  if (!key) return undefined;
  const { fingerprint, status, sealing } = key;
  if (pendingOperation !== undefined)
    return putKey(key, { final: false, pendingOperation, fingerprint }, now);
  const text = JSON.stringify(answer);
  const reply = sealing
    ? { status, body: await sealing.seal(text, key.keyHash), confidential: true }
    : { status, body: text };
  return putKey(key, { final: true, fingerprint, indexEntries, ...reply }, now);
}

/** The parts of the transaction, in its order. */
const partNames = ['records', 'reserves', 'deletes', 'puts', 'bumps', 'outbox', 'key'] as const;
/** The actions of the transaction, or their results. */
type Parts<Action> = Readonly<Record<(typeof partNames)[number], readonly Action[]>>;

/** Writes all parts or none. Returns undefined if they were written, otherwise the results of their actions. */
async function writeParts(
  parts: Parts<TransactionItem>,
  token: string,
): Promise<Parts<FailedAction> | undefined> {
  const result = await writeTransaction(
    partNames.flatMap((name) => parts[name]),
    token,
  );
  if (result.written) return undefined;
  let end = 0;
  const resultsOf = (name: (typeof partNames)[number]) => {
    const start = end;
    end += parts[name].length;
    return [name, result.failed.slice(start, end)];
  };
  return Object.fromEntries(partNames.map(resultsOf));
}

/** Returns the error of the first item that exists already. @param failed the results of the reservations */
function refusalOf(reserves: readonly Reservation[], failed: readonly FailedAction[]): ApiError | undefined {
  const index = failed.findIndex((action) => action.failed);
  return reserves[index]?.refuse(failed[index]?.item ?? {});
}

function resultOfFailure<Rs extends readonly RecordBase[], A>(
  loaded: readonly LoadedRecord<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  { records: failed, reserves: failedReserves, key: [keyFailure] }: Parts<FailedAction>,
  { completes, reserves = [] }: Decision<Rs, A>,
  now: Instant,
): WriteResult {
  const error = refusalOf(reserves, failedReserves);
  if (keyFailure?.failed && completes) return { kind: 'already completed' };
  const taken = keyFailure?.failed ? fromIdempotencyItem(keyFailure.item, now) : undefined;
  if (taken) return { kind: 'key taken', idempotency: taken };
  // A change of the record also explains why its item was moved. So the command decides again, and knows better why it is refused.
  if (error && !failed.some((action) => action?.failed)) return { kind: 'refused', error };
  const records = loaded.map(({ type, owner }, index) => {
    const action = failed[index];
    return action?.failed ? fromItem(type, owner, action.item as Item | undefined) : before[index];
  });
  return { kind: 'version conflict', records };
}
