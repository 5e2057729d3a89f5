/**
 * The whole service on one machine, for `npm start` and for tests: endpoints of DynamoDB and SQS, table, queues,
 * the environment of the functions, gateway, pollers and clock, started in that order and ended in reverse.
 * The functions live in this process and read its environment, so one process has one stack.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { apiVersion } from '../../shared/api-version.ts';
import type { QueueName } from '../../shared/queues.ts';
import { routes } from '../../shared/routes.ts';
import { type Queue, queues } from '../triggers.ts';
import { type Background, startBackground } from './background.ts';
import { ensureDeploymentSecret } from './deployment-secret-file.ts';
import { localRegion, region, setEnvironment, setLocalCredentials } from './environment.ts';
import { startGateway } from './gateway.ts';
import type { Report } from './loop.ts';
import { ensureQueue, type OpenQueue, startQueueServer } from './queue-server.ts';
import { deleteTable, ensureTable } from './table.ts';

export interface StackOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tableName: string;
  /** Begins the names of the queues. */
  readonly queuePrefix: string;
  /** The endpoint of a DynamoDB that runs, or how to start one; it is ended with the stack. */
  readonly dynamodb: string | (() => Promise<{ endpoint: string; close(): Promise<void> }>);
  /** The endpoint of an SQS that runs; without it one is started in this process. */
  readonly sqsEndpoint?: string | undefined;
  /** Made if it is absent. */
  readonly deploymentSecretFile: string;
  readonly scheduleIntervalMs: number;
  /** Begins with an empty table, whatever was in it. */
  readonly emptyTable?: boolean;
  readonly report: Report;
  /** Ends a start that is no longer wanted: it rejects then, with nothing left running. */
  readonly signal?: AbortSignal;
}

export interface Stack extends Omit<Background, 'close'> {
  readonly baseUrl: string;
  readonly payUrlBase: string;
  readonly tableName: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly deploymentSecretFile: string;
  readonly queueUrls: Readonly<Record<QueueName, OpenQueue>>;
  /** Ends everything that was started, after the functions that are running; the second call waits for the first. */
  close(): Promise<void>;
}

type Closer = () => Promise<void> | void;

/** Starts the stack; once it resolved, requests are answered and changes are followed up. Leaves nothing behind if it rejects. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const closers: Closer[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const stack = await start(options, closers);
    let closing: Promise<void> | undefined;
    return {
      ...stack,
      close: () => {
        closing ??= closeAll();
        return closing;
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function start(options: StackOptions, closers: Closer[]): Promise<Omit<Stack, 'close'>> {
  const { tableName, deploymentSecretFile, report, signal } = options;
  const gateway = await startGateway({ host: options.host, port: options.port, report });
  closers.push(gateway.close);
  const payUrlBase = `${gateway.baseUrl}/pay`;

  const dynamodbEndpoint = await openDynamodb(options.dynamodb, closers);
  signal?.throwIfAborted();
  const sqsEndpoint = await openSqs(options.sqsEndpoint, closers);
  setLocalCredentials([dynamodbEndpoint, sqsEndpoint]);
  setEnvironment({
    TABLE_NAME: tableName,
    PAY_URL_BASE: payUrlBase,
    DEPLOYMENT_SECRET_FILE: deploymentSecretFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    AWS_ENDPOINT_URL_SQS: sqsEndpoint,
    // Receivers under development are on the same machine.
    WEBHOOK_ALLOWED_RANGES: process.env.WEBHOOK_ALLOWED_RANGES ?? '127.0.0.0/8,::1/128',
  });
  await ensureDeploymentSecret(deploymentSecretFile);

  const dynamodb = new DynamoDBClient({ endpoint: dynamodbEndpoint, region: region() });
  const streams = new DynamoDBStreamsClient({ endpoint: dynamodbEndpoint, region: region() });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region: region() });
  closers.push(() => {
    for (const client of [dynamodb, streams, sqs]) client.destroy();
  });
  if (options.emptyTable) await deleteTable(dynamodb, tableName);
  const [{ streamArn }, queueUrls] = await Promise.all([
    ensureTable(dynamodb, tableName),
    openQueues(sqs, options.queuePrefix),
  ]);
  signal?.throwIfAborted();

  const background = await startBackground({
    ...{ streams, streamArn, sqs, queues: queueUrls, region: region(), report },
    scheduleIntervalMs: options.scheduleIntervalMs,
  });
  closers.push(background.close);
  await gateway.serve(Object.values(routes), apiVersion);
  // Requests end first, while everything that they use still runs.
  closers.push(gateway.close);
  signal?.throwIfAborted();

  const { close: _, ...parts } = background;
  const { baseUrl } = gateway;
  return {
    baseUrl,
    payUrlBase,
    tableName,
    dynamodbEndpoint,
    sqsEndpoint,
    deploymentSecretFile,
    queueUrls,
    ...parts,
  };
}

async function openDynamodb(dynamodb: StackOptions['dynamodb'], closers: Closer[]): Promise<string> {
  if (typeof dynamodb === 'string') return dynamodb;
  const { endpoint, close } = await dynamodb();
  closers.push(close);
  return endpoint;
}

async function openSqs(endpoint: string | undefined, closers: Closer[]): Promise<string> {
  if (endpoint) return endpoint;
  const server = await startQueueServer(process.env.AWS_REGION ?? localRegion);
  closers.push(server.close);
  return server.endpoint;
}

/** Makes the queues and tells the functions their addresses. */
async function openQueues(client: SQSClient, prefix: string): Promise<Record<QueueName, OpenQueue>> {
  const opened = await Promise.all(
    Object.entries<Queue>(queues).map(async ([name, queue]) => {
      const open = await ensureQueue(client, `${prefix}-${name}`, queue);
      setEnvironment({ [queue.url]: open.url });
      return [name, open] as const;
    }),
  );
  return Object.fromEntries(opened) as Record<QueueName, OpenQueue>;
}
