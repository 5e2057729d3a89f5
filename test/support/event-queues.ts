/** Reads, deletes and creates the queues of the local SQS to which webhook endpoints send. */
import {
  DeleteMessageCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { ensurePlainQueue } from '../../infra/local/queue-server.ts';
import type { Stack } from '../../infra/local/stack.ts';

export interface EventQueues {
  /** Takes all messages that a queue has, until no other one comes. */
  take(url: string): Promise<Message[]>;
  remove(url: string): Promise<void>;
  create(url: string): Promise<void>;
  close(): void;
}

export function connectEventQueues({ sqsEndpoint }: Pick<Stack, 'sqsEndpoint'>): EventQueues {
  const client = new SQSClient({ endpoint: sqsEndpoint, region: 'us-east-1' });
  const take = async (QueueUrl: string): Promise<Message[]> => {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    for (const { ReceiptHandle } of messages)
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return messages.length === 0 ? [] : [...messages, ...(await take(QueueUrl))];
  };
  return {
    take,
    remove: async (QueueUrl) => void (await client.send(new DeleteQueueCommand({ QueueUrl }))),
    create: async (url) => void (await ensurePlainQueue(client, url.split('/').at(-1) ?? '')),
    close: () => client.destroy(),
  };
}

/** Returns the attributes of a message by name. */
export const attributesOfMessage = ({ MessageAttributes = {} }: Message) =>
  Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));
