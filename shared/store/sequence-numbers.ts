/**
 * Allocates sequence numbers without an authorized request: for payments from the payment page, and for records that
 * the service creates itself.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import type { Owner, Resource } from '../base/ids.ts';
import { accountStateAttributes, IdKeys, type Principal } from './account-state.ts';
import { dynamodb } from './client.ts';
import { tableKeys } from './keys.ts';
import { ownerOnly } from './records.ts';

/**
 * Allocates the next sequence number of `resource`. The rate limit does not count it. An unused number leaves a gap,
 * which does no harm.
 * @throws ConditionalCheckFailedException if the account does not exist
 */
export function allocateSequenceNumber(owner: Owner, resource: Resource): Promise<Principal> {
  return allocate(owner, resource, { ConditionExpression: 'attribute_exists(pk)' });
}

/**
 * Does the same, but allocates no number and returns undefined if the account is closed, is in maintenance or does not
 * exist.
 */
export async function allocateSequenceNumberIfOpen(
  owner: Owner,
  resource: Resource,
): Promise<Principal | undefined> {
  try {
    return await allocate(
      owner,
      resource,
      {
        ConditionExpression:
          'attribute_exists(pk) AND attribute_not_exists(#closed) AND attribute_not_exists(#maintenance)',
      },
      { '#closed': accountStateAttributes.closed, '#maintenance': accountStateAttributes.maintenance },
    );
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/**
 * Allocates the next `count` sequence numbers of `resource` in one call, and none without a call if `count` is 0. Unused numbers leave gaps,
 * which do no harm.
 * @returns one principal for each number, in their order
 * @throws ConditionalCheckFailedException if the account does not exist
 */
export async function allocateSequenceNumbers(
  owner: Owner,
  resource: Resource,
  count: number,
): Promise<Principal[]> {
  if (count === 0) return [];
  const last = await allocate(owner, resource, { ConditionExpression: 'attribute_exists(pk)' }, {}, count);
  return Array.from({ length: count }, (_, index) => ({ ...last, seq: last.seq - count + 1 + index }));
}

async function allocate(
  owner: Owner,
  resource: Resource,
  condition: { readonly ConditionExpression: string },
  names: Readonly<Record<string, string>> = {},
  count = 1,
): Promise<Principal> {
  const seq = accountStateAttributes.seq[resource];
  const { Attributes: updated = {} } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      // The answer contains the attributes that are set. So the id keys are set to their own value, and read that way.
      UpdateExpression: 'SET #seq = if_not_exists(#seq, :zero) + :count, #idKeys = #idKeys',
      ...condition,
      ExpressionAttributeNames: { '#seq': seq, '#idKeys': accountStateAttributes.idKeys, ...names },
      ExpressionAttributeValues: { ':zero': 0, ':count': count },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return { owner: ownerOnly(owner), idKeys: new IdKeys(updated), seq: updated[seq] as number };
}
