/**
 * Commit: the one way in which records change. A change is one transaction of the record (conditional on the
 * version it was decided upon), the idempotency record (if a key was sent) and the outbox item.
 *
 * Invariants: decision and write agree on the record's version, so races have one winner; a key's answer exists
 * if and only if its effect does; under a key, no refusal is answered that was not decided on a state read
 * together with the key's record, so that a repetition never sees a state rule broken by its own first try.
 */
import { randomUUID } from 'node:crypto';
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { isRecordId, type Owner } from '../ids.ts';
import type { Instant } from '../time.ts';
import { retryDelayMs } from './client.ts';
import {
  fromIdempotencyItem,
  type IdempotencyRecord,
  keyIsFree,
  type Reply,
  toIdempotencyItem,
} from './idempotency-records.ts';
import { addElement } from './index-pages.ts';
import { keys } from './keys.ts';
import { type FollowUps, toOutboxItem } from './outbox.ts';
import {
  fromItem,
  type Item,
  type Reading,
  type RecordBase,
  type RecordType,
  readRecord,
  toItem,
} from './records.ts';
import { readTransaction, type TransactionItem, writeTransaction } from './transactions.ts';

/** A record's next state and what follows from it. */
export interface Change<T extends RecordBase> extends FollowUps {
  readonly record: T;
}

/** What a transition decides: the change (none: there is nothing to do) and the answer to the client. */
export interface Decision<T extends RecordBase> {
  readonly change: Change<T> | undefined;
  readonly answer: unknown;
}

/** A decision yet to be taken, on `reading` or, if that was overtaken, on a fresh one. `decide` is pure. */
export class Transition<T extends RecordBase> {
  readonly reading: Reading<T>;
  readonly decide: (record: T | undefined) => Decision<T>;

  /** @param decide throws `ApiError` if the record's state does not allow the request */
  constructor(reading: Reading<T>, decide: (record: T | undefined) => Decision<T>) {
    this.reading = reading;
    this.decide = decide;
  }
}

/** The idempotency key of a request, and how to tell whether a record answers this very request. */
export interface RequestKey {
  readonly owner: Owner;
  readonly keyHash: string;
  readonly fingerprint: string;
  readonly matches: (fingerprint: string) => Promise<boolean>;
}

export interface Committed extends Reply {
  /** Whether the answer is that of an earlier request under the same key. */
  readonly replayed: boolean;
}

/** With the waits between them, some twenty seconds of being overtaken again and again. */
const maxRounds = 30;
/** The first losses are decided again at once, on the state that made the write fail. */
const promptRounds = 2;

/**
 * Decides, writes, and adds the change to the index, so that every list that begins after the answer shows it.
 * @param toReply makes the answer's status and bytes, which a key's record keeps
 * @throws ApiError what `decide` throws, or `idempotency_key_reused`
 */
export async function commit<T extends RecordBase>(
  { reading, decide }: Transition<T>,
  now: Instant,
  key: RequestKey | undefined,
  toReply: (answer: unknown) => Reply,
): Promise<Committed> {
  let { record } = reading;
  let mayRefuse = !key || !isRecordId(reading.type.resource, reading.id);
  for (let round = 0; round < maxRounds; ) {
    let decision: Decision<T>;
    try {
      decision = decide(record);
    } catch (refusal) {
      if (mayRefuse || !key) throw refusal;
      const snapshot = await readSnapshot(reading, key, now);
      if (snapshot.idempotency) return replay(snapshot.idempotency, key);
      record = snapshot.record;
      mayRefuse = true;
      continue;
    }
    const reply = toReply(decision.answer);
    const outcome = await write(reading, record, decision.change, now, key, reply);
    if (outcome.kind === 'written') return { ...reply, replayed: false };
    if (outcome.kind === 'key taken' && key) return replay(outcome.idempotency, key);
    if (outcome.kind === 'overtaken') record = outcome.record;
    mayRefuse = !key;
    round += 1;
    if (round > promptRounds) record = await readLater(reading, round);
  }
  throw new Error(`Record ${reading.id} was overtaken ${maxRounds} times.`);
}

/** Where many write at once, waits apart from the others and reads afresh, so that the next write has a chance. */
async function readLater<T extends RecordBase>(
  { type, owner, id }: Reading<T>,
  round: number,
): Promise<T | undefined> {
  await new Promise((resolve) => setTimeout(resolve, retryDelayMs(round)));
  return (await readRecord(type, owner, id)).record;
}

/**
 * The kept answer of an earlier request, after its index element was added once more.
 * @throws ApiError `idempotency_key_reused` if that request was a different one
 */
export async function replay(record: IdempotencyRecord, key: RequestKey): Promise<Committed> {
  if (!(await key.matches(record.fingerprint))) throw new ApiError('idempotency_key_reused');
  if (record.element) await addElement(key.owner, record.element);
  return { status: record.status, body: record.body, replayed: true };
}

type Outcome<T> =
  | { kind: 'written' }
  | { kind: 'key taken'; idempotency: IdempotencyRecord }
  | { kind: 'overtaken'; record: T | undefined };

async function write<T extends RecordBase>(
  { type, owner, id }: Reading<T>,
  before: T | undefined,
  change: Change<T> | undefined,
  now: Instant,
  key: RequestKey | undefined,
  reply: Reply,
): Promise<Outcome<T>> {
  if (!change && !key) return { kind: 'written' };
  const changeId = randomUUID();
  const items = [change ? putRecord(type, before, change.record, changeId) : checkRecord(id, before)];
  const outbox = change && toOutboxItem(owner, changeId, now, change);
  if (outbox) items.push(put({ ...outbox }));
  if (key) items.push(putKey(key, { ...reply, fingerprint: key.fingerprint, element: change?.element }, now));

  const verdict = await writeTransaction(items, changeId);
  if (!verdict.written) {
    const [recordFailure] = verdict.failed;
    const keyFailure = key ? verdict.failed.at(-1) : undefined;
    if (recordFailure?.item?.change !== changeId) {
      const taken = keyFailure?.failed ? fromIdempotencyItem(keyFailure.item, now) : undefined;
      if (taken) return { kind: 'key taken', idempotency: taken };
      return {
        kind: 'overtaken',
        record: recordFailure?.failed ? fromItem(type, owner, recordFailure.item) : before,
      };
    }
  }
  if (change?.element) await addElement(owner, change.element);
  return { kind: 'written' };
}

function put(item: Item): TransactionItem {
  return { Put: { TableName: env.tableName(), Item: item } };
}

function putRecord<T extends RecordBase>(
  type: RecordType<T>,
  before: T | undefined,
  record: T,
  changeId: string,
): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: toItem(type, record, changeId),
      ...isUnchanged(before),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

function checkRecord(id: string, before: RecordBase | undefined): TransactionItem {
  return {
    ConditionCheck: {
      TableName: env.tableName(),
      Key: keys.record(id),
      ...isUnchanged(before),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** The condition that the record still is what the decision was taken upon. */
function isUnchanged(before: RecordBase | undefined) {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': before.version },
  };
}

function putKey(key: RequestKey, record: IdempotencyRecord, now: Instant): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: toIdempotencyItem(key.owner, key.keyHash, record, now),
      ...keyIsFree(now),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Record and idempotency record as they were at one moment. */
async function readSnapshot<T extends RecordBase>(
  { type, owner, id }: Reading<T>,
  key: RequestKey,
  now: Instant,
): Promise<{ record: T | undefined; idempotency: IdempotencyRecord | undefined }> {
  const [record, idempotency] = await readTransaction([
    keys.record(id),
    keys.idempotency(key.owner, key.keyHash),
  ]);
  return { record: fromItem(type, owner, record), idempotency: fromIdempotencyItem(idempotency, now) };
}
