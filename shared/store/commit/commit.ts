/**
 * Commits the changes that a command of `command.ts` decides. Keys, deliveries and accounts have writes of their own.
 *
 * - Decision and write agree on the versions of the records, so a race has one winner. The loser decides again.
 * - The answer of an idempotency key exists if and only if its effect does: one transaction writes both.
 * - `commit-steps.ts` says what follows from each outcome.
 */

import type { AuditOrigin } from '../../base/audit-origin.ts';
import type { Clock } from '../../base/clock.ts';
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
  type CommitOutcome,
  type CommitState,
  type CommitStep,
  initialState,
  nextStep,
} from './commit-steps.ts';
import {
  fromIdempotencyItem,
  type IdempotencyRecord,
  type RequestKey,
  readIdempotency,
} from './idempotency-records.ts';
import { type CommitContext, writeDecision } from './write-decision.ts';

/** How often a command may remove the reason of its refusal. */
const maxResolved = 3;

/**
 * Decides and writes the change of a request. Adds it to the index, so every list that begins after the answer shows
 * it. Then resumes the pending operation, if the decision left one. If the command removes the reason of a refusal, all
 * this begins again.
 * @returns the answer of this request, or the stored answer of an earlier request under the same key
 * @throws ApiError `idempotency_key_reused`, or an error of `decide`, `resolveRefusal` or an item that only one change can put
 * @throws Error after 30 version conflicts
 */
export async function commit<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  context: CommitContext,
): Promise<Committed<A>> {
  const loaded: readonly LoadedRecord<RecordBase>[] = command.loaded;
  let records: Records = loaded.map(({ record }) => record);
  for (let resolved = 0; ; resolved++) {
    try {
      return await commitOn(records, command, context);
    } catch (refusal) {
      if (resolved === maxResolved || !(await command.resolveRefusal?.(refusal))) throw refusal;
      records = await readAgain(loaded, records);
    }
  }
}

type Records = CommitState['records'];

/** Decides on these records first, and takes the steps that follow. */
async function commitOn<Rs extends readonly RecordBase[], A>(
  first: Records,
  command: Command<Rs, A>,
  context: CommitContext,
): Promise<Committed<A>> {
  const { key } = context;
  const { real: now } = context.clock;
  const loaded: readonly LoadedRecord<RecordBase>[] = command.loaded;
  let state = initialState(
    first,
    key !== undefined,
    loaded.some(({ type, id }) => !type.isId(id)),
  );
  let step: CommitStep = { do: 'decide' };
  let decision: Decision<Rs, A> | undefined;
  const take = async (): Promise<CommitOutcome> => {
    const { records, conflicts, isAlreadyCompleted } = state;
    if (step.do === 'wait and read') {
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(conflicts)));
      return { kind: 'read', records: await readAgain(loaded, records) };
    }
    if (step.do === 'read snapshot' && key) return readSnapshot(loaded, key, now);
    if (step.do === 'read key' && key) {
      const idempotency = await readIdempotency(key.owner, key.keyHash, now);
      return { kind: 'key read', idempotency, error: step.error };
    }
    try {
      decision = command.decide(...(records as unknown as PresentRecords<Rs>));
    } catch (error) {
      return { kind: 'not decided', error };
    }
    if (isAlreadyCompleted) decision = { ...decision, completes: undefined };
    return writeDecision(loaded, records, decision, context);
  };
  for (;;) {
    ({ state, step } = nextStep(state, await take()));
    if (step.do === 'throw') throw step.error;
    if (step.do === 'replay' && key) return replay(step.idempotency, key, command);
    if (step.do === 'answer' && decision) return resumeOrAnswer(command, decision, state.records);
  }
}

/**
 * Commits a change that no request waits for.
 * @param origin who makes it. Undefined: the audit log does not record it
 * @returns the answer of the decision
 * @throws Error as `commit`
 */
export async function commitInBackground<Rs extends readonly RecordBase[], A>(
  command: Command<Rs, A>,
  clock: Clock,
  origin?: AuditOrigin,
): Promise<A> {
  return (await commit(command, { clock, key: undefined, origin })).answer;
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

async function readAgain(loaded: readonly LoadedRecord<RecordBase>[], records: Records): Promise<Records> {
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
): Promise<CommitOutcome> {
  const items = await readTransaction([
    ...loaded.map(({ type, owner, id }) => type.keyOf(owner, id)),
    tableKeys.idempotency(key.owner, key.keyHash),
  ]);
  return {
    kind: 'snapshot',
    records: loaded.map(({ type, owner }, index) => fromItem(type, owner, items[index])),
    idempotency: fromIdempotencyItem(items.at(-1), now),
  };
}
