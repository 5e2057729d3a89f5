/**
 * Replaces `@aws-sdk/lib-dynamodb`, `@aws-sdk/client-sqs` and `@aws-sdk/client-secrets-manager` in the bundles of the
 * functions. The short path of `shared/platform/aws/direct-client.ts` needs only the inputs of commands. The SDK's commands also bring
 * the schemas of all their operations and most of the SDK.
 */
import { constructStack } from '@smithy/core/client';

class Command {
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }
}

export class BatchGetCommand extends Command {}
export class BatchWriteCommand extends Command {}
export class DeleteCommand extends Command {}
export class GetCommand extends Command {}
export class PutCommand extends Command {}
export class QueryCommand extends Command {
  /** Other commands have no steps of their own. */
  readonly middlewareStack = constructStack();
}
export class ScanCommand extends Command {}
export class TransactGetCommand extends Command {}
export class TransactWriteCommand extends Command {}
export class UpdateCommand extends Command {}

export class SendMessageBatchCommand extends Command {}
export class SendMessageCommand extends Command {}

export class GetSecretValueCommand extends Command {}

// The code that creates the SDK's clients imports them, but no bundle with these commands contains that code.
export const DynamoDBDocumentClient = undefined;
export const SQSClient = undefined;
export const SecretsManagerClient = undefined;
