/**
 * Starts the whole service on one machine, for `npm start` and for tests.
 *
 * - The gateway listens first and responds last. The other parts start in this order: DynamoDB, SQS and S3, the double of SES, the environment
 *   of the functions, the table, the queues, the bucket, the policies, the pollers and schedules, the dashboard. They stop in reverse order.
 * - The functions run in this process and read its environment, so one process can run only one stack.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { routes } from '../../shared/api/routes.ts';
import type { QueueName } from '../../shared/base/queues.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Queue, queues } from '../triggers.ts';
import { type BackgroundLoops, startBackground } from './background.ts';
import { limitBackgroundCalls } from './call-slots.ts';
import type { DashboardOptions, LocalDashboard } from './dashboard.ts';
import { enforcePolicies } from './enforce-policies.ts';
import { currentRegion, localRegion, setEnvironment, setLocalCredentials } from './environment.ts';
import { type RequestListener, startGateway } from './gateway.ts';
import { type LocalTargets, openLocalTargets } from './local-targets.ts';
import type { ReportError } from './loop.ts';
import type { SesDouble } from './mail/ses-double.ts';
import { openMail, publishReports } from './open-mail.ts';
import { createPollClients } from './poll-clients.ts';
import { ensureBucket, ensureQueue, type OpenQueue, startQueueServer } from './queue-server.ts';
import { ensureSecretFiles, secretFileVariables } from './secret-files.ts';
import { deleteTable, ensureTable } from './table.ts';
import { startTargetDouble } from './targets/target-double.ts';

export interface StackOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly tableName: string;
  /** The prefix of the queue names. */
  readonly queuePrefix: string;
  /** The endpoint of a running DynamoDB, or a function that starts one. The stack stops a DynamoDB that it started. */
  readonly dynamodb: string | (() => Promise<{ endpoint: string; close(): Promise<void> }>);
  /** The endpoint of a running SQS. Without it the stack starts an emulator in this process. */
  readonly sqsEndpoint?: string | undefined;
  /** The endpoint of a running S3. Without it the stack uses its own emulator of SQS, or starts one for S3. */
  readonly s3Endpoint?: string | undefined;
  /** Where the objects of the bucket stay, if the stack starts the emulator. Without it they are in memory. */
  readonly objectDirectory?: string | undefined;
  /** The port of the double of Amazon SES, and of its page. The default is any free port. */
  readonly mailPort?: number;
  /** Where the double stores each mail as a file. The default is nowhere. */
  readonly mailDirectory?: string;
  /** Created if it does not exist, and the files of the other secrets beside it. */
  /** Whether the double reports that each mail was delivered. The default is no: tests decide what comes of a mail. */
  readonly reportsDeliveries?: boolean;
  readonly deploymentSecretFile: string;
  readonly scheduleIntervalMs: number;
  /** Whether the work of the day begins by itself: the reconciliation, and the folding of lists. The default is no. */
  readonly beginsDailyWork?: boolean | undefined;
  /** The timeout of a function that answers requests, in milliseconds. The default is that of the gateway. */
  readonly requestTimeoutMs?: number;
  /** Starts the dashboard. Without it, the stack has no dashboard. */
  readonly dashboard?: DashboardOptions | undefined;
  /** Whether a call that the role of its function does not allow fails, as on AWS. The default is yes. Benchmarks say no. */
  readonly enforcesPolicies?: boolean;
  /** Deletes an existing table first. */
  readonly emptyTable?: boolean;
  readonly report: ReportError;
  /** Learns of each request to the API, the payment page and the dashboard. */
  readonly onRequest?: RequestListener | undefined;
  /** Cancels the start. It then rejects and leaves nothing running. */
  readonly signal?: AbortSignal;
}

export interface Stack extends Omit<BackgroundLoops, 'close'> {
  readonly baseUrl: string;
  readonly payUrlBase: string;
  readonly tableName: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly bucketName: string;
  readonly deploymentSecretFile: string;
  /** The double of Amazon SES, which delivers nothing. */
  readonly mail: SesDouble;
  /** The queues, the bus and the function to which webhook endpoints can send. */
  readonly targets: LocalTargets;
  readonly dashboard: LocalDashboard | undefined;
  readonly queueUrls: Readonly<Record<QueueName, OpenQueue>>;
  /** Waits for running functions, then stops all started parts. A second call waits for the first. */
  close(): Promise<void>;
}

type Closer = () => Promise<void> | void;

/**
 * Starts the stack. When it resolves, the API responds and the background functions run. If it rejects, it leaves
 * nothing running.
 */
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
  const gateway = await startGateway({
    host: options.host,
    port: options.port,
    report,
    onRequest: options.onRequest,
    ...(options.requestTimeoutMs !== undefined && { timeoutMs: options.requestTimeoutMs }),
  });
  closers.push(gateway.close);
  const payUrlBase = `${gateway.baseUrl}/pay`;
  const dynamodbEndpoint = await openDynamodb(options.dynamodb, closers);
  signal?.throwIfAborted();
  const { sqsEndpoint, s3Endpoint } = await openSqsAndS3(options, closers);
  setLocalCredentials([dynamodbEndpoint, sqsEndpoint, s3Endpoint]);
  const mail = await openMail(options);
  closers.push(mail.close);
  const targetDouble = await startTargetDouble();
  closers.push(targetDouble.close);
  setVariables(options, { payUrlBase, dynamodbEndpoint, sqsEndpoint, s3Endpoint });
  await ensureSecretFiles(deploymentSecretFile);

  const region = currentRegion();
  const dynamodb = new DynamoDBClient({ endpoint: dynamodbEndpoint, region });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region });
  const polls = createPollClients({ dynamodb: dynamodbEndpoint, sqs: sqsEndpoint, region });
  closers.push(() => {
    for (const client of [dynamodb, sqs, polls]) client.destroy();
  });
  if (options.emptyTable) await deleteTable(dynamodb, tableName);
  const [{ streamArn }, queueUrls, targets] = await Promise.all([
    ensureTable(dynamodb, tableName),
    openQueues(sqs, options.queuePrefix, mail),
    openLocalTargets(sqs, options.queuePrefix, targetDouble),
    ensureBucket(s3Endpoint, tableName),
  ]);
  signal?.throwIfAborted();
  closers.push(await limitBackgroundCalls());
  if (options.enforcesPolicies ?? true)
    closers.push(await enforcePolicies({ tableName, bucketName: tableName, queueUrls }));
  const background = await startBackground({
    ...polls,
    streamArn,
    queues: queueUrls,
    region,
    report,
    scheduleIntervalMs: options.scheduleIntervalMs,
    beginsDailyWork: options.beginsDailyWork,
  });
  closers.push(background.close);
  await gateway.serve(Object.values(routes), firstApiVersion);
  // Closes before the other parts, so running requests can still use them.
  closers.push(gateway.close);
  signal?.throwIfAborted();
  const dashboard = await openDashboard(options);
  if (dashboard) closers.push(dashboard.close);
  signal?.throwIfAborted();
  const { close: _, ...parts } = background;
  return {
    ...parts,
    baseUrl: gateway.baseUrl,
    payUrlBase,
    tableName,
    dynamodbEndpoint,
    sqsEndpoint,
    s3Endpoint,
    bucketName: tableName,
    deploymentSecretFile,
    mail,
    targets,
    dashboard,
    queueUrls,
  };
}

/** Sets the environment of all functions, as far as it is known before the queues exist. */
function setVariables(
  { tableName, deploymentSecretFile }: StackOptions,
  urls: Pick<Stack, 'payUrlBase' | 'dynamodbEndpoint' | 'sqsEndpoint' | 's3Endpoint'>,
): void {
  setEnvironment({
    TABLE_NAME: tableName,
    BUCKET_NAME: tableName,
    PAY_URL_BASE: urls.payUrlBase,
    SECURITY_CONTACT: process.env.SECURITY_CONTACT ?? 'mailto:security@localhost',
    ...secretFileVariables(deploymentSecretFile),
    AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodbEndpoint,
    AWS_ENDPOINT_URL_SQS: urls.sqsEndpoint,
    AWS_ENDPOINT_URL_S3: urls.s3Endpoint,
    // Webhook receivers in development run on this machine.
    WEBHOOK_ALLOWED_RANGES: process.env.WEBHOOK_ALLOWED_RANGES ?? '127.0.0.0/8,::1/128',
  });
}

async function openDynamodb(dynamodb: StackOptions['dynamodb'], closers: Closer[]): Promise<string> {
  if (typeof dynamodb === 'string') return dynamodb;
  const { endpoint, close } = await dynamodb();
  closers.push(close);
  return endpoint;
}

/** Only a stack with a dashboard loads its issuer, which has 200 modules. */
async function openDashboard(options: StackOptions): Promise<LocalDashboard | undefined> {
  if (!options.dashboard) return undefined;
  const { startDashboard } = await import('./dashboard.ts');
  return startDashboard(options.host, options.dashboard, options.report, options.onRequest);
}

/** One emulator serves both, as far as the options name no endpoint. */
async function openSqsAndS3(
  { sqsEndpoint, s3Endpoint, objectDirectory }: StackOptions,
  closers: Closer[],
): Promise<Pick<Stack, 'sqsEndpoint' | 's3Endpoint'>> {
  if (sqsEndpoint && s3Endpoint) return { sqsEndpoint, s3Endpoint };
  const server = await startQueueServer(process.env.AWS_REGION ?? localRegion, objectDirectory);
  closers.push(server.close);
  return { sqsEndpoint: sqsEndpoint || server.endpoint, s3Endpoint: s3Endpoint || server.endpoint };
}

/** Creates the queues, lets the double of SES report to one of them, and sets the environment variables with their URLs. */
async function openQueues(
  client: SQSClient,
  prefix: string,
  mail: SesDouble,
): Promise<Record<QueueName, OpenQueue>> {
  const opened = await Promise.all(
    Object.entries<Queue>(queues).map(async ([name, queue]) => {
      const open = await ensureQueue(client, `${prefix}-${name}`, queue);
      setEnvironment({ [queue.urlVariable]: open.url });
      return [name, open] as const;
    }),
  );
  const queueUrls = Object.fromEntries(opened) as Record<QueueName, OpenQueue>;
  publishReports(mail, client, queueUrls.feedback.url);
  return queueUrls;
}
