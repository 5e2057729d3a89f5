/** The queues of the trigger table, each with a dead-letter queue that outlives it. */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { QueueName } from '../shared/queues.ts';
import { queues } from './triggers.ts';

export type Queues = Readonly<Record<QueueName, Queue>>;

const retention = Duration.days(14);
const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: retention };

/** Where messages end up that a function failed at again and again: a bug of ours, and time to mend it. */
export function deadLetterQueues(scope: Construct, removalPolicy: RemovalPolicy): Queues {
  return queuesOf(
    (name) => new Queue(scope, `${capitalised(name)}DeadLetters`, { ...common, removalPolicy }),
  );
}

export function workQueues(scope: Construct, deadLetters: Queues): Queues {
  return queuesOf((name) => {
    const { visibilityTimeoutSeconds, maxReceives } = queues[name];
    return new Queue(scope, `${capitalised(name)}Queue`, {
      ...common,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: deadLetters[name], maxReceiveCount: maxReceives },
    });
  });
}

/** A name of a route, trigger or queue as the id of a construct. */
export const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function queuesOf(create: (name: QueueName) => Queue): Queues {
  const names = Object.keys(queues) as QueueName[];
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<QueueName, Queue>;
}
