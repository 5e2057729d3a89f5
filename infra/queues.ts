/** Creates the queues of the trigger table, and their dead-letter queues, which outlive the stateless stack. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { QueueName } from '../shared/base/queues.ts';
import { acknowledge } from './acknowledge.ts';
import { queues } from './triggers.ts';

export type Queues = Readonly<Record<QueueName, Queue>>;

const retention = Duration.days(14);

/**
 * Creates one dead-letter queue for each queue. A message in it points to a bug: its function failed on every attempt.
 * The queue keeps it for 14 days, which leaves time for a fix.
 */
export function createDeadLetterQueues(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  key: IKey | undefined,
): Queues {
  return createQueues((name) => {
    const queue = new Queue(scope, `${capitalize(name)}DeadLetters`, { ...commonProps(key), removalPolicy });
    acknowledge(queue, 'SQS3', 'This queue is the dead-letter queue of a queue in the stateless stack.');
    return queue;
  });
}

/** Creates the queues. Each one uses the dead-letter queue with the same name. */
export function createWorkQueues(scope: Construct, deadLetters: Queues, key: IKey | undefined): Queues {
  return createQueues((name) => {
    const { visibilityTimeoutSeconds, maxReceives } = queues[name];
    return new Queue(scope, `${capitalize(name)}Queue`, {
      ...commonProps(key),
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetters[name], maxReceiveCount: maxReceives },
    });
  });
}

const commonProps = (encryptionMasterKey: IKey | undefined) => ({
  enforceSSL: true,
  retentionPeriod: retention,
  ...(encryptionMasterKey
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey }
    : { encryption: QueueEncryption.SQS_MANAGED }),
});

/** Turns the name of a route, trigger or queue into a construct id. */
export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function createQueues(create: (name: QueueName) => Queue): Queues {
  const names = Object.keys(queues) as QueueName[];
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<QueueName, Queue>;
}
