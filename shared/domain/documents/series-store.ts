/** Raises the last number of a series that is behind its documents. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';

/**
 * Makes a series go on after a number. A series that is further, or an item that is not a series, stays as it is.
 * @param name from `nameOfSeries`
 * @param last the highest number that a document has
 */
export async function raiseSeries(owner: Owner, name: string, last: number): Promise<void> {
  const kind = name.slice(0, name.indexOf('#'));
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.series(owner, kind, name.slice(kind.length + 1)),
        UpdateExpression: 'SET #last = :last',
        ConditionExpression: 'attribute_not_exists(#last) OR #last < :last',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':last': last },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
