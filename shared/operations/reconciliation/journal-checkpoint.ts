/**
 * Stores how far a comparison of the journal has come, so that the next invocation continues there.
 *
 * - Each checkpoint has a name of its own and never changes. So messages that arrive twice cannot mix their folds.
 * - A fold of many days is larger than an item can be. So its compressed form is cut into parts.
 */
import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Owner } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { deleteItems, putItems } from '../../store/batch-write.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { binary, defineItem, MalformedItemError } from '../../store/stored-fields.ts';
import { type FoldContent, FoldedJournal } from './folded-journal.ts';

/** Names a stored fold. */
export interface Checkpoint {
  readonly id: string;
  /** The number of its items. */
  readonly parts: number;
}

/** An item of DynamoDB has at most 400 KB. */
const partBytes = 350_000;
/** A message waits for 14 days in a dead-letter queue. */
const retentionSeconds = 14 * 24 * 60 * 60;

/** Stores a fold. DynamoDB deletes it after 14 days, if `deleteCheckpoint` does not. */
export async function putCheckpoint(owner: Owner, fold: FoldedJournal, now: Instant): Promise<Checkpoint> {
  const bytes = new Uint8Array(gzipSync(JSON.stringify(fold.toContent())));
  const id = randomUUID();
  const parts = Math.ceil(bytes.length / partBytes);
  const expiresAt = toSeconds(now) + retentionSeconds;
  await putItems(
    Array.from({ length: parts }, (_, part) => ({
      ...tableKeys.journalFold(owner, id, part),
      content: bytes.slice(part * partBytes, (part + 1) * partBytes),
      expiresAt,
    })),
  );
  return { id, parts };
}

/**
 * Returns a stored fold. Undefined if it was deleted: another invocation has continued it.
 * @throws MalformedItemError
 */
export async function readCheckpoint(
  owner: Owner,
  { id, parts }: Checkpoint,
): Promise<FoldedJournal | undefined> {
  const { pk, sk } = tableKeys.journalFold(owner, id, 0);
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': pk,
      ':first': sk,
      ':last': tableKeys.journalFold(owner, id, parts - 1).sk,
    },
  });
  if (items.length < parts) return undefined;
  const bytes = Buffer.concat(items.map((item) => parsePart(item).content));
  return FoldedJournal.fromContent(owner, toContent(bytes, `${pk}#${sk}`));
}

/** Deletes a stored fold that no message needs. */
export async function deleteCheckpoint(owner: Owner, { id, parts }: Checkpoint): Promise<void> {
  await deleteItems(Array.from({ length: parts }, (_, part) => tableKeys.journalFold(owner, id, part)));
}

const parsePart = defineItem<{ readonly content: Uint8Array }>(({ pk, sk }: Item) => `${pk}#${sk}`, {
  content: binary,
});

function toContent(bytes: Uint8Array, name: string): FoldContent {
  try {
    return JSON.parse(gunzipSync(bytes).toString()) as FoldContent;
  } catch (cause) {
    throw new MalformedItemError(name, 'its content is not compressed JSON', { cause });
  }
}
