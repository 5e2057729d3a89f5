/**
 * The test provider's books in the table: what became of each key, and what of a capture is left to refund. They
 * stand for something elsewhere, so nobody else reads them, and their calls are none of the request's. Nothing of a
 * card is in them but how it fares.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../env.ts';
import type { Currency } from '../money.ts';
import { dynamodb, uncounted } from '../store/client.ts';
import { keys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import type { Instant } from '../time.ts';
import type { Outcome } from './provider.ts';
import type { TestCard } from './test-cards.ts';

/** What became of a key. */
export interface Deed {
  readonly key: string;
  readonly asked: Asked;
  readonly outcome: Outcome;
  /** Of an unknown outcome: what it becomes at that instant. */
  readonly settlement?: { readonly at: Instant; readonly outcome: Outcome };
  /** Of a capture: how its card's refunds fare. */
  readonly refunds?: TestCard['refund'];
  /** Of a capture: what is left to refund, once it is done. */
  readonly leftMinor?: number;
}

/** `void`: nothing was ever asked for under the key but that nothing be captured. */
export type Asked =
  | { readonly deed: 'capture'; readonly amountMinor: number; readonly currency: Currency }
  | { readonly deed: 'refund'; readonly amountMinor: number; readonly captureKey: string }
  | { readonly deed: 'void' };

/** What became of the key, strongly consistent; undefined if it never arrived. */
export async function readDeed(key: string): Promise<Deed | undefined> {
  const get = new GetCommand({
    TableName: env.tableName(),
    Key: keys.testProvider(key),
    ConsistentRead: true,
  });
  const { Item: item } = await uncounted(() => dynamodb.send(get));
  return item && toDeed(item);
}

/** Enters `deed` if its key is new. Returns the deed of that key: this one, or the one that was there. */
export async function enterDeed(deed: Deed): Promise<Deed> {
  const put = new PutCommand(putIfNew(deed));
  try {
    await uncounted(() => dynamodb.send(put));
    return deed;
  } catch (error) {
    return foundInstead(error);
  }
}

/** Gives a deed whose outcome is unknown that outcome, for good. Returns the deed as it stands then. */
export async function settleDeed({ key }: Deed, outcome: Outcome): Promise<Deed> {
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key: keys.testProvider(key),
    UpdateExpression: 'SET outcome = :outcome REMOVE settlement',
    ConditionExpression: 'outcome = :unknown',
    ExpressionAttributeValues: { ':outcome': outcome, ':unknown': { kind: 'unknown' } },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes: item } = await uncounted(() => dynamodb.send(update));
    return toDeed(item as Item);
  } catch (error) {
    return foundInstead(error);
  }
}

/**
 * Enters a refund that is done and takes its amount from what its capture has left. Returns undefined, with nothing
 * changed, if its key is not new or the capture has less left.
 */
export async function enterRefund(
  refund: Deed,
  { captureKey, amountMinor }: Extract<Asked, { deed: 'refund' }>,
): Promise<Deed | undefined> {
  const take = {
    TableName: env.tableName(),
    Key: keys.testProvider(captureKey),
    UpdateExpression: 'SET leftMinor = leftMinor - :amount',
    ConditionExpression: 'outcome = :done AND leftMinor >= :amount',
    ExpressionAttributeValues: { ':amount': amountMinor, ':done': { kind: 'done' } },
  };
  const verdict = await uncounted(() => writeTransaction([{ Put: putIfNew(refund) }, { Update: take }]));
  return verdict.written ? refund : undefined;
}

function putIfNew(deed: Deed) {
  return {
    TableName: env.tableName(),
    Item: { ...keys.testProvider(deed.key), ...deed },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** The deed over which a condition failed. Throws again what was no such failure. */
function foundInstead(error: unknown): Deed {
  if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
  return toDeed(unmarshall(error.Item));
}

function toDeed({ pk: _pk, sk: _sk, ...deed }: Item): Deed {
  return deed as unknown as Deed;
}
