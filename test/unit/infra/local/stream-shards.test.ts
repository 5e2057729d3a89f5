/** Tests the order of shards with a fake client, because DynamoDB Local rarely ends shards. */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { expect, test } from '@jest/globals';
import { openShards, type StreamShards } from '../../../../infra/local/stream-shards.ts';

interface FakeShard {
  parent?: string;
  records: string[];
  ended: boolean;
}

/** Simulates a stream. Iterators are `shard:index`. Each page has two shards of the description, or one record. */
function fakeStream(shards: Record<string, FakeShard>) {
  const expired = new Set<string>();
  const describe = (start: string | undefined) => {
    const all = Object.entries(shards).map(([ShardId, { parent, ended }]) => ({
      ShardId,
      ParentShardId: parent,
      SequenceNumberRange: ended ? { EndingSequenceNumber: '9' } : {},
    }));
    const from = start ? all.findIndex((shard) => shard.ShardId === start) + 1 : 0;
    const page = all.slice(from, from + 2);
    const last = from + 2 < all.length ? page.at(-1)?.ShardId : undefined;
    return { StreamDescription: { Shards: page, LastEvaluatedShardId: last } };
  };
  const iterator = ({
    ShardId = '',
    ShardIteratorType,
    SequenceNumber,
  }: GetShardIteratorCommand['input']) => {
    const { records = [] } = shards[ShardId] ?? {};
    const starts = {
      LATEST: records.length,
      TRIM_HORIZON: 0,
      AFTER_SEQUENCE_NUMBER: records.indexOf(SequenceNumber ?? '') + 1,
    };
    return { ShardIterator: `${ShardId}:${starts[ShardIteratorType as keyof typeof starts]}` };
  };
  const read = (from: string) => {
    if (expired.has(from)) throw new ExpiredIteratorException({ message: 'expired', $metadata: {} });
    const [id = '', index = ''] = from.split(':');
    const record = shards[id]?.records[Number(index)];
    const next = record === undefined ? Number(index) : Number(index) + 1;
    const ended = shards[id]?.ended && next >= shards[id].records.length;
    return {
      Records: record === undefined ? [] : [{ dynamodb: { SequenceNumber: record } }],
      NextShardIterator: ended ? undefined : `${id}:${next}`,
    };
  };
  const send = async (command: unknown) => {
    if (command instanceof DescribeStreamCommand) return describe(command.input.ExclusiveStartShardId);
    if (command instanceof GetShardIteratorCommand) return iterator(command.input);
    if (command instanceof GetRecordsCommand) return read(command.input.ShardIterator ?? '');
    throw new Error('unexpected');
  };
  return { client: { send } as unknown as DynamoDBStreamsClient, expired };
}

/** Reads the shards in rounds, as the poller does. */
async function readAll(shards: StreamShards, rounds: number): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const position of shards.readable()) {
      found.push(...(await shards.read(position, 1_000)).map((record) => record.dynamodb?.SequenceNumber));
    }
    await shards.discover();
  }
  return found;
}

test('reads the children of an ended shard after it and from their beginning', async () => {
  const tree: Record<string, FakeShard> = {
    old: { records: ['0'], ended: true },
    parent: { parent: 'old', records: ['1'], ended: false },
  };
  const shards = await openShards(fakeStream(tree).client, 'arn');
  tree.parent?.records.push('2', '3');
  tree.child = { parent: 'parent', records: ['4'], ended: false };
  tree.grandchild = { parent: 'child', records: ['6'], ended: false };
  await shards.discover();
  expect(shards.readable().map((position) => position.shardId)).toEqual(['parent']);
  Object.assign(tree.parent ?? {}, { ended: true });
  tree.child.records.push('5');
  tree.child.ended = true;
  expect(await readAll(shards, 8)).toEqual(['2', '3', '4', '5', '6']);
  expect(shards.readable().map((position) => position.shardId)).toEqual(['grandchild']);
});

test('continues after the last record when an iterator has expired', async () => {
  const tree = { only: { records: ['1'], ended: false } };
  const { client, expired } = fakeStream(tree);
  const shards = await openShards(client, 'arn');
  tree.only.records.push('2', '3');
  const [position] = shards.readable();
  if (!position) throw new Error('no shard');
  expect(await shards.read(position, 1_000)).toHaveLength(1);
  expired.add('only:2');
  await shards.read(position, 1_000);
  expired.clear();
  expect((await shards.read(position, 1_000))[0]?.dynamodb?.SequenceNumber).toBe('3');
});
