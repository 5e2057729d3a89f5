/**
 * What runs without a request: stream, queues and schedule drive the functions of the trigger table. Failed
 * records are reported one by one, so that only they are tried again.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  FilterCriteria,
  FilterRule,
  type IFunction,
  RecursiveLoop,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createGrantedFunction, type Surroundings } from './granted-function.ts';
import { grants, type HandlerFile } from './grants.ts';
import { capitalised } from './queues.ts';
import { queues, type Trigger, triggers } from './triggers.ts';

type OfKind<Kind extends Trigger['kind']> = Extract<Trigger, { kind: Kind }> & { handler: HandlerFile };

/** What a stream record may cost before it is left to the sweep, which has it a minute later. */
const streamRetries = 3;
const streamTimeout = Duration.seconds(60);

export type BackgroundFunctions = Readonly<Record<keyof typeof triggers, NodejsFunction>>;

/** Creates the function of each trigger and connects them; returns the functions by the triggers' names. */
export function createBackground(scope: Construct, surroundings: Surroundings): BackgroundFunctions {
  const created = Object.entries(triggers).map(([name, trigger]) => {
    const id = capitalised(name);
    if (trigger.kind === 'stream') return [name, addStream(scope, id, trigger, surroundings)];
    if (trigger.kind === 'queue') return [name, addQueue(scope, id, trigger, surroundings)];
    return [name, addSchedule(scope, id, trigger, surroundings)];
  });
  return Object.fromEntries(created);
}

function addStream(
  scope: Construct,
  id: string,
  { handler, batchSize, filter }: OfKind<'stream'>,
  surroundings: Surroundings,
): NodejsFunction {
  const { table } = surroundings.stateful;
  const fn = createGrantedFunction(scope, id, { handler, timeout: streamTimeout }, surroundings);
  const streamArn = table.tableStreamArn;
  allow(fn, ['GetShardIterator', 'GetRecords', 'DescribeStream'], 'dynamodb', streamArn);
  allow(fn, ['ListStreams'], 'dynamodb', `${table.tableArn}/stream/*`);
  const imported: string | { 'Fn::ImportValue': string } = Stack.of(fn).resolve(table.tableArn);
  const tableArn = typeof imported === 'string' ? imported : imported['Fn::ImportValue'];
  acknowledge(
    fn.role ?? fn,
    `IAM5[Resource::${tableArn}/stream/*]`,
    'Streams are listed by their table alone.',
  );
  fn.addEventSourceMapping('Stream', {
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    retryAttempts: streamRetries,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual(filter.eventName),
        dynamodb: { Keys: { pk: { S: FilterRule.beginsWith(filter.pkPrefix) } } },
      }),
    ],
  });
  return fn;
}

/**
 * A function may take half of its messages' visibility timeout: then nothing is delivered while it is at work. One that
 * sends itself the next message would be stopped by Lambda after 16 of them, as what looks like a loop without end.
 */
function addQueue(
  scope: Construct,
  id: string,
  { handler, queue: name, batchSize, maxConcurrency }: OfKind<'queue'>,
  surroundings: Surroundings,
): NodejsFunction {
  const queue = surroundings.queues[name];
  const timeout = Duration.seconds(Math.floor(queues[name].visibilityTimeoutSeconds / 2));
  const goesOn = grants[handler].sendsTo?.includes(name) && { recursiveLoop: RecursiveLoop.ALLOW };
  const fn = createGrantedFunction(scope, id, { handler, timeout, ...goesOn }, surroundings);
  allow(fn, ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'], 'sqs', queue.queueArn);
  fn.addEventSourceMapping('Queue', {
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  return fn;
}

/**
 * One run at a time, where the account can reserve that. One that fails, or finds another at work, is not repeated: the
 * next comes soon.
 */
function addSchedule(
  scope: Construct,
  id: string,
  { handler, everySeconds, timeoutSeconds }: OfKind<'schedule'>,
  surroundings: Surroundings,
): NodejsFunction {
  const one = !surroundings.settings.noReservedConcurrency && { reservedConcurrentExecutions: 1 };
  const options = { handler, timeout: Duration.seconds(timeoutSeconds), ...one };
  const fn = createGrantedFunction(scope, id, options, surroundings);
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  fn.configureAsyncInvoke(once);
  new Rule(scope, `${id}Schedule`, {
    schedule: Schedule.rate(Duration.seconds(everySeconds)),
    targets: [new LambdaFunction(fn, once)],
  });
  return fn;
}

function allow(fn: IFunction, actions: readonly string[], service: string, resource: string): void {
  const named = actions.map((action) => `${service}:${action}`);
  fn.addToRolePolicy(new PolicyStatement({ effect: Effect.ALLOW, actions: named, resources: [resource] }));
}
