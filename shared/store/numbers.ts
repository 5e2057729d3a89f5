/** Drawing numbers where no request was admitted: for the payment page, and for what the service creates by itself. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner, Resource } from '../ids.ts';
import { dynamodb } from './client.ts';
import { type Admission, headAttributes, IdKeys } from './heads.ts';
import { keys } from './keys.ts';

/**
 * Draws the next number of `resource`; no rate limit counts it. A number that is not used leaves a gap, which is fine.
 * The answer holds what is set, so the keys of ids are set to what they are: all else in a head is none of its business.
 */
export function drawNumber(owner: Owner, resource: Resource): Promise<Admission> {
  return draw(owner, resource, { ConditionExpression: 'attribute_exists(pk)' });
}

/** The same for what may no longer begin once the account is closed: then undefined. */
export async function drawNumberIfOpen(owner: Owner, resource: Resource): Promise<Admission | undefined> {
  try {
    return await draw(
      owner,
      resource,
      { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#closed)' },
      { '#closed': headAttributes.closed },
    );
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

async function draw(
  owner: Owner,
  resource: Resource,
  condition: { readonly ConditionExpression: string },
  names: Readonly<Record<string, string>> = {},
): Promise<Admission> {
  const seq = headAttributes.seq[resource];
  const { Attributes: head = {} } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: 'SET #seq = if_not_exists(#seq, :zero) + :one, #idKeys = #idKeys',
      ...condition,
      ExpressionAttributeNames: { '#seq': seq, '#idKeys': headAttributes.idKeys, ...names },
      ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return { owner, idKeys: new IdKeys(head), seq: head[seq] as number };
}
