/**
 * The shards of a stream and the place reached in each: which to read next, parents before their children.
 */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as Record,
  type Shard,
  type ShardIteratorType,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';

interface Place {
  readonly shardId: string;
  readonly parentId: string | undefined;
  iterator: string | undefined;
  lastSequenceNumber: string | undefined;
  finished: boolean;
}

export interface StreamShards {
  /** Those that may be read now: not read to their end, and with no parent that still has records. */
  readable(): readonly Place[];
  /** The next records of a shard; its place moves on, and a shard that has ended is finished. */
  read(place: Place): Promise<readonly Record[]>;
  /** Finds shards that are new since; they are read from their beginning. */
  discover(): Promise<void>;
}

/**
 * Takes every shard that is open now from its present end; shards that are closed now are left out. What is
 * written after this resolved is read.
 */
export async function openShards(client: DynamoDBStreamsClient, streamArn: string): Promise<StreamShards> {
  const places = new Map<string, Place>();

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
    const place: Place = {
      shardId,
      parentId: shard.ParentShardId,
      iterator: await iterator(shardId, type),
      lastSequenceNumber: undefined,
      finished: false,
    };
    places.set(shardId, place);
  };
  /** An iterator lives 15 minutes; after a long pause the place is found again by the last record read. */
  const reopen = async (place: Place) => {
    place.iterator = place.lastSequenceNumber
      ? await iterator(place.shardId, 'AFTER_SEQUENCE_NUMBER', place.lastSequenceNumber)
      : await iterator(place.shardId, 'TRIM_HORIZON');
  };

  const known = new Set<string>();
  for (const shard of await describeShards(client, streamArn)) {
    known.add(shard.ShardId ?? '');
    if (!shard.SequenceNumberRange?.EndingSequenceNumber) await add(shard, 'LATEST');
  }

  return {
    readable: () =>
      [...places.values()].filter((place) => {
        const parent = place.parentId ? places.get(place.parentId) : undefined;
        return !place.finished && (!parent || parent.finished);
      }),
    read: async (place) => {
      try {
        const page = await client.send(new GetRecordsCommand({ ShardIterator: place.iterator }));
        const records = page.Records ?? [];
        place.iterator = page.NextShardIterator;
        place.lastSequenceNumber = records.at(-1)?.dynamodb?.SequenceNumber ?? place.lastSequenceNumber;
        place.finished = !page.NextShardIterator;
        return records;
      } catch (error) {
        if (!(error instanceof ExpiredIteratorException || error instanceof TrimmedDataAccessException))
          throw error;
        if (error instanceof TrimmedDataAccessException) place.lastSequenceNumber = undefined;
        await reopen(place);
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

async function describeShards(client: DynamoDBStreamsClient, streamArn: string): Promise<readonly Shard[]> {
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
