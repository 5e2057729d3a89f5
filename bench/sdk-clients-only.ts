/** Loads the SDK clients and commands that `functions/invoices/create.ts` replaces, and does nothing else. */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = async () => [
  dynamodb,
  unmarshall,
  ConditionalCheckFailedException,
  GetCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  await import('./sdk-secret-reader.ts'),
];
