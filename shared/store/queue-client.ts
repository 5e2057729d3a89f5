/**
 * Creates the SQS client of this instance. It takes the commands of the SDK. `env.awsCalls` decides whether the SDK or the
 * short path makes the calls.
 */
import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { env } from '../base/env.ts';
import { DirectClient } from '../platform/aws/direct-client.ts';
import { type DirectService, serviceTimeLimits } from '../platform/aws/direct-service.ts';
import { traceCalls } from './trace-calls.ts';

/** Enough for the messages of a sweep, see `timers/lease-timers.ts`, and of a batch of the relay. */
export const queueConnections = 256;

/** The default of the SDK. */
const maxAttempts = 3;
/** The time limits and connections of both paths. */
export const queueOptions = {
  ...serviceTimeLimits,
  httpAgent: { maxSockets: queueConnections },
  httpsAgent: { maxSockets: queueConnections },
};

const service: DirectService = {
  name: 'sqs',
  target: 'AmazonSQS',
  contentType: 'application/x-amz-json-1.0',
  operations: new Map<unknown, string>([
    [SendMessageCommand, 'SendMessage'],
    [SendMessageBatchCommand, 'SendMessageBatch'],
  ]),
  // The host of the URL of a queue is the endpoint of its region.
  endpointOf: ({ QueueUrl }) => String(QueueUrl),
};

/** The part of the SDK's client that both paths have. */
type QueueClient = Pick<SQSClient, 'send' | 'middlewareStack'>;

// Marked as pure, so bundles that send no message do not contain the client.
export const queueClient = /* @__PURE__ */ createQueueClient();

function createQueueClient(): QueueClient {
  const client =
    // The condition has this form, because esbuild then leaves the SDK's client out of bundles that do not use it.
    (
      typeof directCallsOnly === 'undefined' && env.awsCalls() === 'sdk'
        ? new SQSClient({ requestHandler: queueOptions })
        : createDirectQueueClient()
    ) as QueueClient;
  client.middlewareStack.add(traceCalls('SQS'), { step: 'initialize', name: 'trace' });
  return client;
}

/** Creates the client of the short path. It has the default retries of the SDK, and its check of the messages that arrived. */
export function createDirectQueueClient(): DirectClient {
  const retryStrategy = new StandardRetryStrategy(maxAttempts);
  const client = new DirectClient(service, { retryStrategy, requestHandler: queueOptions });
  client.middlewareStack.add(checkArrival as never, { step: 'initialize', name: 'checkArrival' });
  return client;
}

/** What SQS says about a message that it received. */
interface Received {
  readonly Id?: string;
  readonly MD5OfMessageBody?: string;
}
interface Message {
  readonly Id?: string;
  readonly MessageBody?: string | undefined;
}
interface Call {
  readonly input: Message & { readonly Entries?: readonly Message[] };
}

/** Compares the checksums of messages with those of the bodies that SQS received. @throws Error if one differs */
function checkArrival(
  next: (
    call: Call,
  ) => Promise<{ readonly output: Received & { readonly Successful?: readonly Received[] } }>,
) {
  return async (call: Call) => {
    const result = await next(call);
    const { Entries: entries, MessageBody } = call.input;
    const messages: readonly Message[] = entries ?? [{ MessageBody }];
    const bodies = new Map(messages.map((message) => [message.Id, message.MessageBody]));
    for (const { Id, MD5OfMessageBody } of entries ? (result.output.Successful ?? []) : [result.output]) {
      const checksum = createHash('md5')
        .update(bodies.get(Id) ?? '')
        .digest('hex');
      if (MD5OfMessageBody !== checksum) throw new Error('SQS received a message with another checksum.');
    }
    return result;
  };
}
