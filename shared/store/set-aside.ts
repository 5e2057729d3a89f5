/**
 * Sets work aside that cannot be read: timers, outbox items and messages. So one malformed item never delays other work.
 *
 * - The item moves to a key of its own in one transaction. Nothing is lost, and nothing tries it again by itself.
 * - Setting the same item aside twice leaves one. `shared/operations/background/set-aside-store.ts` lists, retries and drops what is set aside.
 */
import { createHash } from 'node:crypto';
import { env } from '../base/env.ts';
import { logger, serializeError } from '../base/log.ts';
import { metricFields } from '../base/metrics.ts';
import type { QueueName } from '../base/queues.ts';
import { now } from '../base/time.ts';
import { type Key, tableKeys } from './keys.ts';
import type { Item } from './records.ts';
import { MalformedItemError } from './stored-fields.ts';
import { writeTransaction } from './transactions.ts';

export type WorkKind = 'timer' | 'outbox item' | 'message';

/** An item that cannot be read, as it is stored. */
export interface MalformedWork {
  readonly item: Item;
  readonly error: MalformedItemError;
}

/** Parses each item on its own. */
export function parseEach<T>(
  items: readonly Item[],
  parse: (item: Item) => T,
): { readonly parsed: T[]; readonly malformed: MalformedWork[] } {
  const parsed: T[] = [];
  const malformed: MalformedWork[] = [];
  for (const item of items) {
    try {
      parsed.push(parse(item));
    } catch (error) {
      if (!(error instanceof MalformedItemError)) throw error;
      malformed.push({ item, error });
    }
  }
  return { parsed, malformed };
}

/** Moves a timer or an outbox item aside. */
export async function setItemAside(
  kind: 'timer' | 'outbox item',
  { item, error }: MalformedWork,
): Promise<void> {
  const { pk, sk } = item as Key & Item;
  const key = tableKeys.setAside(idOf([kind, pk, sk]));
  await writeTransaction([
    putSetAside(key, { kind, content: item, problem: error.problem }),
    { Delete: { TableName: env.tableName(), Key: { pk, sk } } },
  ]);
  logSetAside(key, kind, error);
}

/**
 * Keeps a part of an outbox item aside, as an outbox item under the same key. The caller carries out the rest of the item.
 * @param name of the part among those of the item
 */
export async function setPartAside(
  name: 'audit' | 'documents',
  part: Item & Key,
  error: MalformedItemError,
): Promise<void> {
  const key = tableKeys.setAside(idOf([name, part.pk, part.sk]));
  await writeTransaction([putSetAside(key, { kind: 'outbox item', content: part, problem: error.message })]);
  logSetAside(key, 'outbox item', error);
}

/** Keeps the body of a message. The caller then deletes the message from its queue. */
export async function setMessageAside(
  queue: QueueName,
  body: string,
  error: MalformedItemError,
): Promise<void> {
  const key = tableKeys.setAside(idOf(['message', queue, body]));
  await writeTransaction([
    putSetAside(key, { kind: 'message', queue, content: body, problem: error.problem }),
  ]);
  logSetAside(key, 'message', error);
}

function idOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const putSetAside = (
  key: Key,
  content: {
    readonly kind: WorkKind;
    readonly queue?: QueueName;
    readonly content: unknown;
    readonly problem: string;
  },
) => ({ Put: { TableName: env.tableName(), Item: { ...key, ...content, setAsideAt: now() } } });

function logSetAside({ sk }: Key, kind: WorkKind, error: MalformedItemError): void {
  logger.error('malformed item set aside', {
    setAside: sk,
    kind,
    item: error.item,
    error: serializeError(error),
    ...metricFields({ MalformedItems: 1 }),
  });
}
