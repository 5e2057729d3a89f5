/**
 * Creates the clients with which the local stack polls streams and queues as Lambda does. They poll all the time, so they
 * take the short path of `direct-client.ts` where the functions do.
 */
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { env } from '../../shared/base/env.ts';
import { DirectClient } from '../../shared/platform/aws/direct-client.ts';
import type { DirectService } from '../../shared/platform/aws/direct-service.ts';
import { decodeItem } from '../../shared/store/document-json.ts';

/** The part of the SDK's clients that both paths have. */
export type StreamClient = Pick<DynamoDBStreamsClient, 'send'>;
export type QueueClient = Pick<SQSClient, 'send'>;

export interface PollClients {
  readonly streams: StreamClient;
  readonly sqs: QueueClient;
  destroy(): void;
}

type Json = Record<string, unknown>;

const streamService: DirectService = {
  name: 'dynamodb',
  target: 'DynamoDBStreams_20120810',
  contentType: 'application/x-amz-json-1.0',
  operations: new Map<unknown, string>([
    [DescribeStreamCommand, 'DescribeStream'],
    [GetRecordsCommand, 'GetRecords'],
    [GetShardIteratorCommand, 'GetShardIterator'],
  ]),
  errors: { ExpiredIteratorException, TrimmedDataAccessException },
  fromJson: ({ Records: records, ...others }: Json) => ({
    ...others,
    ...(Array.isArray(records) && { Records: records.map(toStreamRecord) }),
  }),
};

const queueService: DirectService = {
  name: 'sqs',
  target: 'AmazonSQS',
  contentType: 'application/x-amz-json-1.0',
  operations: new Map<unknown, string>([
    [DeleteMessageBatchCommand, 'DeleteMessageBatch'],
    [ReceiveMessageCommand, 'ReceiveMessage'],
  ]),
  fromJson: (json) => {
    for (const { MessageAttributes } of (json as { Messages?: Message[] }).Messages ?? []) {
      for (const value of Object.values(MessageAttributes ?? {}))
        if (value.BinaryValue) value.BinaryValue = Buffer.from(String(value.BinaryValue), 'base64');
    }
    return json;
  },
};

/**
 * Creates the clients.
 * @param endpoints of DynamoDB and SQS. The short path reads the same ones from the environment.
 */
export function createPollClients(endpoints: { dynamodb: string; sqs: string; region: string }): PollClients {
  if (env.awsCalls() === 'direct') {
    const [streams, sqs] = [createDirect(streamService), createDirect(queueService)];
    const destroy = () => {
      for (const { config } of [streams, sqs]) config.requestHandler.destroy();
    };
    return { streams: streams as never, sqs: sqs as never, destroy };
  }
  const { region } = endpoints;
  const streams = new DynamoDBStreamsClient({ endpoint: endpoints.dynamodb, region });
  const sqs = new SQSClient({ endpoint: endpoints.sqs, region });
  const destroy = () => {
    for (const client of [streams, sqs]) client.destroy();
  };
  return { streams, sqs, destroy };
}

function createDirect(service: DirectService): DirectClient {
  return new DirectClient(service, { retryStrategy: new StandardRetryStrategy(3), requestHandler: {} });
}

/** Converts a record to what the SDK returns: times are dates, and binary values are bytes. */
function toStreamRecord({ dynamodb, ...others }: StreamRecord): StreamRecord {
  const { ApproximateCreationDateTime: seconds, ...data } = dynamodb ?? {};
  for (const item of [data.Keys, data.NewImage, data.OldImage]) if (item) decodeItem(item as never);
  const time = seconds && { ApproximateCreationDateTime: new Date(Number(seconds) * 1000) };
  return { ...others, dynamodb: { ...data, ...time } };
}
