/** Creates the SDK's client of DynamoDB. It is the reference for the short path of `direct-table.ts`. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DirectOptions } from '../platform/aws/direct-service.ts';

/** @param options the retries, the timeouts and the connections */
export function createSdkTable(
  options: DirectOptions & { readonly maxAttempts: number },
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(options), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
