/** Lists the tables of an AWS account and region. */
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';

/**
 * Returns the names of the tables that begin with `prefix`. CloudFormation begins the name of a table with that of its stack.
 * @throws the error of DynamoDB, for example `AccessDeniedException`
 */
export async function listTables(prefix: string): Promise<string[]> {
  const client = new DynamoDBClient();
  try {
    const names: string[] = [];
    for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames);
    return names.filter((name) => name.startsWith(prefix));
  } finally {
    client.destroy();
  }
}
