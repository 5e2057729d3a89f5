/**
 * Creates the background functions of the trigger table and connects them to the stream, the queues and the schedules.
 * The functions report failed records one by one, so Lambda retries only those.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  FilterCriteria,
  FilterRule,
  type Function as FunctionConstruct,
  type IFunction,
  RecursiveLoop,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { wholeProcessor } from './function.ts';
import { createGrantedFunction, type FunctionDependencies } from './granted-function.ts';
import { grants, type HandlerFile } from './grants.ts';
import { capitalize } from './queues.ts';
import type { DeployedFunction } from './rollout.ts';
import { divideConcurrency } from './shares.ts';
import { queues, type Trigger, triggers } from './triggers.ts';

type OfKind<Kind extends Trigger['kind']> = Extract<Trigger, { kind: Kind }> & { handler: HandlerFile };

/** After this many retries the stream skips a record. The sweep processes it about a minute later. */
const streamRetries = 3;
const streamTimeout = Duration.seconds(60);

const rareTrigger: keyof typeof triggers = 'deleteSandboxes';

type BackgroundDependencies = FunctionDependencies & Required<Pick<FunctionDependencies, 'queues'>>;

export type BackgroundFunctions = Readonly<Record<keyof typeof triggers, DeployedFunction>>;

/** Creates the function of each trigger and connects it. Returns the functions by trigger name. */
export function createBackground(
  scope: Construct,
  dependencies: BackgroundDependencies,
): BackgroundFunctions {
  const created = Object.entries(triggers).map(([name, trigger]) => {
    const id = capitalize(name);
    if (trigger.kind === 'stream') return [name, addStream(scope, id, trigger, dependencies)];
    if (trigger.kind === 'queue') return [name, addQueue(scope, id, trigger, dependencies)];
    return [name, addSchedule(scope, id, trigger, dependencies)];
  });
  return Object.fromEntries(created);
}

/**
 * Returns the functions whose errors count together. The deletion of sandboxes runs too rarely to reach their thresholds, so it has an
 * alarm of its own.
 */
export function countedFunctions(background: BackgroundFunctions): FunctionConstruct[] {
  return Object.entries(background).flatMap(([name, { fn }]) => (name === rareTrigger ? [] : [fn]));
}

function addStream(
  scope: Construct,
  id: string,
  { handler, batchSize, parallelizationFactor, filter }: OfKind<'stream'>,
  dependencies: BackgroundDependencies,
): DeployedFunction {
  const { table } = dependencies.stateful;
  const shares = divideConcurrency(dependencies.settings.concurrency);
  const options = { handler, timeout: streamTimeout, ...reserve('stream', dependencies) };
  const deployed = createGrantedFunction(scope, id, options, dependencies);
  const { fn, alias } = deployed;
  const streamArn = table.tableStreamArn;
  allow(fn, ['GetShardIterator', 'GetRecords', 'DescribeStream'], 'dynamodb', streamArn);
  allow(fn, ['ListStreams'], 'dynamodb', `${table.tableArn}/stream/*`);
  const imported: string | { 'Fn::ImportValue': string } = Stack.of(fn).resolve(table.tableArn);
  const tableArn = typeof imported === 'string' ? imported : imported['Fn::ImportValue'];
  acknowledge(
    fn.role ?? fn,
    `IAM5[Resource::${tableArn}/stream/*]`,
    'ListStreams has no narrower resource than all streams of this one table.',
  );
  alias.addEventSourceMapping('Stream', {
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    // Lambda runs this many batches of each stream shard at once.
    parallelizationFactor: Math.min(parallelizationFactor, shares.stream),
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
  return deployed;
}

/**
 * Connects a function to its queue.
 *
 * - The function's timeout is half of the visibility timeout. So SQS never redelivers a message during its processing.
 * - A function that sends messages to its own queue needs `RecursiveLoop.ALLOW`. Otherwise Lambda stops it after 16
 *   messages in a row, because it looks like an infinite loop.
 */
function addQueue(
  scope: Construct,
  id: string,
  { handler, queue: name, batchSize }: OfKind<'queue'>,
  dependencies: BackgroundDependencies,
): DeployedFunction {
  const queue = dependencies.queues[name];
  const timeout = Duration.seconds(Math.floor(queues[name].visibilityTimeoutSeconds / 2));
  const recursion = grants[handler].sendsTo?.includes(name) && { recursiveLoop: RecursiveLoop.ALLOW };
  // A mail has a PDF, and rendering it takes most of the time.
  const memory = handler === triggers.sendMail.handler && wholeProcessor;
  const options = { handler, timeout, ...recursion, ...memory };
  const deployed = createGrantedFunction(scope, id, options, dependencies);
  const { fn, alias } = deployed;
  allow(fn, ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'], 'sqs', queue.queueArn);
  alias.addEventSourceMapping('Queue', {
    eventSourceArn: queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    maxConcurrency: divideConcurrency(dependencies.settings.concurrency).queues[name],
  });
  return deployed;
}

/**
 * Calls a function at a fixed rate.
 *
 * - Only one run is active at a time, unless the account's limit leaves nothing to reserve.
 * - A run that fails or is throttled is not retried, because the next one starts soon.
 */
function addSchedule(
  scope: Construct,
  id: string,
  { handler, everySeconds, timeoutSeconds }: OfKind<'schedule'>,
  dependencies: BackgroundDependencies,
): DeployedFunction {
  const options = {
    handler,
    timeout: Duration.seconds(timeoutSeconds),
    ...reserve('schedule', dependencies),
  };
  const deployed = createGrantedFunction(scope, id, options, dependencies);
  const retryPolicy = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  deployed.alias.configureAsyncInvoke(retryPolicy);
  new Rule(scope, `${id}Schedule`, {
    schedule: Schedule.rate(Duration.seconds(everySeconds)),
    targets: [new LambdaFunction(deployed.alias as IFunction, retryPolicy)],
  });
  return deployed;
}

/** Returns the function's reserved concurrency, if the account's limit allows a reservation. */
function reserve(kind: 'stream' | 'schedule', { settings }: FunctionDependencies) {
  const shares = divideConcurrency(settings.concurrency);
  return shares.reserved && { reservedConcurrentExecutions: shares[kind] };
}

function allow(fn: IFunction, actions: readonly string[], service: string, resource: string): void {
  const qualified = actions.map((action) => `${service}:${action}`);
  fn.addToRolePolicy(
    new PolicyStatement({ effect: Effect.ALLOW, actions: qualified, resources: [resource] }),
  );
}
