/** Lists, retries and drops the work that is set aside, for the operator's commands. See `shared/store/set-aside.ts`. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { QueueName } from '../../base/queues.ts';
import { type Instant, now } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { fromOutboxItem } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { parseMessage } from '../../store/parse-message.ts';
import { queryPages } from '../../store/query-pages.ts';
import { sendMessage } from '../../store/queues.ts';
import type { Item } from '../../store/records.ts';
import type { WorkKind } from '../../store/set-aside.ts';
import {
  anyObject,
  defineItem,
  type Field,
  instant,
  oneOf,
  optional,
  parseOrError,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { fromTimerItem } from '../../store/timers/timer-item.ts';
import { setTimer } from '../../store/timers/timers.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';

/** Work that is set aside. */
export interface SetAsideWork {
  readonly id: string;
  readonly kind: WorkKind;
  /** The queue of a message. */
  readonly queue: QueueName | undefined;
  /** Why it cannot be read. */
  readonly problem: string;
  readonly setAsideAt: Instant;
  /** The item as it was stored, or the body of the message. It can contain personal data. */
  readonly content: Item | string;
}

const itemOrText: Field<Item | string> = {
  expected: 'an item or a text',
  accepts: (value) => text.accepts(value) || anyObject.accepts(value),
};

/** Yields all work that is set aside, in no particular order. */
export async function* readAllSetAside(): AsyncGenerator<SetAsideWork> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.setAside('').pk },
  });
  for await (const items of pages) yield* leaveOutMalformed(items.map((item) => parseOrError(item, toWork)));
}

/** Reads one piece of work. Returns undefined if it does not exist. */
export async function readSetAside(id: string): Promise<SetAsideWork | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.setAside(id), ConsistentRead: true }),
  );
  return item && toWork(item);
}

/**
 * Gives work back to the service, which is safe to repeat. An outbox item returns to its key, and the stream relays it. A timer is set
 * for its time, or for now. A message is sent.
 * @returns false if other follow-ups of the same change are not relayed yet. It stays set aside.
 * @throws MalformedItemError if it still cannot be read. It stays set aside.
 */
export async function retrySetAside({ id, kind, queue, content }: SetAsideWork): Promise<boolean> {
  if (kind === 'outbox item') {
    const { claims: _, claimedUntil: __, ...item } = content as Item;
    fromOutboxItem(item);
    const Put = { TableName: env.tableName(), Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
    return (await writeTransaction([{ Put }, deletion(id)])).written;
  }
  if (kind === 'timer') {
    const { due, kind: purpose, reference, group, first } = fromTimerItem(content as Item);
    await setTimer({ due, kind: purpose, reference, group, first }, now());
  } else if (queue) await sendMessage(queue, { body: parseMessage(String(content)) });
  await dropSetAside(id);
  return true;
}

/** Deletes work. Its effect never happens. */
export async function dropSetAside(id: string): Promise<void> {
  await writeTransaction([deletion(id)]);
}

const deletion = (id: string): TransactionItem => ({
  Delete: { TableName: env.tableName(), Key: tableKeys.setAside(id) },
});

const parseWork = defineItem<Omit<SetAsideWork, 'id'>>(({ pk, sk }) => `${pk}#${sk}`, {
  kind: oneOf<WorkKind>('timer', 'outbox item', 'message'),
  queue: optional(textOf<QueueName>()),
  problem: text,
  setAsideAt: instant,
  content: itemOrText,
});

function toWork(item: Item): SetAsideWork {
  const { kind, queue, problem, setAsideAt, content } = parseWork(item);
  return { id: String(item.sk), kind, queue, problem, setAsideAt, content };
}
