/** Reads the summary of a seller profile for requests without an API key, whose authorization does not read the account state. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import type { Owner } from '../base/ids.ts';
import { accountStateAttributes, type SellerSummary, sellerIn } from './account-state.ts';
import { dynamodb } from './client.ts';
import { tableKeys } from './keys.ts';

/** Reads the summary, strongly consistent. Undefined: the account has no seller profile. */
export async function readSellerSummary(owner: Owner): Promise<SellerSummary | undefined> {
  const { Item: item = {} } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      ProjectionExpression: '#seller',
      ExpressionAttributeNames: { '#seller': accountStateAttributes.seller },
      ConsistentRead: true,
    }),
  );
  return sellerIn(item);
}
