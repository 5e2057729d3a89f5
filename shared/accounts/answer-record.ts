/**
 * Stores the answer of a request that changes API keys under its idempotency key.
 *
 * - The answer is written in the transaction of the change. So one never exists without the other. The answer contains the
 *   value of a new key, which is stored nowhere else, so it is encrypted.
 * - The record is pending until the account state has the entries of the changed keys. A repetition first completes the change,
 *   and then gets the same bytes.
 * - A change that is undone frees the idempotency key in the same transaction.
 */
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { Command, type Committed } from '../store/commit/command.ts';
import { replay } from '../store/commit/commit.ts';
import {
  fromIdempotencyItem,
  isPending,
  keyIsFree,
  type RequestKey,
  toIdempotencyItem,
} from '../store/commit/idempotency-records.ts';
import { tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { readTransaction, type TransactionItem, writeTransaction } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';

/** What a change of an API key adds to its transactions. */
export interface AnswerRecord<Change> {
  /**
   * Returns the action that stores the answer to a change.
   * @param hash the hash of the key that changes. A repetition completes the change of this key.
   */
  begin(change: Change, hash: string): Promise<TransactionItem>;
  /** Returns the action that forgets the answer. It fails if a repetition has completed the change. */
  release(hash: string): TransactionItem;
}

interface KeyRequest<Change, Answer> {
  readonly key: RequestKey | undefined;
  readonly now: Instant;
  /** Makes the change. Uses the record in the transaction that makes it, unless there is nothing to change. */
  readonly change: (record: AnswerRecord<Change> | undefined) => Promise<Change>;
  readonly show: (change: Change) => Answer;
  /** Completes the interrupted change of the key with this hash. It can be complete already. */
  readonly complete: (hash: string, record: AnswerRecord<Change>) => Promise<unknown>;
}

/** Returns the command of a request that changes API keys. The account state is never part of a transaction. */
export function keyCommand<Change, Answer>(request: KeyRequest<Change, Answer>): Command<[], Answer> {
  const pending = { changes: [] as [], answer: undefined as Answer, pendingOperation: 'change of API keys' };
  return new Command<[], Answer>([], () => pending, {
    resume: async (_, records) => {
      const { key, change, show } = request;
      if (!key) return { answer: show(await change(undefined)) };
      // Without records, the request repeats an earlier one.
      const repeated = records ? undefined : await repeat(request, key);
      return repeated ?? answerOnce(request, key);
    },
  });
}

async function answerOnce<Change, Answer>(
  request: KeyRequest<Change, Answer>,
  key: RequestKey,
): Promise<Committed<Answer>> {
  const { now, change, show } = request;
  let begun: Item | undefined;
  const record: AnswerRecord<Change> = {
    begin: async (changed, hash) => {
      begun = await toItem(key, show(changed), now);
      return put({ ...begun, final: false, intent: hash }, keyIsFree(now));
    },
    release: (hash) => releaseOf(key, hash, now),
  };
  try {
    const changed = await change(record);
    const item = begun ?? (await toItem(key, show(changed), now));
    const { written } = await finish(item, begun ? undefined : keyIsFree(now));
    if (written || begun) return { answer: show(changed) };
    throw new Error('Another request used the idempotency key at the same time.');
  } catch (error) {
    // The same request can have made the change at the same time, which this one then finds made.
    const made = await repeat(request, key);
    if (made) return made;
    throw error;
  }
}

/** Answers a repeated request. Returns undefined if the idempotency key is free. @throws ApiError `idempotency_key_reused` */
async function repeat<Change, Answer>(
  { now, complete }: KeyRequest<Change, Answer>,
  key: RequestKey,
): Promise<Committed<Answer> | undefined> {
  const [item] = await readTransaction([tableKeys.idempotency(key.owner, key.keyHash)]);
  const stored = fromIdempotencyItem(item, now);
  if (!item || !stored) return undefined;
  if (!(await key.matches(stored.fingerprint))) throw new ApiError('idempotency_key_reused');
  const { intent, ...final } = { ...item, final: true } as Item;
  if (!stored.final) {
    const release = (hash: string) => releaseOf(key, hash, now);
    const begin = () => Promise.reject(new Error('The change was begun before.'));
    await complete(String(intent), { begin, release });
    await finish(final);
  }
  const answer = fromIdempotencyItem(final, now);
  return answer && (replay(answer, key) as Promise<Committed<Answer>>);
}

/** Stores a final answer. @param condition default: the request is pending */
function finish(item: Item, condition?: object) {
  const { intent: _, ...final } = item;
  const pending = {
    ConditionExpression: 'attribute_exists(intent) AND fingerprint = :fingerprint',
    ExpressionAttributeValues: { ':fingerprint': item.fingerprint },
  };
  return writeTransaction([put(final, condition ?? pending)]);
}

function releaseOf({ owner, keyHash, fingerprint }: RequestKey, hash: string, now: Instant): TransactionItem {
  const record = { final: false, fingerprint, pendingOperation: hash } as const;
  const item = toIdempotencyItem(owner, keyHash, record, now);
  return put({ ...item, expiresAt: toSeconds(now) }, isPending(hash));
}

async function toItem(key: RequestKey, answer: unknown, now: Instant): Promise<Item> {
  const { owner, keyHash, fingerprint, status, sealing } = key;
  const text = JSON.stringify(answer);
  const body = sealing ? await sealing.seal(text, keyHash) : text;
  const reply = { status, body, ...(sealing && { confidential: true }) };
  return toIdempotencyItem(owner, keyHash, { final: true, fingerprint, indexEntries: [], ...reply }, now);
}

const put = (item: Item, condition: object): TransactionItem => ({
  Put: { TableName: env.tableName(), Item: item, ...condition },
});
