/**
 * Polls the stream of the table as Lambda does: reads the shards in order, filters and batches the records, calls the
 * function for several batches in parallel, and retries failed records. After the last retry it skips the record, as a deployed stream does. The sweep
 * processes skipped records.
 *
 * A poll of DynamoDB Local takes milliseconds of the processor. So the caller should wake the loop after a write, and the poller looks
 * rarely for what other processes write.
 */
import { createHash } from 'node:crypto';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Trigger } from '../triggers.ts';
import { failedIds } from './batch-failures.ts';
import { type LambdaHandler, lambdaContext } from './handler.ts';
import { type Loop, type ReportError, startLoop, summarizeError } from './loop.ts';
import type { StreamClient } from './poll-clients.ts';
import { batchSizeNow, isRequestExpected } from './running-requests.ts';
import { matches, toLambdaRecord } from './stream-record.ts';
import { openShards } from './stream-shards.ts';

export type StreamHandler = LambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse | undefined>;

export interface StreamOptions {
  readonly client: StreamClient;
  readonly streamArn: string;
  readonly region: string;
  readonly trigger: Extract<Trigger, { kind: 'stream' }>;
  readonly handler: StreamHandler;
  readonly report: ReportError;
  /** The pause after a poll without new records, unless the loop is woken. The default is a second. */
  readonly idleMs?: number;
}

const retries = 3;
const retryDelayMs = 100;
const timeoutMs = 60_000;
const discoverEveryMs = 5_000;
/** The most records of a read. DynamoDB Local executes no other call meanwhile, so a read beside requests is small. */
const mostRead = { alone: 1_000, besideRequests: 100 };

/** Starts to poll. After it resolves, the handler receives every new matching record at least once. */
export async function startStream(options: StreamOptions): Promise<Loop> {
  const { client, streamArn, region, trigger, report, idleMs = 1_000 } = options;
  const shards = await openShards(client, streamArn);
  let discovered = performance.now();

  const step = async (signal: AbortSignal): Promise<boolean> => {
    let found = false;
    let ended = false;
    for (const shard of shards.readable()) {
      const records = await shards.read(
        shard,
        isRequestExpected() ? mostRead.besideRequests : mostRead.alone,
      );
      found ||= records.length > 0;
      ended ||= shard.finished;
      const wanted = records.filter((record) => matches(record, trigger.filter));
      const lanes = divide(
        wanted.map((record) => toLambdaRecord(record, streamArn, region)),
        trigger.parallelizationFactor,
      );
      await Promise.all(lanes.map((lane) => deliver(lane, options, signal)));
    }
    if (ended || performance.now() - discovered > discoverEveryMs) {
      await shards.discover();
      discovered = performance.now();
    }
    return found || ended;
  };
  return startLoop({ name: `stream ${trigger.handler}`, step, idleMs, report });
}

/** Divides records into lanes, which are delivered in parallel. Records with the same partition key share a lane. */
function divide(records: readonly DynamoDBRecord[], lanes: number): DynamoDBRecord[][] {
  const divided = Array.from({ length: lanes }, (): DynamoDBRecord[] => []);
  for (const record of records) {
    const hash = createHash('sha256')
      .update(record.dynamodb?.Keys?.pk?.S ?? '')
      .digest();
    divided[hash.readUInt32BE() % lanes]?.push(record);
  }
  return divided;
}

/**
 * Passes the records to the handler in order and in batches, until each has succeeded or was skipped. After a failure
 * the next batch starts at the first failed record. A record is retried at most `retries` times.
 */
async function deliver(
  records: readonly DynamoDBRecord[],
  options: StreamOptions,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  let failures = 0;
  while (next < records.length && !signal.aborted) {
    const batchSize = batchSizeNow(options.trigger.batchSize);
    const batch = records.slice(next, next + batchSize);
    const firstFailed = await invoke(batch, options);
    if (firstFailed !== 0) failures = 0;
    next += firstFailed;
    if (firstFailed === batch.length) continue;
    failures += 1;
    if (failures > retries) {
      const { SequenceNumber } = batch[firstFailed]?.dynamodb ?? {};
      options.report(
        `stream ${options.trigger.handler}: skipped record ${SequenceNumber}, which the sweep will process`,
      );
      next += 1;
      failures = 0;
      continue;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
  }
}

/** Calls the handler. Returns the index of the first failed record, or the length of the batch if none failed. */
async function invoke(batch: readonly DynamoDBRecord[], options: StreamOptions): Promise<number> {
  const { handler, trigger, report } = options;
  try {
    const result = await handler({ Records: [...batch] }, lambdaContext(trigger.handler, timeoutMs));
    const ids = batch.map((record) => record.dynamodb?.SequenceNumber ?? '');
    const failed = failedIds(ids, result);
    const first = ids.findIndex((id) => failed.has(id));
    return first === -1 ? batch.length : first;
  } catch (error) {
    report(`stream ${trigger.handler}: ${summarizeError(error)}`);
    return 0;
  }
}
