/** The queues of the trigger table, each with a dead-letter queue that outlives it. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { QueueName } from '../shared/queues.ts';
import { acknowledge } from './acknowledge.ts';
import { queues } from './triggers.ts';

export type Queues = Readonly<Record<QueueName, Queue>>;

const retention = Duration.days(14);

/** Where messages end up that a function failed at again and again: a bug of ours, and time to mend it. */
export function deadLetterQueues(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  key: IKey | undefined,
): Queues {
  return queuesOf((name) => {
    const queue = new Queue(scope, `${capitalised(name)}DeadLetters`, { ...common(key), removalPolicy });
    acknowledge(queue, 'SQS3', 'It is a dead-letter queue itself, of a queue in the other stack.');
    return queue;
  });
}

/** One of each name, with the dead-letter queue of that name behind it. */
export function workQueues(scope: Construct, deadLetters: Queues, key: IKey | undefined): Queues {
  return queuesOf((name) => {
    const { visibilityTimeoutSeconds, maxReceives } = queues[name];
    return new Queue(scope, `${capitalised(name)}Queue`, {
      ...common(key),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetters[name], maxReceiveCount: maxReceives },
    });
  });
}

const common = (encryptionMasterKey: IKey | undefined) => ({
  enforceSSL: true,
  retentionPeriod: retention,
  ...(encryptionMasterKey
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey }
    : { encryption: QueueEncryption.SQS_MANAGED }),
});

/** A name of a route, trigger or queue as the id of a construct. */
export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function queuesOf(create: (name: QueueName) => Queue): Queues {
  const names = Object.keys(queues) as QueueName[];
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<QueueName, Queue>;
}
