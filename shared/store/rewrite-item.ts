/** Changes attributes of single items, if no other writer has changed them meanwhile. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import { dynamodb } from './client.ts';
import type { Item } from './records.ts';

/**
 * Changes an item, also if it changes meanwhile: then plans again on the item as it is.
 *
 * Only the attributes that change are written, and only if they still have the values that were read. A record also gets
 * the next `version`, on the same condition, so that a request that has read it before decides again.
 * @param plan returns the attributes that change, with their new values. Undefined removes an attribute. Returns
 *   undefined if the item needs no change. Pure.
 * @returns whether the item was changed
 */
export async function rewriteItem(
  found: Item,
  plan: (item: Item) => Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  for (let item: Item | undefined = found; item; item = await readItemAgain(item)) {
    const changes = plan(item);
    if (!changes) return false;
    if (await writeIfUnchanged(item, changes)) return true;
  }
  return false;
}

/** Changes attributes of an item if they, and its version, are unchanged. Returns whether it did. */
async function writeIfUnchanged(item: Item, changes: Readonly<Record<string, unknown>>): Promise<boolean> {
  const versioned = typeof item.version === 'number' ? { version: item.version + 1 } : {};
  try {
    await dynamodb.send(new UpdateCommand(updateOf(item, { ...changes, ...versioned })));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Returns the update that changes attributes, if they still have the values that `item` has. */
function updateOf(
  { pk, sk, ...before }: Item,
  changes: Readonly<Record<string, unknown>>,
): UpdateCommandInput {
  const names = Object.keys(changes);
  const set = names.flatMap((name, n) => (changes[name] === undefined ? [] : [`#a${n} = :new${n}`]));
  const remove = names.flatMap((name, n) => (changes[name] === undefined ? [`#a${n}`] : []));
  const unchanged = names.map((name, n) =>
    before[name] === undefined ? `attribute_not_exists(#a${n})` : `#a${n} = :old${n}`,
  );
  const values = names.flatMap((name, n) => [
    [`:new${n}`, changes[name]],
    [`:old${n}`, before[name]],
  ]);
  return {
    TableName: env.tableName(),
    Key: { pk, sk },
    UpdateExpression: `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`,
    ConditionExpression: ['attribute_exists(pk)', ...unchanged].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#a${n}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  };
}

/** Reads an item as it is now. Returns undefined if it does not exist. */
async function readItemAgain({ pk, sk }: Item): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: { pk, sk }, ConsistentRead: true }),
  );
  return item;
}
