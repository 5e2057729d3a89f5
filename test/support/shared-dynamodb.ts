/**
 * Starts the DynamoDB that many test files share, one for each worker of Jest.
 *
 * DynamoDB Local stores the stream records of all tables in one SQLite table. For most requests it reads the first stream
 * record of a table, and it has no index for this. So it gets slower with each record of each earlier table. This module adds
 * the missing indexes, which needs a database in a file. The file is in memory, because DynamoDB Local syncs each write.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { dynamodbCommandMarker, startDynamodb } from '../../infra/local/dynamodb.ts';
import { localRegion } from '../../infra/local/environment.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { identify } from '../../infra/local/process-identity.ts';
import { claimRun } from '../../infra/local/run-file.ts';

export interface SharedDynamodb {
  readonly endpoint: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Where Linux has a file system in memory. */
const memory = '/dev/shm';
const directoryPrefix = 'remit-test-';
/** All tests together store less than a quarter of this. */
const requiredBytes = 4 * 2 ** 30;
/** The name that DynamoDB Local gives to the database of all regions and credentials. */
const databaseName = 'shared-local-instance.db';
/**
 * The cache is large enough for what a file reads. Each index contains all columns of the queries that need it. The
 * statistics say that one stream has a million records. Otherwise SQLite reads new records by an index, too, which takes
 * all records of the stream, and not by their sequence numbers. SQLite reads
 * the statistics again after a change of the schema.
 */
const indexes = `
  PRAGMA default_cache_size = 65536;
  CREATE INDEX us_stream ON us (StreamID, SequenceNumber);
  CREATE INDEX us_shard ON us (ShardID, SequenceNumber, CreationDateTime);
  ANALYZE;
  DELETE FROM sqlite_stat1 WHERE tbl = 'us';
  INSERT INTO sqlite_stat1 VALUES ('us', 'us_stream', '1000000 1000000 1'), ('us', 'us_shard', '1000000 1000000 1 1');
  CREATE TABLE changed (x);
  DROP TABLE changed;
`;
const runFiles = join(repositoryRoot, '.local', 'run');

/** Starts a DynamoDB in memory, without the indexes. */
export function startDynamodbInMemory(): Promise<SharedDynamodb> {
  return start(`test-${randomUUID()}`, undefined);
}

/**
 * Starts a DynamoDB with the indexes. Returns undefined if the machine has no file system in memory with enough free space.
 * @param worker the number of the worker, from 1
 */
export async function startIndexedDynamodb(worker: number): Promise<SharedDynamodb | undefined> {
  if (freeBytes() < requiredBytes) return undefined;
  deleteLeftovers();
  const directory = join(memory, `${directoryPrefix}${process.pid}-${worker}`);
  mkdirSync(directory, { mode: 0o700 });
  const deleteDirectory = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', deleteDirectory);
  const dynamodb = await start(`test-${process.pid}-${worker}`, directory);
  await addIndexes(dynamodb.endpoint, directory);
  return { ...dynamodb, close: () => dynamodb.close().finally(deleteDirectory) };
}

async function start(name: string, dataDirectory: string | undefined): Promise<SharedDynamodb> {
  const runFile = await claimRun(runFiles, name, dynamodbCommandMarker);
  try {
    const { endpoint, pid, close } = await startDynamodb({
      runFile,
      ...(dataDirectory && { dataDirectory }),
    });
    return { endpoint, pid, close: () => close().finally(() => runFile.release()) };
  } catch (error) {
    runFile.release();
    throw error;
  }
}

async function addIndexes(endpoint: string, directory: string): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  // The first request creates the database.
  await client.send(new ListTablesCommand()).finally(() => client.destroy());
  const database = new DatabaseSync(join(directory, databaseName));
  database.exec(indexes);
  database.close();
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Deletes the directories of runs that were killed. */
function deleteLeftovers(): void {
  for (const entry of readdirSync(memory).filter((name) => name.startsWith(directoryPrefix))) {
    const pid = Number.parseInt(entry.slice(directoryPrefix.length), 10);
    if (!identify(pid)) rmSync(join(memory, entry), { recursive: true, force: true });
  }
}
