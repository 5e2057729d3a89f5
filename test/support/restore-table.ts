/** Exports a table, and restores it into a new table in the same steps as a point-in-time recovery. */
import {
  CreateTableCommand,
  DynamoDBClient,
  StreamViewType,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { deleteTable, tableDefinition } from '../../infra/local/table.ts';
import { type TestItem, tableOf } from './table.ts';

/** Returns all items that are in the table now. */
export function exportTable(stack: Stack): Promise<TestItem[]> {
  return tableOf(stack).all('');
}

/** Deletes the table with all its items. */
export async function wipeTable({ dynamodbEndpoint, tableName }: Stack): Promise<void> {
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint });
  await deleteTable(client, tableName);
  client.destroy();
}

/** Creates the table, writes the items, and then enables the stream, so that the stream never shows these items. */
export async function restoreTable(
  dynamodbEndpoint: string,
  tableName: string,
  items: readonly TestItem[],
): Promise<void> {
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint });
  const name = { TableName: tableName };
  const waiting = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 };
  await client.send(new CreateTableCommand({ ...name, ...tableDefinition }));
  await waitUntilTableExists(waiting, name);
  await tableOf({ dynamodbEndpoint, tableName }).putAll(items);
  const StreamSpecification = { StreamEnabled: true, StreamViewType: StreamViewType.NEW_IMAGE };
  await client.send(new UpdateTableCommand({ ...name, StreamSpecification }));
  await waitUntilTableExists(waiting, name);
  client.destroy();
}
