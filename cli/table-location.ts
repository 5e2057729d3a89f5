/** Describes where a table is, for the line that names the table of a command. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

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
