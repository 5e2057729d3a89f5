/**
 * Stores the operations of the test provider: the outcome of each key, and the amount of each capture that is left to
 * refund.
 *
 * - These items stand for the database of a real provider. So no other part of the service reads them, and their calls
 *   do not count among those of the request.
 * - Of a card, they contain only its outcomes. Card data is never stored.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../../../base/env.ts';
import type { Currency } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { uncounted } from '../../../store/call-count.ts';
import { dynamodb } from '../../../store/client.ts';
import { tableKeys } from '../../../store/keys.ts';
import type { Item } from '../../../store/records.ts';
import {
  count,
  defineItem,
  type Field,
  instant,
  objectOf,
  optional,
  text,
  textOf,
} from '../../../store/stored-fields.ts';
import { writeTransaction } from '../../../store/transactions.ts';
import type { ProviderOutcome } from './provider.ts';
import type { TestCard } from './test-cards.ts';

/** The operation of a key. */
export interface ProviderOperation {
  readonly key: string;
  readonly request: OperationRequest;
  readonly outcome: ProviderOutcome;
  /** The final outcome of an operation whose outcome is unknown, and the instant from which it applies. */
  readonly settlement?: { readonly at: Instant; readonly outcome: ProviderOutcome };
  /** The outcome of refunds of a capture, as its test card determines. */
  readonly refunds?: TestCard['refund'];
  /** The amount of a capture that is left to refund, in the smallest currency unit. Valid once the capture is done. */
  readonly leftMinor?: number;
}

/** The request of an operation. `void` means that the key was voided before any capture arrived. */
export type OperationRequest =
  | { readonly operation: 'capture'; readonly amountMinor: number; readonly currency: Currency }
  | { readonly operation: 'refund'; readonly amountMinor: number; readonly captureKey: string }
  | { readonly operation: 'void' };

/** Reads the operation of a key, strongly consistent. Returns undefined if none has arrived. */
export async function readOperation(key: string): Promise<ProviderOperation | undefined> {
  const get = new GetCommand({
    TableName: env.tableName(),
    Key: tableKeys.testProvider(key),
    ConsistentRead: true,
  });
  const { Item: item } = await uncounted(() => dynamodb.send(get));
  return item && toOperation(item);
}

/** Stores `operation` if its key is new. Returns the operation of that key: this one or the existing one. */
export async function putOperation(operation: ProviderOperation): Promise<ProviderOperation> {
  const put = new PutCommand(putIfNew(operation));
  try {
    await uncounted(() => dynamodb.send(put));
    return operation;
  } catch (error) {
    return existingOperation(error);
  }
}

/** Gives an operation its final outcome, if its outcome is unknown. Returns the operation as it is stored then. */
export async function settleOperation(
  { key }: ProviderOperation,
  outcome: ProviderOutcome,
): Promise<ProviderOperation> {
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key: tableKeys.testProvider(key),
    UpdateExpression: 'SET outcome = :outcome REMOVE settlement',
    ConditionExpression: 'outcome = :unknown',
    ExpressionAttributeValues: { ':outcome': outcome, ':unknown': { kind: 'unknown' } },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes: item } = await uncounted(() => dynamodb.send(update));
    return toOperation(item as Item);
  } catch (error) {
    return existingOperation(error);
  }
}

/**
 * Stores a refund that is done, and subtracts its amount from the rest of its capture, in one transaction. Returns
 * undefined, with nothing changed, if its key is not new or if less than the amount is left of the capture.
 */
export async function putRefund(
  refund: ProviderOperation,
  { captureKey, amountMinor }: Extract<OperationRequest, { operation: 'refund' }>,
): Promise<ProviderOperation | undefined> {
  const subtract = {
    TableName: env.tableName(),
    Key: tableKeys.testProvider(captureKey),
    UpdateExpression: 'SET leftMinor = leftMinor - :amount',
    ConditionExpression: 'outcome = :done AND leftMinor >= :amount',
    ExpressionAttributeValues: { ':amount': amountMinor, ':done': { kind: 'done' } },
  };
  const result = await uncounted(() => writeTransaction([{ Put: putIfNew(refund) }, { Update: subtract }]));
  return result.written ? refund : undefined;
}

function putIfNew(operation: ProviderOperation) {
  return {
    TableName: env.tableName(),
    Item: { ...tableKeys.testProvider(operation.key), ...operation },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** Returns the stored operation that made a condition fail. Throws any other error again. */
function existingOperation(error: unknown): ProviderOperation {
  if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
  return toOperation(unmarshall(error.Item));
}

const outcome = objectOf<ProviderOutcome>({ kind: textOf() }) as Field<ProviderOutcome>;
const parseOperation = defineItem<ProviderOperation>(({ pk }) => String(pk), {
  key: text,
  request: objectOf<OperationRequest>({ operation: textOf() }),
  outcome,
  settlement: optional(objectOf<NonNullable<ProviderOperation['settlement']>>({ at: instant, outcome })),
  refunds: optional(textOf<NonNullable<ProviderOperation['refunds']>>()),
  leftMinor: optional(count),
});

function toOperation(item: Item): ProviderOperation {
  const { pk: _pk, sk: _sk, ...operation } = parseOperation(item) as ProviderOperation & Item;
  return operation;
}
