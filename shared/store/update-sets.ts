/** Updates attributes of items that can be computed again: the sets of index pages and of digests. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './client.ts';
import type { Key } from './keys.ts';
import { noteLeftOut } from './left-out-items.ts';
import type { Item } from './records.ts';
import { MalformedItemError } from './stored-fields.ts';

/** DynamoDB's names of the types that these attributes have: a set of binary values, or a number. */
type AttributeType = 'BS' | 'N';

/** Returns the members of a set of binary values. What is malformed has none. */
export const binariesIn = (value: unknown): Uint8Array[] =>
  value instanceof Set ? [...value].filter((member) => member instanceof Uint8Array) : [];

/**
 * Makes an update of sets. If DynamoDB refuses it because an attribute has another type, removes that attribute and tries again: it
 * says nothing, and nothing else could ever be added in its place. The reconciliation finds what it has lost.
 * @param types the types of the attributes that the update changes, by name
 */
export async function updateSets(
  update: UpdateCommandInput & { readonly Key: Key | Item },
  types: Readonly<Record<string, AttributeType>>,
): Promise<UpdateCommandOutput> {
  try {
    return await dynamodb.send(new UpdateCommand(update));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationException') throw error;
    const { TableName, Key } = update;
    let removed = 0;
    for (const [name, type] of Object.entries(types)) {
      const removal = new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'REMOVE #name',
        ConditionExpression: 'attribute_exists(#name) AND NOT attribute_type(#name, :type)',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':type': type },
      });
      if (!(await isMade(dynamodb.send(removal)))) continue;
      removed += 1;
      const item = `${Key.pk}#${Key.sk}`;
      noteLeftOut([new MalformedItemError(item, `its attribute ${name} had another form, and is removed`)]);
    }
    if (removed === 0) throw error;
    return dynamodb.send(new UpdateCommand(update));
  }
}

/** Returns whether the condition of a write was met. */
async function isMade(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
