/**
 * Writes a decision in one transaction:
 *
 * - the records, each conditional on the version on which the decision is based
 * - the idempotency record, if the request has a key
 * - the outbox item, if anything follows from the decision or the audit log records it
 */
import { randomUUID } from 'node:crypto';
import type { AuditOrigin } from '../../audit-origin.ts';
import { logger } from '../../log.ts';
import { metricFields } from '../../metrics.ts';
import { encrypt } from '../../secrets/encryption.ts';
import type { Instant } from '../../time.ts';
import { addIndexEntries } from '../index/add-index-entries.ts';
import { fromItem, type Item, type LoadedRecord, type RecordBase } from '../records.ts';
import { type FailedAction, type TransactionItem, writeTransaction } from '../transactions.ts';
import { type AuditedChange, auditedPrefix } from './audited-change.ts';
import {
  checkRecord,
  completeKey,
  deleteItem,
  deleteRecord,
  put,
  putKey,
  putRecord,
} from './change-items.ts';
import type { Change, Decision } from './command.ts';
import { fromIdempotencyItem, type IdempotencyRecord, type RequestKey } from './idempotency-records.ts';
import { type FollowUps, toOutboxItem } from './outbox-item.ts';

/** The request that a change belongs to. */
export interface CommitContext {
  readonly now: Instant;
  /** Undefined if the request has no idempotency key, or if no request waits for the change. */
  readonly key: RequestKey | undefined;
  /** Who makes the change. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
}

export type WriteResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'key taken'; readonly idempotency: IdempotencyRecord }
  /** The request that the decision would have completed already has an answer, or has expired. */
  | { readonly kind: 'already completed' }
  | { readonly kind: 'version conflict'; readonly records: (RecordBase | undefined)[] };

/** The status for pending requests that an earlier release stored without one. All of them created payments. */
const defaultPendingStatus = 201;

/**
 * Writes `decision`, then adds its index entries.
 * @param before the records on which the decision is based
 * @returns whether it was written, or why not. The idempotency record is checked before the versions.
 */
export async function writeDecision<Rs extends readonly RecordBase[], A>(
  loaded: readonly LoadedRecord<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  decision: Decision<Rs, A>,
  context: CommitContext,
): Promise<WriteResult> {
  const { now, key } = context;
  const changes: readonly (Change<RecordBase> | undefined)[] = decision.changes;
  const [first] = loaded;
  const audited = auditedChange(loaded, decision, context);
  if (!first || (!key && !audited && !decision.completes && changes.every((change) => !change))) {
    return { kind: 'written' };
  }
  const changeId = randomUUID();
  const followUps = followUpsOf(changes);
  const outbox = toOutboxItem(first.owner, changeId, now, { ...followUps, audited });
  const keyItem = await keyItemOf(first, decision, followUps, context);
  const result = await writeTransaction(
    [
      ...loaded.map((record, index) => recordAction(record, before[index], changes[index], changeId)),
      ...(decision.deletes ?? []).map(deleteItem),
      ...(outbox ? [put(outbox)] : []),
      // Must be last, where the code below reads its failure.
      ...(keyItem ? [keyItem] : []),
    ],
    changeId,
  );
  if (!result.written) {
    const failed = result.failed.slice(0, loaded.length);
    // If the item that failed a condition carries this change's id, an earlier attempt of this change was written.
    if (!failed.some(({ item }) => item?.change === changeId)) {
      const keyFailure = keyItem && result.failed.at(-1);
      return resultOfFailure(loaded, before, failed, keyFailure, decision.completes !== undefined, now);
    }
  }
  for (const { id: event, type } of followUps.events) {
    logger.info('event', { event, ...metricFields({ Events: 1 }, { mode: first.owner.mode, type }) });
  }
  // Lists need not show a pending operation before its request has an answer.
  if (decision.pendingOperation === undefined) await addIndexEntries(first.owner, followUps.indexEntries);
  return { kind: 'written' };
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

/** What the audit log records of a decision. Undefined if the decision has no effect or no known actor. */
function auditedChange<Rs extends readonly RecordBase[], A>(
  loaded: readonly LoadedRecord<RecordBase>[],
  decision: Decision<Rs, A>,
  { origin }: CommitContext,
): AuditedChange | undefined {
  const { changes, changedSettings = [], hasOtherEffect } = decision;
  if (!origin || !(hasOtherEffect || changes.some((change) => change !== undefined))) return undefined;
  const prefix = auditedPrefix(origin.action);
  const resource = loaded.find(({ id }) => prefix !== undefined && id.startsWith(prefix))?.id ?? null;
  return { ...origin, resource, changes: changedSettings };
}

function followUpsOf(changes: readonly (Change<RecordBase> | undefined)[]): Omit<FollowUps, 'audited'> {
  const present = changes.flatMap((change) => change ?? []);
  return {
    indexEntries: present.flatMap(({ indexEntry }) => indexEntry ?? []),
    events: present.flatMap(({ events }) => events),
    timers: present.flatMap(({ timers }) => timers),
  };
}

/**
 * The action on an idempotency record: that of this request, or that of the pending request that the decision
 * completes.
 */
async function keyItemOf<Rs extends readonly RecordBase[], A>(
  { id, owner }: LoadedRecord<RecordBase>,
  { pendingOperation, completes, answer }: Decision<Rs, A>,
  { indexEntries }: Pick<FollowUps, 'indexEntries'>,
  { now, key }: CommitContext,
): Promise<TransactionItem | undefined> {
  if (completes) {
    const { keyHash, fingerprint, status = defaultPendingStatus } = completes;
    const reply = { status, body: JSON.stringify(answer) };
    return completeKey({ owner, keyHash }, { final: true, fingerprint, indexEntries, ...reply }, id, now);
  }
  if (!key) return undefined;
  const { fingerprint, status, confidential } = key;
  if (pendingOperation !== undefined)
    return putKey(key, { final: false, pendingOperation, fingerprint }, now);
  const text = JSON.stringify(answer);
  const reply = confidential
    ? { status, body: await encrypt(text, key.keyHash), confidential }
    : { status, body: text };
  return putKey(key, { final: true, fingerprint, indexEntries, ...reply }, now);
}

function resultOfFailure(
  loaded: readonly LoadedRecord<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  failed: readonly FailedAction[],
  keyFailure: FailedAction | undefined,
  completes: boolean,
  now: Instant,
): WriteResult {
  if (keyFailure?.failed && completes) return { kind: 'already completed' };
  const taken = keyFailure?.failed ? fromIdempotencyItem(keyFailure.item, now) : undefined;
  if (taken) return { kind: 'key taken', idempotency: taken };
  const records = loaded.map(({ type, owner }, index) => {
    const action = failed[index];
    return action?.failed ? fromItem(type, owner, action.item as Item | undefined) : before[index];
  });
  return { kind: 'version conflict', records };
}
