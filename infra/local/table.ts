/**
 * Creates the table with the same definition as the deployed one: the keys `pk` and `sk`, a stream of new images, and
 * TTL on `expiresAt`.
 */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { StartError } from './start-error.ts';

/** The definition of the table, without its stream. The caller enables the stream at creation or later. */
export const tableDefinition = {
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
} satisfies Omit<CreateTableCommandInput, 'TableName'>;

/**
 * Creates the table if it does not exist. Returns the ARN of its stream.
 * @throws StartError if an existing table has no stream
 */
export async function ensureTable(client: DynamoDBClient, tableName: string): Promise<{ streamArn: string }> {
  await create(client, tableName);
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: tableName });
  await ensureTimeToLive(client, tableName);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  if (!Table?.LatestStreamArn || !Table.StreamSpecification?.StreamEnabled) {
    throw new StartError(
      `The table ${tableName} has no stream. Delete the table, or enable a stream of new images.`,
    );
  }
  return { streamArn: Table.LatestStreamArn };
}

/** Deletes the table with all its items if it exists. */
export async function deleteTable(client: DynamoDBClient, tableName: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return;
    throw error;
  }
  await waitUntilTableNotExists(
    { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 },
    { TableName: tableName },
  );
}

async function create(client: DynamoDBClient, tableName: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        ...tableDefinition,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function ensureTimeToLive(client: DynamoDBClient, tableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: tableName }),
  );
  if (/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expiresAt' },
    }),
  );
}
