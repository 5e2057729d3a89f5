/**
 * Removes numbers from the pages and volumes of one list. Only for records that have left the list for good: their
 * `filterKeys` no longer name it, so no later change adds them again.
 *
 * - Pages go first. So a folder that has read a page with such a number has read its volume before, and its write fails,
 *   because the volume has another version now (`fold-volume.ts`).
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { now, toSeconds } from '../../../base/time.ts';
import { dynamodb } from '../../client.ts';
import { type Key, pageSize, tableKeys, volumeSize } from '../../keys.ts';
import { updateSets } from '../../update-sets.ts';
import { currencySets } from '../filters/record-facts.ts';
import { indexStates } from '../index-states.ts';
import { isFoldRequested } from '../volumes/fold-requests.ts';
import { partNames, type SetPart, type TimePart, withoutNumbers } from '../volumes/volume.ts';
import { putVolumePart, readVolume } from '../volumes/volume-store.ts';
import type { ListName } from '../volumes/volume-totals.ts';

/** How long an empty part stays that makes the write of a folder fail. Much longer than a folder runs. */
const reservedSeconds = 24 * 60 * 60;

/**
 * Removes records from a filtered list. Pages that become empty are deleted. Removing a record again changes nothing.
 * Creation times in other pages stay, because they name no customer.
 */
export async function removeIndexEntries(
  owner: Owner,
  resource: Resource,
  filterKey: string,
  seqs: readonly number[],
): Promise<void> {
  const byPage = Map.groupBy(seqs, (seq) => Math.floor(seq / pageSize));
  const sets = Object.values(indexStates[resource]);
  for (const [page, ofPage] of byPage) {
    const key = tableKeys.indexPage(owner, resource, filterKey, page);
    const left = await removeNumbers(key, [...sets, ...Object.values(currencySets)], ofPage);
    if (left && !sets.some((set) => set in left)) await deleteIfEmpty(key, sets);
  }
  for (const [volume, ofVolume] of Map.groupBy(seqs, (seq) => Math.floor(seq / volumeSize)))
    await removeFromVolume({ owner, resource, filterKey }, volume, ofVolume);
}

/** A folder writes a volume at most once an hour. */
const maxAttempts = 10;

async function removeFromVolume(list: ListName, volume: number, seqs: readonly number[]): Promise<void> {
  const { owner, resource, filterKey } = list;
  const lows = seqs.map((seq) => seq % volumeSize);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stored = await readVolume(owner, resource, filterKey, volume);
    const isStored = partNames.some((name) => stored[name].version > 0);
    // Without either, no folder has read the pages.
    if (!isStored && !(await isFoldRequested(owner, resource, filterKey, volume))) return;
    const written = partNames.map((name) =>
      putVolumePart(
        list,
        volume,
        name,
        stored[name],
        withoutNumbers<SetPart | TimePart>(stored[name], lows),
        stored[name].version === 0 ? toSeconds(now()) + reservedSeconds : undefined,
      ),
    );
    if ((await Promise.all(written)).every((isWritten) => isWritten)) return;
  }
  throw new Error(`The volume ${volume} of a list keeps changing. Start the erasure again.`);
}

/** Returns the page after the removal, or undefined if it does not exist. */
function removeNumbers(key: Key, sets: readonly string[], seqs: readonly number[]) {
  const update = {
    TableName: env.tableName(),
    Key: key,
    UpdateExpression: `DELETE ${sets.map((set) => `#${set} :numbers`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: namesOf(sets),
    ExpressionAttributeValues: { ':numbers': new Set(seqs.map((seq) => Uint8Array.of(seq % pageSize))) },
    ReturnValues: 'ALL_NEW' as const,
  };
  const types = Object.fromEntries(sets.map((set) => [set, 'BS'] as const));
  return unlessRefused(async () => (await updateSets(update, types)).Attributes);
}

async function deleteIfEmpty(key: Key, sets: readonly string[]): Promise<void> {
  const deletion = new DeleteCommand({
    TableName: env.tableName(),
    Key: key,
    ConditionExpression: sets.map((set) => `attribute_not_exists(#${set})`).join(' AND '),
    ExpressionAttributeNames: namesOf(sets),
  });
  await unlessRefused(() => dynamodb.send(deletion));
}

const namesOf = (sets: readonly string[]) => Object.fromEntries(sets.map((set) => [`#${set}`, set]));

/** Returns undefined if the condition of the call is not met. */
async function unlessRefused<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
