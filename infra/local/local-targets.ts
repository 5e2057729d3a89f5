/**
 * Makes the targets of webhook endpoints on this machine: queues in the local SQS, and a bus and a function in a double. The variable
 * `EVENT_TARGETS` names others.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { parseTarget } from '../../shared/base/aws-targets.ts';
import { setEnvironment } from './environment.ts';
import { ensurePlainQueue, type OpenQueue } from './queue-server.ts';
import type { TargetDouble } from './targets/target-double.ts';

type EventQueue = Omit<OpenQueue, 'deadLetterUrl'>;

export interface LocalTargets {
  readonly queue: EventQueue;
  readonly fifoQueue: EventQueue;
  /** The ARN of a bus of the double. */
  readonly bus: string;
  /** The ARN of a function of the double. */
  readonly fn: string;
  readonly double: TargetDouble;
}

/** What the user chose. A stack sets the variable, and a later one in this process has other queues. */
const { EVENT_TARGETS: chosen } = process.env;

/**
 * Creates the queues, and sets the environment variables of the functions that know the targets.
 * @param prefix what the names of the queues begin with
 */
export async function openLocalTargets(
  client: SQSClient,
  prefix: string,
  double: TargetDouble,
): Promise<LocalTargets> {
  const [queue, fifoQueue] = await Promise.all([
    ensurePlainQueue(client, `${prefix}-events`),
    ensurePlainQueue(client, `${prefix}-events.fifo`),
  ]);
  const { region, account } = parseTarget(queue.arn) ?? { region: 'us-east-1', account: '000000000000' };
  const bus = `arn:aws:events:${region}:${account}:event-bus/remit-local`;
  const fn = `arn:aws:lambda:${region}:${account}:function:remit-local`;
  for (const arn of [bus, fn]) double.existing.add(arn);
  setEnvironment({
    AWS_ENDPOINT_URL_EVENTBRIDGE: double.url,
    AWS_ENDPOINT_URL_LAMBDA: double.url,
    EVENT_TARGETS: chosen ?? [queue.arn, fifoQueue.arn, bus, fn].join(','),
  });
  return { queue, fifoQueue, bus, fn, double };
}
