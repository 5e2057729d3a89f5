/**
 * Writes and sweeps timers as the release before the wide layout did: four shards, one pair of marks, and its own clock.
 * So tests can run both releases side by side.
 */
import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../shared/store/client.ts';
import type { TestItem } from './table.ts';

interface LastReleaseTimer {
  readonly due: number;
  readonly kind: string;
  readonly reference: string;
}

const minuteMs = 60_000;
const minuteOf = (instant: number) => Math.floor(instant / minuteMs);
const pad = (value: number, width: number) => String(value).padStart(width, '0');
const watermark = { pk: 'SWEEP', sk: 'WATERMARK' };

/** The key of a timer of the last release. */
export function lastReleaseKey({ due, kind, reference }: LastReleaseTimer, minute: number) {
  const shard = (createHash('sha256').update(reference).digest()[0] ?? 0) % 4;
  return {
    pk: `TIMER#${pad(Math.floor(minute / 60), 8)}#${shard}`,
    sk: `${pad(minute, 10)}#${pad(due, 15)}#${kind}#${reference}`,
  };
}

/** Returns functions of the last release that work on the table `TableName`. */
export function lastReleaseOf({ tableName: TableName }: { readonly tableName: string }) {
  const readMarks = async (now: number): Promise<{ closed: number; done: number }> => {
    const get = new GetCommand({ TableName, Key: watermark, ConsistentRead: true });
    const { Item } = await dynamodb.send(get);
    if (Item) return Item as { closed: number; done: number };
    const marks = { closed: minuteOf(now) - 10, done: minuteOf(now) - 10 };
    await dynamodb.send(new PutCommand({ TableName, Item: { ...watermark, ...marks } }));
    return marks;
  };

  const raise = async (mark: 'closed' | 'done', minute: number) => {
    const update = new UpdateCommand({
      TableName,
      Key: watermark,
      UpdateExpression: 'SET #mark = :minute',
      ConditionExpression: '#mark < :minute',
      ExpressionAttributeNames: { '#mark': mark },
      ExpressionAttributeValues: { ':minute': minute },
    });
    await dynamodb.send(update).catch((error) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  };

  /** Stores a timer under the minute in which it is due, or under a later one if that is closed. */
  const setTimer = async (timer: LastReleaseTimer, now: number): Promise<void> => {
    for (let minute = minuteOf(timer.due); ; minute = (await readMarks(now)).closed + 1) {
      await dynamodb.send(
        new PutCommand({ TableName, Item: { ...lastReleaseKey(timer, minute), ...timer, minute } }),
      );
      if ((await readMarks(now)).closed < minute) return;
    }
  };

  const query = async (hour: number, shard: number, first: number, last: number): Promise<TestItem[]> => {
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
        ExpressionAttributeValues: {
          ':pk': `TIMER#${pad(hour, 8)}#${shard}`,
          ':first': pad(first, 10),
          ':end': pad(last + 1, 10),
        },
      }),
    );
    return Items;
  };

  /** Leases all due timers of the four shards. Returns their references, as messages of the queues. */
  const sweep = async (now: number): Promise<string[]> => {
    const present = minuteOf(now);
    const { done } = await readMarks(now);
    await raise('closed', present - 1);
    const [first, last] = [done + 1, present + 2];
    const sent: string[] = [];
    for (let hour = Math.floor(first / 60); hour <= Math.floor(last / 60); hour++) {
      for (let shard = 0; shard < 4; shard++) {
        for (const item of await query(hour, shard, first, last)) {
          const { pk: _, sk: __, minute, leasedUntil, sends = 0, ...timer } = item;
          if (leasedUntil > now) continue;
          const until = Math.max(timer.due, now) + 2 * minuteMs;
          const leased = Math.max(minuteOf(until), minute + 1);
          const original = lastReleaseKey(timer as LastReleaseTimer, minute);
          const copy = lastReleaseKey(timer as LastReleaseTimer, leased);
          const Item = { ...copy, ...timer, minute: leased, leasedUntil: until, sends: sends + 1 };
          await dynamodb.send(
            new TransactWriteCommand({
              TransactItems: [
                { Delete: { TableName, Key: original, ConditionExpression: 'attribute_exists(pk)' } },
                { Put: { TableName, Item } },
              ],
            }),
          );
          sent.push(timer.reference);
        }
      }
    }
    await raise('done', present - 1);
    return sent;
  };

  return { setTimer, sweep };
}
