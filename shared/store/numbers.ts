/** Drawing numbers where no request was admitted: for the payment page, and for what the service creates by itself. */
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
export async function drawNumber(owner: Owner, resource: Resource): Promise<Admission> {
  const seq = headAttributes.seq[resource];
  const { Attributes: head = {} } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: 'SET #seq = if_not_exists(#seq, :zero) + :one, #idKeys = #idKeys',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#seq': seq, '#idKeys': headAttributes.idKeys },
      ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return { owner, idKeys: new IdKeys(head), seq: head[seq] as number };
}
