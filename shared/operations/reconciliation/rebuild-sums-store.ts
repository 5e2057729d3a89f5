/**
 * Reads the stored sums of an account and mode, and builds them again from the journal.
 *
 * - New sums are a generation of their own beside those in use. One write of the cursor, on the condition that no change came
 *   meanwhile, makes them those in use. So readers and the relay see either all old sums or all new ones.
 * - Each rebuild has a number that no other rebuild gets. So two at the same moment never write the same items.
 * - The old generation is deleted by the next reconciliation, because a reader may still use it.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { type SumsState, toSumsState } from '../../domain/journal/journal-item.ts';
import { lastPosition } from '../../domain/journal/sums.ts';
import { deleteItems, putItems } from '../../store/batch-write.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type Item, readItem } from '../../store/records.ts';
import { type Amounts, type FoldedJournal, totalsName } from './folded-journal.ts';

/** How often a check or a rebuild begins again because of changes meanwhile. */
export const maxJournalTries = 5;

/** Returns the state of the sums with the item that has the totals. Undefined: nothing has happened in the account. */
export async function readState(owner: Owner): Promise<(SumsState & Item & Key) | undefined> {
  const cursor = await readItem(tableKeys.eventCursor(owner));
  return cursor && { ...(cursor as Item & Key), ...toSumsState(cursor) };
}

/**
 * Builds the sums in the time zone of a fold, as a generation of their own, and makes them those in use.
 * @param fold contains almost all of the journal. It is read on to its end.
 * @returns false if changes came during each try
 */
export async function rebuildSums(owner: Owner, fold: FoldedJournal): Promise<boolean> {
  const next = await takeGeneration(owner);
  let days: Iterable<string> = fold.days.keys();
  for (let tries = 0; tries < maxJournalTries; tries++) {
    const state = await readState(owner);
    if (!state) return true;
    // Another rebuild was faster.
    if ((state.sums ?? 0) >= next) return false;
    fold.changed.clear();
    await fold.readTo(state.position, Number.POSITIVE_INFINITY);
    await putItems(
      [...new Set([...days, ...fold.changed])].flatMap((day) => {
        if (day === totalsName) return [];
        const amounts = Object.fromEntries(fold.days.get(day) ?? []);
        return { ...tableKeys.daySums(owner, next, day), ...amounts, [lastPosition]: state.position };
      }),
    );
    days = [];
    if (await switchTo(owner, next, fold.timeZone, state, fold.days.get(totalsName) ?? new Map()))
      return true;
  }
  return false;
}

/** Takes the next number of a generation, which is above that in use. The cursor of an account that was deleted meanwhile is not made again. */
async function takeGeneration(owner: Owner): Promise<number> {
  const { Attributes: attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.eventCursor(owner),
      UpdateExpression: 'SET #taken = if_not_exists(#taken, if_not_exists(#sums, :zero)) + :one',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#taken': 'sumsTaken', '#sums': 'sums' },
      ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(attributes?.sumsTaken);
}

/** Makes a generation the one in use. @param totals by attribute of the cursor @returns false if a change came meanwhile */
async function switchTo(
  owner: Owner,
  next: number,
  timeZone: string,
  state: SumsState,
  totals: Amounts,
): Promise<boolean> {
  const names = [...totals.keys()];
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.eventCursor(owner),
        UpdateExpression: [
          'SET #sums = :next, #zone = :zone',
          ...names.map((_, index) => `#t${index} = :t${index}`),
        ].join(', '),
        ConditionExpression: `#position = :position AND ${state.sums === undefined ? 'attribute_not_exists(#sums)' : '#sums = :sums'}`,
        ExpressionAttributeNames: {
          '#sums': 'sums',
          '#zone': 'sumsZone',
          '#position': 'position',
          ...numbered('#t', names),
        },
        ExpressionAttributeValues: {
          ':next': next,
          ':zone': timeZone,
          ':position': state.position,
          ...numbered(':t', [...totals.values()]),
          ...(state.sums !== undefined && { ':sums': state.sums }),
        },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

const numbered = <Value>(prefix: string, values: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(values.map((value, index) => [`${prefix}${index}`, value]));

/** Reads the items of days of a generation. */
export async function readDays(owner: Owner, generation: number): Promise<(Item & Key)[]> {
  const { pk, sk } = tableKeys.daySums(owner, generation, '');
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :generation)',
    ExpressionAttributeValues: { ':pk': pk, ':generation': sk },
  });
  return items as (Item & Key)[];
}

/** Deletes the items of the generations before one. */
export async function deleteBefore(owner: Owner, generation: number): Promise<void> {
  if (generation === 0) return;
  const { pk, sk } = tableKeys.daySums(owner, generation, '');
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk < :generation',
    ExpressionAttributeValues: { ':pk': pk, ':generation': sk },
  });
  await deleteItems(items as (Item & Key)[]);
}
