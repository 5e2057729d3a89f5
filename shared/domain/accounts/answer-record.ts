/**
 * Stores the answer of a request that changes API keys or the account under its idempotency key, in the transaction of the change. So one
 * never exists without the other. An answer with the value of a new key, which is stored nowhere else, is encrypted.
 */
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import { type Committed, RecordedChange } from '../../store/commit/command.ts';
import { replay } from '../../store/commit/commit.ts';
import {
  keyIsFree,
  type RequestKey,
  readIdempotency,
  toIdempotencyItem,
} from '../../store/commit/idempotency-records.ts';
import { type TransactionItem, type TransactionResult, writeTransaction } from '../../store/transactions.ts';

/** Returns the action that stores the answer to a change. It is the last action of the transaction of the change. */
export type AnswerRecord<Change> = (change: Change) => Promise<TransactionItem>;

/** @throws Error if the transaction failed because another request has used the idempotency key */
export function requireFreeKey(result: TransactionResult): void {
  if (!result.written && result.failed.at(-1)?.failed)
    throw new Error('Another request used the idempotency key at the same time.');
}

interface KeyRequest<Change, Answer> {
  readonly key: RequestKey | undefined;
  readonly now: Instant;
  /** Makes the change. Uses the record in the transaction that makes it, unless there is nothing to change. */
  readonly change: (record: AnswerRecord<Change> | undefined) => Promise<Change>;
  readonly show: (change: Change) => Answer;
}

/** Returns the change of a request that changes items without a version. */
export const recordedChange = <Change, Answer>(request: KeyRequest<Change, Answer>): RecordedChange<Answer> =>
  new RecordedChange(() => answerOnce(request));

async function answerOnce<Change, Answer>({
  key,
  now,
  change,
  show,
}: KeyRequest<Change, Answer>): Promise<Committed<Answer>> {
  if (!key) return { answer: show(await change(undefined)) };
  let isRecorded = false;
  const record = async (changed: Change) => {
    isRecorded = true;
    return putAnswer(key, show(changed), now);
  };
  try {
    const changed = await change(record);
    if (!isRecorded) requireFreeKey(await writeTransaction([await putAnswer(key, show(changed), now)]));
    return { answer: show(changed) };
  } catch (error) {
    // The same request can have made the change at the same time, which this one then finds made.
    const stored = await readIdempotency(key.owner, key.keyHash, now);
    if (stored) return replay<[], Answer>(stored, key);
    throw error;
  }
}

async function putAnswer(key: RequestKey, answer: unknown, now: Instant): Promise<TransactionItem> {
  const { owner, keyHash, fingerprint, status, sealing } = key;
  const text = JSON.stringify(answer);
  const body = sealing ? await sealing.seal(text, keyHash) : text;
  const reply = { status, body, ...(sealing && { confidential: true }) };
  const record = { final: true, fingerprint, indexEntries: [], ...reply } as const;
  const item = toIdempotencyItem(owner, keyHash, record, now);
  return { Put: { TableName: env.tableName(), Item: item, ...keyIsFree(now) } };
}
