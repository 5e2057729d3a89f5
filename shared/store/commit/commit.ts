/**
 * Commits the changes that a command of `command.ts` decides. Keys, deliveries and accounts have writes of their own.
 *
 * - Decision and write agree on the versions of the records, so a race has one winner. The loser decides again.
 * - The answer of an idempotency key exists if and only if its effect does: one transaction writes both.
 * - Under a key, a request is refused only on a state that was read together with the key's record. So a repetition
 *   never fails on the state that its own first attempt left.
 */
import { noteEffect } from '../../base/deadline.ts';
import { ApiError } from '../../base/errors.ts';
import type { Instant } from '../../base/time.ts';
import { retryDelayMs } from '../client.ts';
import { tableKeys } from '../keys.ts';
import { addIndexEntries } from '../lists/pages/add-index-entries.ts';
import { fromItem, type LoadedRecord, type RecordBase, readRecord } from '../records.ts';
import { readTransaction } from '../transactions.ts';
import type { Command, Committed, Decision, PresentRecords } from './command.ts';
import {
  fromIdempotencyItem,
  type IdempotencyRecord,
  type RequestKey,
  readIdempotency,
} from './idempotency-records.ts';
import { type CommitContext, writeDecision } from './write-decision.ts';

/** With the waits between them, about 20 seconds of version conflicts. */
const maxAttempts = 30;
/** After the first conflicts, the command decides again immediately, on the records that made the write fail. */
const immediateAttempts = 2;
/** How often a command may remove the reason of its refusal. */
const maxResolved = 3;

/**
 * Decides and writes the change of a request. Adds it to the index, so every list that begins after the answer shows
 * it. Then resumes the pending operation, if the decision left one.
 * @returns the answer of this request, or the stored answer of an earlier request under the same key
 * @throws ApiError `idempotency_key_reused`, or an error of `decide`, `resolveRefusal` or an item that only one change can put
 * @throws Error after 30 version conflicts
 */
export async function commit<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  context: CommitContext,
): Promise<Committed<A>> {
  const { now, key } = context;
  const loaded: readonly LoadedRecord<RecordBase>[] = command.loaded;
  let records = loaded.map(({ record }) => record);
  let mayRefuse = !key || loaded.some(({ type, id }) => !type.isId(id));
  let isAlreadyCompleted = false;
  let resolved = 0;
  for (let attempt = 0; attempt < maxAttempts; ) {
    let decision: Decision<Rs, A>;
    try {
      decision = command.decide(...(records as unknown as PresentRecords<Rs>));
    } catch (refusal) {
      if (mayRefuse || !key) {
        if (resolved >= maxResolved || !(await command.resolveRefusal?.(refusal))) throw refusal;
        resolved += 1;
        mayRefuse = !key;
        records = await readAgain(loaded, records);
        continue;
      }
      const snapshot = await readSnapshot(loaded, key, now);
      if (snapshot.idempotency) return replay(snapshot.idempotency, key, command);
      records = snapshot.records;
      mayRefuse = true;
      continue;
    }
    if (isAlreadyCompleted) decision = { ...decision, completes: undefined };
    const result = await writeDecision(loaded, records, decision, context);
    if (result.kind === 'written') return resumeOrAnswer(command, decision, records);
    if (result.kind === 'key taken' && key) return replay(result.idempotency, key, command);
    if (result.kind === 'refused') {
      // The item is never deleted. So if this request put it before, the record of its key exists now.
      const earlier = key && (await readIdempotency(key.owner, key.keyHash, now));
      if (!key || !earlier) throw result.error;
      return replay(earlier, key, command);
    }
    if (result.kind === 'version conflict') records = result.records;
    if (result.kind === 'already completed') isAlreadyCompleted = true;
    mayRefuse = !key;
    attempt += 1;
    if (attempt > immediateAttempts) records = await waitAndRead(loaded, records, attempt);
  }
  throw new Error(`Record ${loaded[0]?.id} had ${maxAttempts} version conflicts.`);
}

/**
 * Commits a change that no request waits for.
 * @param clockOffset how far the clock of the account, which the change uses, is ahead of `now`, in milliseconds
 * @returns the answer of the decision
 * @throws Error as `commit`
 */
export async function commitInBackground<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  now: Instant,
  clockOffset?: number,
): Promise<A> {
  return (await commit(command, { now, key: undefined, clockOffset })).answer;
}

/**
 * Returns the stored answer of an earlier request, after adding its index entries again. If that request left a pending
 * operation, resumes it.
 * @throws ApiError `idempotency_key_reused` if the earlier request was a different one, or an error of `permitReplay`
 */
export async function replay<Rs extends readonly RecordBase[], A>(
  stored: IdempotencyRecord,
  key: RequestKey,
  command?: Command<Rs, A>,
): Promise<Committed<A>> {
  if (!(await key.matches(stored.fingerprint))) throw new ApiError('idempotency_key_reused');
  noteEffect();
  if (!stored.final) {
    if (!command?.resume) throw new Error(`No command resumes ${stored.pendingOperation}.`);
    return command.resume(stored.pendingOperation, undefined);
  }
  await addIndexEntries(key.owner, stored.indexEntries);
  const { status, confidential } = stored;
  const body = confidential ? await unsealAnswer(stored.body, key) : stored.body;
  const answer = JSON.parse(body);
  key.permitReplay?.(answer);
  return { answer, replayed: { status, body } };
}

function unsealAnswer(body: string, { sealing, keyHash }: RequestKey): Promise<string> {
  if (!sealing) throw new Error('The stored answer is encrypted, and this request has no key for it.');
  return sealing.unseal(body, keyHash);
}

function resumeOrAnswer<Rs extends readonly RecordBase[], A>(
  { resume }: Command<Rs, A>,
  { pendingOperation, changes, answer, completes }: Decision<Rs, A>,
  before: readonly (RecordBase | undefined)[],
): Promise<Committed<A>> | Committed<A> {
  if (pendingOperation === undefined) return completes ? { answer, completed: true } : { answer };
  if (!resume) throw new Error(`No command resumes ${pendingOperation}.`);
  const after = before.map((record, index) => changes[index]?.record ?? record);
  return resume(pendingOperation, after as unknown as PresentRecords<Rs>);
}

/** Waits with jitter and reads the records again, so many writers of one record do not collide again. */
async function waitAndRead(
  loaded: readonly LoadedRecord<RecordBase>[],
  records: readonly (RecordBase | undefined)[],
  attempt: number,
): Promise<(RecordBase | undefined)[]> {
  await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
  return readAgain(loaded, records);
}

async function readAgain(
  loaded: readonly LoadedRecord<RecordBase>[],
  records: readonly (RecordBase | undefined)[],
): Promise<(RecordBase | undefined)[]> {
  const read = loaded.map(async ({ type, owner, id }, index) =>
    // A record that this command creates does not exist yet.
    records[index] ? (await readRecord(type, owner, id)).record : undefined,
  );
  return Promise.all(read);
}

/** Reads the records and the idempotency record in one transaction. */
async function readSnapshot(
  loaded: readonly LoadedRecord<RecordBase>[],
  key: RequestKey,
  now: Instant,
): Promise<{ records: (RecordBase | undefined)[]; idempotency: IdempotencyRecord | undefined }> {
  const items = await readTransaction([
    ...loaded.map(({ type, owner, id }) => type.keyOf(owner, id)),
    tableKeys.idempotency(key.owner, key.keyHash),
  ]);
  return {
    records: loaded.map(({ type, owner }, index) => fromItem(type, owner, items[index])),
    idempotency: fromIdempotencyItem(items.at(-1), now),
  };
}
