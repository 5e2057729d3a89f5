/**
 * Stores idempotency records: the answer of the request that took effect under a key, for 24 hours. `commit.ts` writes
 * them in the transaction of that effect, so one never exists without the other.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { hasExpired, type Instant, toSeconds } from '../../base/time.ts';
import { dynamodb } from '../client.ts';
import { tableKeys } from '../keys.ts';
import { type IndexEntry, storedIndexEntries, toStoredEntry } from '../lists/pages/index-pages.ts';
import type { Item } from '../records.ts';
import { compressibleText, count, defineItem, flag, integer, optional, text } from '../stored-fields.ts';
import { toStoredText } from '../stored-text.ts';

/** The idempotency key of a request, and how its answer is stored. */
export interface RequestKey {
  readonly owner: Owner;
  readonly keyHash: string;
  readonly fingerprint: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Set if the answer contains a secret, so it is stored encrypted. */
  readonly sealing?: Sealing | undefined;
  /** Throws if the caller may not get the stored answer again. */
  readonly permitReplay?: ((answer: unknown) => void) | undefined;
  /** Whether a stored fingerprint is that of this request. */
  readonly matches: (fingerprint: string) => Promise<boolean>;
}

/** Encrypts and decrypts answers. The context identifies the item that stores the answer. */
export interface Sealing {
  readonly seal: (text: string, context: string) => Promise<string>;
  readonly unseal: (sealedText: string, context: string) => Promise<string>;
}

const retentionSeconds = 24 * 60 * 60;

/** An answer as it was sent. Each repetition of the request gets the same status and the same bytes. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** The body contains a secret, so it is stored encrypted. */
  readonly confidential?: boolean;
}

/** The record of a key: the answer or, until it exists, the pending operation from which the request resumes. */
export type IdempotencyRecord = {
  /** Identifies the request that it answers, see `shared/api/http/request-key.ts`. */
  readonly fingerprint: string;
} & (
  | (Reply & {
      readonly final: true;
      /** A replay adds these entries again, because the first request may have ended before it added them. */
      readonly indexEntries: readonly IndexEntry[];
    })
  | {
      readonly final: false;
      /** The id of the record that the request has made so far. */
      readonly pendingOperation: string;
    }
);

/** The condition under which a key is free: it has no record, or one that has expired (TTL deletes late). */
export const keyIsFree = (now: Instant) => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
  ExpressionAttributeValues: { ':now': toSeconds(now) },
});

/** The condition that the request of the pending operation `id` does not have an answer yet: the answer replaces the item. */
export const isPending = (id: string) => ({
  ConditionExpression: 'pendingOperation = :id',
  ExpressionAttributeValues: { ':id': id },
});

/** Reads the record of a key, strongly consistent. Returns undefined if it does not exist or has expired. */
export async function readIdempotency(
  owner: Owner,
  keyHash: string,
  now: Instant,
): Promise<IdempotencyRecord | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.idempotency(owner, keyHash),
      ConsistentRead: true,
    }),
  );
  return fromIdempotencyItem(item, now);
}

/**
 * Returns the record in an item, or undefined if the item does not exist or has expired.
 * @throws MalformedItemError
 */
export function fromIdempotencyItem(item: Item | undefined, now: Instant): IdempotencyRecord | undefined {
  if (!item || hasExpired(item.expiresAt, now)) return undefined;
  const { fingerprint, pendingOperation } = parseRecord(item);
  if (pendingOperation !== undefined) return { final: false, fingerprint, pendingOperation };
  const { status, body, confidential, indexEntries } = parseAnswer(item);
  return { final: true, fingerprint, status, body, ...(confidential && { confidential }), indexEntries };
}

const nameOf = ({ pk }: Item) => String(pk);

const parseRecord = defineItem<{
  readonly fingerprint: string;
  readonly pendingOperation: string | undefined;
  readonly expiresAt: number;
}>(nameOf, { fingerprint: text, pendingOperation: optional(text), expiresAt: integer });

const parseAnswer = defineItem<
  Omit<Reply, 'confidential'> & { readonly confidential: boolean | undefined } & {
    readonly indexEntries: readonly IndexEntry[];
  }
>(
  nameOf,
  { status: count, body: compressibleText, confidential: optional(flag), indexEntries: storedIndexEntries },
  ['body'],
);

/** Returns the item that stores the record for 24 hours. */
export function toIdempotencyItem(
  owner: Owner,
  keyHash: string,
  record: IdempotencyRecord,
  now: Instant,
): Item {
  const stored = record.final
    ? { ...replyOf(record), indexEntries: record.indexEntries.map(toStoredEntry) }
    : { pendingOperation: record.pendingOperation };
  return {
    ...tableKeys.idempotency(owner, keyHash),
    fingerprint: record.fingerprint,
    ...stored,
    expiresAt: Math.ceil(now / 1000) + retentionSeconds,
  };
}

const replyOf = ({ status, body, confidential }: Reply) => ({
  status,
  // An encrypted body cannot be compressed.
  body: confidential ? body : toStoredText(body),
  ...(confidential && { confidential }),
});
