/** Creates the client of DynamoDB on the short path. */
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ReplicatedWriteConflictException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { DirectClient } from '../platform/aws/direct-client.ts';
import type { DirectOptions, DirectService } from '../platform/aws/direct-service.ts';
import { fromDynamodbJson, toDynamodbJson } from './document-json.ts';

const service: DirectService = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  contentType: 'application/x-amz-json-1.0',
  operations: new Map<unknown, string>([
    [BatchGetCommand, 'BatchGetItem'],
    [BatchWriteCommand, 'BatchWriteItem'],
    [DeleteCommand, 'DeleteItem'],
    [GetCommand, 'GetItem'],
    [PutCommand, 'PutItem'],
    [QueryCommand, 'Query'],
    [ScanCommand, 'Scan'],
    [TransactGetCommand, 'TransactGetItems'],
    [TransactWriteCommand, 'TransactWriteItems'],
    [UpdateCommand, 'UpdateItem'],
  ]),
  errors: { ConditionalCheckFailedException, ReplicatedWriteConflictException, TransactionCanceledException },
  BaseError: DynamoDBServiceException as never,
  toJson: toDynamodbJson,
  fromJson: fromDynamodbJson,
};

/** @param options the retries, the timeouts and the connections */
export const createDirectTable = (options: DirectOptions): DirectClient => new DirectClient(service, options);
