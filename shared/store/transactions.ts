/**
 * One `TransactWriteItems`, retried until DynamoDB has given a verdict: all was written, or conditions failed.
 * Conflicts and throttling are no verdict; the SDK leaves those inside of a cancelled transaction to us.
 */
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../env.ts';
import { dynamodb, retryDelayMs } from './client.ts';
import type { Key } from './keys.ts';
import type { Item } from './records.ts';

export type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Whether all was written; if not, for each action whether its condition failed and the item that made it fail. */
export type Verdict =
  | { readonly written: true }
  | { readonly written: false; readonly failed: readonly { failed: boolean; item: Item | undefined }[] };

/** Some eleven seconds, which leaves a request time to answer. */
const maxAttempts = 20;

/**
 * Writes all or nothing.
 * @param token the same for every retry of the same items, so that a lost answer cannot lead to a second effect
 * @throws what DynamoDB answers other than failed conditions, once retries are exhausted
 */
export async function writeTransaction(
  items: TransactionItem[],
  token: string = randomUUID(),
): Promise<Verdict> {
  for (let attempt = 0; ; attempt++) {
    try {
      await dynamodb.send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: token }));
      return { written: true };
    } catch (error) {
      const verdict = verdictOf(error);
      if (verdict) return verdict;
      if (!isUndecided(error) || attempt + 1 >= maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    }
  }
}

/** Reads items as they were at one moment; undefined where there is none. Retries conflicts with writes. */
export async function readTransaction(wanted: readonly Key[]): Promise<(Item | undefined)[]> {
  const TransactItems = wanted.map((Key) => ({ Get: { TableName: env.tableName(), Key } }));
  for (let attempt = 0; ; attempt++) {
    try {
      const { Responses } = await dynamodb.send(new TransactGetCommand({ TransactItems }));
      return wanted.map((_, index) => Responses?.[index]?.Item);
    } catch (error) {
      if (!isUndecided(error) || attempt + 1 >= maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    }
  }
}

function verdictOf(error: unknown): Verdict | undefined {
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

const undecided = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

function isUndecided(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code }) => Code !== undefined && undecided.has(Code));
  }
  return error instanceof Error && error.name === 'TransactionInProgressException';
}
