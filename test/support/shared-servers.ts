/** Passes the servers that all test files share on: their endpoints to the tests, and their end to the teardown. */

interface SharedServers {
  readonly sqs: string;
  /** One for each worker of Jest, or one for all. The process is unknown if the run did not start it. */
  readonly dynamodb: readonly { readonly endpoint: string; readonly pid?: number }[];
  /** True if a DynamoDB does not get slower with each stream record. Then stacks use it, and start none of their own. */
  readonly isDynamodbIndexed: boolean;
  readonly synthesizer: { readonly endpoint: string; readonly pid: number };
}

export interface GlobalHandle {
  closeSharedServers?: () => Promise<void>;
}

const variable = 'REMIT_TEST_SERVERS';
const outsideOfRun = `${variable} is not set. Run the tests with npm test.`;

/** Passes the servers on to the workers of Jest, which get the environment of this process. */
export function setSharedServers(servers: SharedServers): void {
  process.env[variable] = JSON.stringify(servers);
}

/**
 * Returns the endpoints that this worker uses. `indexedDynamodb` is undefined if a stack should start a DynamoDB of its own.
 * @throws Error outside of `npm test`
 */
export function sharedEndpoints(): { sqs: string; dynamodb: string; indexedDynamodb: string | undefined } {
  const servers = readServers();
  if (!servers) throw new Error(outsideOfRun);
  const dynamodb = databaseOf(servers)?.endpoint;
  if (!dynamodb) throw new Error('The test run has no DynamoDB.');
  return { sqs: servers.sqs, dynamodb, indexedDynamodb: servers.isDynamodbIndexed ? dynamodb : undefined };
}

/**
 * Returns where `test/infra/synthesizer.ts` listens.
 * @throws Error outside of `npm test`
 */
export function synthesizerEndpoint(): string {
  const servers = readServers();
  if (!servers) throw new Error(outsideOfRun);
  return servers.synthesizer.endpoint;
}

/** Returns the process of the synthesizer, or undefined outside of a test run. */
export const synthesizerPid = (): number | undefined => readServers()?.synthesizer.pid;

/** Returns the process of the DynamoDB of this worker, if the run has started one for each worker. */
export function workerDynamodbPid(): number | undefined {
  const servers = readServers();
  return servers?.isDynamodbIndexed ? databaseOf(servers)?.pid : undefined;
}

function readServers(): SharedServers | undefined {
  const text = process.env[variable];
  return text ? JSON.parse(text) : undefined;
}

function databaseOf({ dynamodb }: SharedServers) {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1') - 1;
  return dynamodb[worker % dynamodb.length];
}
