/**
 * Commit: the one way in which records change. A change is one transaction of the records (each conditional on the
 * version it was decided upon), the idempotency record (if a key was sent) and the outbox item.
 *
 * Invariants: decision and write agree on the records' versions, so races have one winner; a key's answer exists
 * if and only if its effect does; under a key, no refusal is answered that was not decided on a state read
 * together with the key's record, so that a repetition never sees a state rule broken by its own first try.
 */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { logger } from '../log.ts';
import { measured } from '../metrics.ts';
import { decrypt, encrypt } from '../secrets/encryption.ts';
import type { Instant } from '../time.ts';
import { checkRecord, closeKey, deleteRecord, put, putKey, putRecord } from './change-items.ts';
import { retryDelayMs } from './client.ts';
import { fromIdempotencyItem, type IdempotencyRecord, type Reply } from './idempotency-records.ts';
import { addElements } from './index-pages.ts';
import { keys } from './keys.ts';
import { type FollowUps, toOutboxItem } from './outbox.ts';
import { fromItem, type Item, type Reading, type RecordBase, readRecord } from './records.ts';
import { readTransaction, type TransactionItem, writeTransaction } from './transactions.ts';
import type { Change, Committed, Decision, Records, Transition } from './transition.ts';

/** The idempotency key of a request, and how to tell whether a record answers this very request. */
export interface RequestKey {
  readonly owner: Owner;
  readonly keyHash: string;
  readonly fingerprint: string;
  readonly matches: (fingerprint: string) => Promise<boolean>;
}

/** Who asks, and in which form the answer goes out. */
export interface Asked {
  readonly now: Instant;
  readonly key: RequestKey | undefined;
  /** Makes the answer's status and bytes, which a key's record keeps. */
  readonly toReply: (answer: unknown) => Reply;
}

/** With the waits between them, some twenty seconds of being overtaken again and again. */
const maxRounds = 30;
/** The first losses are decided again at once, on the state that made the write fail. */
const promptRounds = 2;

/**
 * Decides, writes, and adds the changes to the index, so that every list that begins after the answer shows them.
 * An intent is then gone on from.
 * @throws ApiError what `decide` throws, or `idempotency_key_reused`
 */
export async function commit<Rs extends readonly RecordBase[]>(
  transition: Transition<Rs>,
  asked: Asked,
): Promise<Committed> {
  const { now, key, toReply } = asked;
  const readings: readonly Reading<RecordBase>[] = transition.readings;
  let records = readings.map(({ record }) => record);
  let mayRefuse = !key || readings.some(({ type, id }) => !type.isId(id));
  let answersOpen = true;
  for (let round = 0; round < maxRounds; ) {
    let decision: Decision<Rs>;
    try {
      decision = transition.decide(...(records as unknown as Records<Rs>));
    } catch (refusal) {
      if (mayRefuse || !key) throw refusal;
      const snapshot = await readSnapshot(readings, key, now);
      if (snapshot.idempotency) return repeat(snapshot.idempotency, key, transition);
      records = snapshot.records;
      mayRefuse = true;
      continue;
    }
    const reply = toReply(decision.answer);
    if (!answersOpen) decision = { ...decision, answers: undefined };
    const outcome = await write(readings, records, decision, now, key, reply);
    if (outcome.kind === 'written') return answer(transition, decision, records, reply);
    if (outcome.kind === 'key taken' && key) return repeat(outcome.idempotency, key, transition);
    if (outcome.kind === 'overtaken') records = outcome.records;
    if (outcome.kind === 'request closed') answersOpen = false;
    mayRefuse = !key;
    round += 1;
    if (round > promptRounds) records = await readLater(readings, records, round);
  }
  throw new Error(`Record ${readings[0]?.id} was overtaken ${maxRounds} times.`);
}

/**
 * The kept answer of an earlier request, after its index elements were added once more; from an intent, the request
 * goes on.
 * @throws ApiError `idempotency_key_reused` if that request was a different one
 */
export async function repeat<Rs extends readonly RecordBase[]>(
  kept: IdempotencyRecord,
  key: RequestKey,
  transition?: Transition<Rs>,
): Promise<Committed> {
  if (!(await key.matches(kept.fingerprint))) throw new ApiError('idempotency_key_reused');
  if (kept.final) {
    await addElements(key.owner, kept.elements);
    const body = kept.confidential ? await decrypt(kept.body, key.keyHash) : kept.body;
    return { status: kept.status, body, replayed: true };
  }
  if (!transition?.proceed) throw new Error(`Nothing goes on from the intent ${kept.intent}.`);
  return transition.proceed(kept.intent, undefined);
}

/** The answer to a decision that was written; the records as they are now are those of its changes. */
function answer<Rs extends readonly RecordBase[]>(
  { proceed }: Transition<Rs>,
  { intent, changes }: Decision<Rs>,
  before: readonly (RecordBase | undefined)[],
  reply: Reply,
): Promise<Committed> | Committed {
  if (intent === undefined) return { ...reply, replayed: false };
  if (!proceed) throw new Error(`Nothing goes on from the intent ${intent}.`);
  const after = before.map((record, index) => changes[index]?.record ?? record);
  return proceed(intent, after as unknown as Records<Rs>);
}

/** Where many write at once, waits apart from the others and reads afresh, so that the next write has a chance. */
async function readLater(
  readings: readonly Reading<RecordBase>[],
  records: readonly (RecordBase | undefined)[],
  round: number,
): Promise<(RecordBase | undefined)[]> {
  await new Promise((resolve) => setTimeout(resolve, retryDelayMs(round)));
  const read = readings.map(async ({ type, owner, id }, index) =>
    // One that is to be created is not there.
    records[index] ? (await readRecord(type, owner, id)).record : undefined,
  );
  return Promise.all(read);
}

type Outcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'key taken'; readonly idempotency: IdempotencyRecord }
  /** The open request that the decision would have answered is answered, or its time is over. */
  | { readonly kind: 'request closed' }
  | { readonly kind: 'overtaken'; readonly records: (RecordBase | undefined)[] };

async function write<Rs extends readonly RecordBase[]>(
  readings: readonly Reading<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  decision: Decision<Rs>,
  now: Instant,
  key: RequestKey | undefined,
  reply: Reply,
): Promise<Outcome> {
  const changes: readonly (Change<RecordBase> | undefined)[] = decision.changes;
  const [first] = readings;
  if (!first || (!key && !decision.answers && changes.every((change) => !change))) return { kind: 'written' };
  const changeId = randomUUID();
  const followUps = together(changes);
  const outbox = toOutboxItem(first.owner, changeId, now, followUps);
  const kept = reply.confidential && key ? { ...reply, body: await encrypt(reply.body, key.keyHash) } : reply;
  const keyItem = keyItemOf(first, decision, followUps, now, key, kept);
  const items = [
    ...readings.map((reading, index) => {
      const change = changes[index];
      if (!change) return checkRecord(reading, before[index]);
      if (change.gone) return deleteRecord(reading, before[index]);
      return putRecord(reading, before[index], change.record, changeId);
    }),
    ...(outbox ? [put({ ...outbox })] : []),
    ...(keyItem ? [keyItem] : []),
  ];

  const verdict = await writeTransaction(items, changeId);
  if (!verdict.written) {
    const failed = verdict.failed.slice(0, readings.length);
    // A condition that failed on what this very change has left behind: its first try was written.
    if (!failed.some(({ item }) => item?.change === changeId)) {
      const keyFailure = keyItem ? verdict.failed.at(-1) : undefined;
      return lost(readings, before, failed, keyFailure, decision.answers !== undefined, now);
    }
  }
  for (const { id: event, type } of followUps.events) {
    logger.info('event', { event, ...measured({ Events: 1 }, { mode: first.owner.mode, type }) });
  }
  // Of an intent, lists need not know before it has led to an answer.
  if (decision.intent === undefined) await addElements(first.owner, followUps.elements);
  return { kind: 'written' };
}

/** What a transaction was lost to; the idempotency record is judged first. */
function lost(
  readings: readonly Reading<RecordBase>[],
  before: readonly (RecordBase | undefined)[],
  failed: readonly { failed: boolean; item: Item | undefined }[],
  keyFailure: { failed: boolean; item: Item | undefined } | undefined,
  closes: boolean,
  now: Instant,
): Outcome {
  if (keyFailure?.failed && closes) return { kind: 'request closed' };
  const taken = keyFailure?.failed ? fromIdempotencyItem(keyFailure.item, now) : undefined;
  if (taken) return { kind: 'key taken', idempotency: taken };
  const records = readings.map(({ type, owner }, index) => {
    const failure = failed[index];
    return failure?.failed ? fromItem(type, owner, failure.item) : before[index];
  });
  return { kind: 'overtaken', records };
}

function together(changes: readonly (Change<RecordBase> | undefined)[]): FollowUps {
  const made = changes.flatMap((change) => change ?? []);
  return {
    elements: made.flatMap(({ element }) => element ?? []),
    events: made.flatMap(({ events }) => events),
    timers: made.flatMap(({ timers }) => timers),
  };
}

/** The action on the idempotency record: of this request, or of the open one that is answered at last. */
function keyItemOf<Rs extends readonly RecordBase[]>(
  { id, owner }: Reading<RecordBase>,
  { intent, answers }: Decision<Rs>,
  { elements }: FollowUps,
  now: Instant,
  key: RequestKey | undefined,
  reply: Reply,
): TransactionItem | undefined {
  if (answers) {
    const { keyHash, fingerprint } = answers;
    return closeKey({ owner, keyHash }, { final: true, ...reply, fingerprint, elements }, id, now);
  }
  if (!key) return undefined;
  const { fingerprint } = key;
  return putKey(
    key,
    intent === undefined
      ? { final: true, ...reply, fingerprint, elements }
      : { final: false, intent, fingerprint },
    now,
  );
}

/** Records and idempotency record as they were at one moment. */
async function readSnapshot(
  readings: readonly Reading<RecordBase>[],
  key: RequestKey,
  now: Instant,
): Promise<{ records: (RecordBase | undefined)[]; idempotency: IdempotencyRecord | undefined }> {
  const items = await readTransaction([
    ...readings.map(({ type, owner, id }) => type.keyOf(owner, id)),
    keys.idempotency(key.owner, key.keyHash),
  ]);
  return {
    records: readings.map(({ type, owner }, index) => fromItem(type, owner, items[index])),
    idempotency: fromIdempotencyItem(items.at(-1), now),
  };
}
