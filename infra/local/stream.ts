/**
 * Lambda's poller of the table's stream: reads the shards in order, filters, batches, calls the function, and
 * tries failed records again. A record that keeps failing is left to the sweep, as a deployed stream would leave
 * it after its retries.
 */
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Trigger } from '../triggers.ts';
import { failedOf } from './batch-failures.ts';
import { type LambdaHandler, lambdaContext } from './handler.ts';
import { describe, type Loop, type Report, startLoop } from './loop.ts';
import { matches, toLambdaRecord } from './stream-record.ts';
import { openShards } from './stream-shards.ts';

export type StreamHandler = LambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse | undefined>;

export interface StreamOptions {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly region: string;
  readonly trigger: Extract<Trigger, { kind: 'stream' }>;
  readonly handler: StreamHandler;
  readonly report: Report;
  /** The rest between looks at a stream with nothing new. */
  readonly idleMs?: number;
}

const retries = 3;
const retryDelayMs = 100;
const timeoutMs = 60_000;
const discoverEveryMs = 5_000;

/** Starts polling. Once it resolved, every matching record written from then on reaches the handler at least once. */
export async function startStream(options: StreamOptions): Promise<Loop> {
  const { client, streamArn, region, trigger, report, idleMs = 100 } = options;
  const shards = await openShards(client, streamArn);
  let discovered = performance.now();

  const step = async (signal: AbortSignal): Promise<boolean> => {
    let found = false;
    let ended = false;
    for (const shard of shards.readable()) {
      const records = await shards.read(shard);
      found ||= records.length > 0;
      ended ||= shard.finished;
      const wanted = records.filter((record) => matches(record, trigger.filter));
      await deliver(
        wanted.map((record) => toLambdaRecord(record, streamArn, region)),
        options,
        signal,
      );
    }
    if (ended || performance.now() - discovered > discoverEveryMs) {
      await shards.discover();
      discovered = performance.now();
    }
    return found || ended;
  };
  return startLoop({ name: `stream ${trigger.handler}`, step, idleMs, report });
}

/**
 * Gives the records to the handler, in order and in batches, until each succeeded or failed for good. A failure
 * starts the batch again at the first record that failed, `retries` times at most for one record.
 */
async function deliver(
  records: readonly DynamoDBRecord[],
  options: StreamOptions,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  let failures = 0;
  while (next < records.length && !signal.aborted) {
    const batch = records.slice(next, next + options.trigger.batchSize);
    const firstFailed = await invoke(batch, options);
    if (firstFailed !== 0) failures = 0;
    next += firstFailed;
    if (firstFailed === batch.length) continue;
    failures += 1;
    if (failures > retries) {
      const { SequenceNumber } = batch[firstFailed]?.dynamodb ?? {};
      options.report(
        `stream ${options.trigger.handler}: given up on record ${SequenceNumber}, the sweep has it`,
      );
      next += 1;
      failures = 0;
      continue;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
  }
}

/** The index of the first record of the batch that failed; the batch's length if none did. */
async function invoke(batch: readonly DynamoDBRecord[], options: StreamOptions): Promise<number> {
  const { handler, trigger, report } = options;
  try {
    const answer = await handler({ Records: [...batch] }, lambdaContext(trigger.handler, timeoutMs));
    const ids = batch.map((record) => record.dynamodb?.SequenceNumber ?? '');
    const failed = failedOf(ids, answer);
    const first = ids.findIndex((id) => failed.has(id));
    return first === -1 ? batch.length : first;
  } catch (error) {
    report(`stream ${trigger.handler}: ${describe(error)}`);
    return 0;
  }
}
