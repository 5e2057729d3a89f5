/**
 * Runs DynamoDB transactions. Retries each one until all is written or a condition fails. The SDK does not retry the
 * conflicts and the throttling that a canceled transaction reports, so this file does.
 */
import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { DeadlineExceededError, noteEffect, remainingMs } from '../base/deadline.ts';
import { env } from '../base/env.ts';
import { dynamodb, retryDelayMs } from './client.ts';
import type { Key } from './keys.ts';
import type { Item } from './records.ts';
import { isThrottling, waitWhileThrottled } from './throttling.ts';

export type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Whether all was written. If not, tells for each action whether its condition failed, and on which stored item. */
export type TransactionResult =
  | { readonly written: true }
  | { readonly written: false; readonly failed: readonly FailedAction[] };

/** The result of one action of a canceled transaction. */
export interface FailedAction {
  /** Whether the action's own condition failed. */
  readonly failed: boolean;
  /** The item that made it fail. */
  readonly item: Item | undefined;
}

/**
 * About eleven seconds with the waits between the attempts, so a request still has time to answer. A throttled
 * transaction has as many attempts as fit before the deadline.
 */
const maxAttempts = 20;

/**
 * Writes all items or none.
 * @param token the same for every retry of the same items, so that a retry after a lost answer has no second effect
 * @throws the last error of DynamoDB when the retries are used up. A failed condition is a result, not an error.
 * @throws ThrottledError if DynamoDB throttled the transaction until the deadline, and nothing has taken effect before
 */
export async function writeTransaction(
  items: TransactionItem[],
  token: string = randomUUID(),
): Promise<TransactionResult> {
  for (let attempt = 0; ; attempt++) {
    try {
      await dynamodb.send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: token }));
      noteEffect();
      return { written: true };
    } catch (error) {
      const result = transactionResultOf(error);
      if (result) return result;
      await waitToRetry(error, attempt);
    }
  }
}

/**
 * Reads items as they were at one moment. Retries conflicts with writes.
 * @returns one element for each key, undefined where the item does not exist
 * @throws the last error of DynamoDB when the retries are used up
 */
export async function readTransaction(wanted: readonly Key[]): Promise<(Item | undefined)[]> {
  const TransactItems = wanted.map((Key) => ({ Get: { TableName: env.tableName(), Key } }));
  for (let attempt = 0; ; attempt++) {
    try {
      const { Responses } = await dynamodb.send(new TransactGetCommand({ TransactItems }));
      return wanted.map((_, index) => Responses?.[index]?.Item);
    } catch (error) {
      await waitToRetry(error, attempt);
    }
  }
}

function transactionResultOf(error: unknown): TransactionResult | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some((reason) => reason.Code === 'ConditionalCheckFailed')) return undefined;
  return {
    written: false,
    failed: reasons.map(({ Code, Item }) => ({
      failed: Code === 'ConditionalCheckFailed',
      item: Item && unmarshall(Item),
    })),
  };
}

/** Waits before the next attempt. Throws `error` if there is none. */
async function waitToRetry(error: unknown, attempt: number): Promise<void> {
  const codes = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const isThrottled = codes.some(({ Code }) => isThrottling(Code));
  if (isThrottled && (attempt + 1 < maxAttempts || remainingMs() !== Number.POSITIVE_INFINITY))
    return waitWhileThrottled(attempt, error);
  const isConflict = codes.some(({ Code }) => Code === 'TransactionConflict');
  const isInProgress = error instanceof Error && error.name === 'TransactionInProgressException';
  if (!(isConflict || isInProgress) || attempt + 1 >= maxAttempts) throw error;
  await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
}

/**
 * Whether a transaction failed because of the form of an item that exists: an action adds a number where the item has a text. The reason
 * of the action says so on AWS, and the message of the call in DynamoDB Local.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export function isRefusedByItem(error: unknown): boolean {
  if (error instanceof TransactionCanceledException)
    return (error.CancellationReasons ?? []).some(({ Code }) => Code === 'ValidationError');
  return types.isNativeError(error) && error.message.includes('operand in the update expression');
}

/**
 * Whether the input of a call caused its failure, so that a part of the input could succeed. The other errors of AWS,
 * such as throttling, and exceeded deadlines are about the state of the service.
 */
export function isCausedByInput(error: unknown): boolean {
  if (isRefusedByItem(error)) return true;
  if (error instanceof TransactionCanceledException) return false;
  // An error of Node itself can have the class of another context.
  if (!types.isNativeError(error) || error instanceof DeadlineExceededError) return false;
  return error.name === 'ValidationException' || !('$metadata' in error);
}
