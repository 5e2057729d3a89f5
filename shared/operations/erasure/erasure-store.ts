/** Stores which erasures have begun, and scans the table for copies that no key finds. */
import { DeleteCommand, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { defineItem, text } from '../../store/stored-fields.ts';

/**
 * Returns the pseudonym of an erasure that has begun and is not complete, or undefined.
 * @param customer the filter key of the customer's lists
 */
export async function readBegunErasure(owner: Owner, customer: string): Promise<string | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.erasure(owner, customer),
      ConsistentRead: true,
    }),
  );
  return item && parseErasure(item).pseudonym;
}

const parseErasure = defineItem<{ readonly pseudonym: string }>(({ pk, sk }) => `${pk}#${sk}`, {
  pseudonym: text,
});

/** Notes that an erasure begins. Returns its pseudonym: that of the interrupted erasure, if one was interrupted. */
export async function beginErasure(owner: Owner, customer: string, pseudonym: string): Promise<string> {
  const { Attributes: begun } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.erasure(owner, customer),
      UpdateExpression: 'SET pseudonym = if_not_exists(pseudonym, :pseudonym)',
      ExpressionAttributeValues: { ':pseudonym': pseudonym },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return parseErasure(begun ?? {}).pseudonym;
}

/** Forgets a complete erasure. From then on, nothing in the table leads from the customer to the pseudonym. */
export async function endErasure(owner: Owner, customer: string): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.erasure(owner, customer) }),
  );
}

/** Half of what one partition of DynamoDB serves, so that requests are not throttled meanwhile. */
const readUnitsPerSecond = 1_500;

/**
 * Reads the whole table, and yields the idempotency records and the deliveries of an account and mode, one page of the
 * table at a time. Strongly consistent. `scanned` is the number of items that the page has.
 */
export async function* scanCopies(owner: Owner): AsyncGenerator<{ items: Item[]; scanned: number }> {
  let next: Item | undefined;
  do {
    const page = await dynamodb.send(
      new ScanCommand({
        TableName: env.tableName(),
        FilterExpression:
          'begins_with(pk, :answers) OR (begins_with(pk, :deliveries) AND account = :account AND #mode = :mode)',
        ExpressionAttributeNames: { '#mode': 'mode' },
        ExpressionAttributeValues: {
          ':answers': tableKeys.idempotency(owner, '').pk,
          ':deliveries': tableKeys.delivery('', '').pk,
          ':account': owner.account,
          ':mode': owner.mode,
        },
        ExclusiveStartKey: next,
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    yield { items: page.Items ?? [], scanned: page.ScannedCount ?? 0 };
    next = page.LastEvaluatedKey;
    const waitMs = ((page.ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1_000;
    if (next) await new Promise((resolve) => setTimeout(resolve, waitMs));
  } while (next);
}
