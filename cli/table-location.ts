/** Describes where a table is, for the line that names the table of a command, and finds its stream. */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Returns the endpoint or the region that the AWS SDK uses for DynamoDB, for example `in eu-west-1`. Calls no service.
 * @throws Error if neither an endpoint nor a region is set
 */
export async function findTableLocation(): Promise<string> {
  const client = new DynamoDBClient();
  try {
    // The SDK reads this endpoint from environment variables or the AWS configuration file.
    const endpoint = await client.config.serviceConfiguredEndpoint?.();
    return endpoint ? `at ${endpoint}` : `in ${await client.config.region()}`;
  } finally {
    client.destroy();
  }
}

/** Returns the ARN of the table's stream, or undefined if it has none. Calls DynamoDB. */
export async function findStreamArn(tableName: string): Promise<string | undefined> {
  const client = new DynamoDBClient();
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table?.LatestStreamArn;
  } finally {
    client.destroy();
  }
}
