/**
 * Tracks the shards of a stream and the read position in each. Parent shards are read before their children.
 */
import {
  DescribeStreamCommand,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as Record,
  type Shard,
  type ShardIteratorType,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { StreamClient } from './poll-clients.ts';

interface ShardPosition {
  readonly shardId: string;
  readonly parentId: string | undefined;
  iterator: string | undefined;
  lastSequenceNumber: string | undefined;
  finished: boolean;
}

export interface StreamShards {
  /** Returns the shards to read now. Finished shards, and children of unfinished shards, are excluded. */
  readable(): readonly ShardPosition[];
  /** Reads up to `limit` records of a shard and advances its position. Marks the shard as finished at its end. */
  read(position: ShardPosition, limit: number): Promise<readonly Record[]>;
  /** Finds new shards. They are read from their beginning. */
  discover(): Promise<void>;
}

/**
 * Opens the stream at its current end. Closed shards are ignored. Every record that is written after this resolves will
 * be read.
 */
export async function openShards(client: StreamClient, streamArn: string): Promise<StreamShards> {
  const positions = new Map<string, ShardPosition>();

  const iterator = async (shardId: string, type: ShardIteratorType, after?: string) => {
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: type,
        ...(after && { SequenceNumber: after }),
      }),
    );
    return ShardIterator;
  };
  const add = async (shard: Shard, type: ShardIteratorType) => {
    const shardId = shard.ShardId ?? '';
    const position: ShardPosition = {
      shardId,
      parentId: shard.ParentShardId,
      iterator: await iterator(shardId, type),
      lastSequenceNumber: undefined,
      finished: false,
    };
    positions.set(shardId, position);
  };
  /** Creates a new iterator after the last record that was read. Iterators expire after 15 minutes. */
  const reopen = async (position: ShardPosition) => {
    position.iterator = position.lastSequenceNumber
      ? await iterator(position.shardId, 'AFTER_SEQUENCE_NUMBER', position.lastSequenceNumber)
      : await iterator(position.shardId, 'TRIM_HORIZON');
  };

  const known = new Set<string>();
  for (const shard of await describeShards(client, streamArn)) {
    known.add(shard.ShardId ?? '');
    if (!shard.SequenceNumberRange?.EndingSequenceNumber) await add(shard, 'LATEST');
  }

  return {
    readable: () =>
      [...positions.values()].filter((position) => {
        const parent = position.parentId ? positions.get(position.parentId) : undefined;
        return !position.finished && (!parent || parent.finished);
      }),
    read: async (position, limit) => {
      try {
        const page = await client.send(
          new GetRecordsCommand({ ShardIterator: position.iterator, Limit: limit }),
        );
        const records = page.Records ?? [];
        position.iterator = page.NextShardIterator;
        position.lastSequenceNumber = records.at(-1)?.dynamodb?.SequenceNumber ?? position.lastSequenceNumber;
        position.finished = !page.NextShardIterator;
        return records;
      } catch (error) {
        if (!(error instanceof ExpiredIteratorException || error instanceof TrimmedDataAccessException))
          throw error;
        if (error instanceof TrimmedDataAccessException) position.lastSequenceNumber = undefined;
        await reopen(position);
        return [];
      }
    },
    discover: async () => {
      for (const shard of await describeShards(client, streamArn)) {
        const shardId = shard.ShardId ?? '';
        if (known.has(shardId)) continue;
        await add(shard, 'TRIM_HORIZON');
        known.add(shardId);
      }
    },
  };
}

async function describeShards(client: StreamClient, streamArn: string): Promise<readonly Shard[]> {
  const shards: Shard[] = [];
  let last: string | undefined;
  do {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ...(last && { ExclusiveStartShardId: last }) }),
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    last = StreamDescription?.LastEvaluatedShardId;
  } while (last);
  return shards;
}
