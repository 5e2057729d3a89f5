/** Reads and writes pages and volumes for folders. `fold-volume.ts` says what a folder does. */
import { randomInt } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { limitConcurrency } from '../../../base/limit-concurrency.ts';
import type { Instant } from '../../../base/time.ts';
import { dynamodb } from '../../client.ts';
import { type Key, pageNumberOf, pagesPerVolume, tableKeys } from '../../keys.ts';
import { queryAll } from '../../query-pages.ts';
import { type Item, readItems } from '../../records.ts';
import { writeTransaction } from '../../transactions.ts';
import { binariesIn } from '../../update-sets.ts';
import { timeBytes, timeMember, timeSet } from '../filters/record-facts.ts';
import type { FoldStore, StoredPage } from './fold-volume.ts';
import { isEmptyPart, type PartName, partNames, type SetPart, setsOfPart, type Volume } from './volume.ts';
import { partAttributes, setPartOf, timePartOf } from './volume-items.ts';
import { type ListName, updateOfTotals } from './volume-totals.ts';

const keyMakers = {
  states: tableKeys.volume,
  currencies: tableKeys.volumeCurrencies,
  times: tableKeys.volumeTimes,
} as const satisfies Readonly<Record<PartName, unknown>>;

const writesAtOnce = 16;

/** Returns the key of a part of a volume. */
export const volumeKey = (
  part: PartName,
  owner: Owner,
  resource: Resource,
  filterKey: string,
  volume: number,
): Key => keyMakers[part](owner, resource, filterKey, volume);

/** Returns the keys of all parts of a volume. */
export const volumeKeys = (owner: Owner, resource: Resource, filterKey: string, volume: number): Key[] =>
  partNames.map((part) => volumeKey(part, owner, resource, filterKey, volume));

/** Reads all parts of a volume, strongly consistent. */
export async function readVolume(
  owner: Owner,
  resource: Resource,
  filterKey: string,
  volume: number,
): Promise<Volume> {
  const items = await readItems(volumeKeys(owner, resource, filterKey, volume));
  const itemOf = (name: PartName) =>
    items.find(({ sk }) => sk === volumeKey(name, owner, resource, filterKey, volume).sk);
  return {
    states: setPartOf(resource, 'states', itemOf('states')),
    currencies: setPartOf(resource, 'currencies', itemOf('currencies')),
    times: timePartOf(itemOf('times')),
  };
}

/**
 * Writes a part of a volume if the stored one has the version of `before`, and the statuses together with their totals. A part
 * that says nothing is deleted if it exists.
 * @param expiresAt stores the part also if it says nothing, until this time in seconds since 1970
 * @returns whether it has that version
 */
export async function putVolumePart<N extends PartName>(
  list: ListName,
  volume: number,
  name: N,
  before: { readonly version: number },
  part: Volume[N],
  expiresAt?: number,
): Promise<boolean> {
  const isDeleted = isEmptyPart(part) && expiresAt === undefined;
  if (isDeleted && before.version === 0) return true;
  const key = volumeKey(name, list.owner, list.resource, list.filterKey, volume);
  const condition =
    before.version === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': before.version },
        };
  const TableName = env.tableName();
  const deletion = { TableName, Key: { ...key }, ...condition };
  const version = randomInt(1, 2 ** 47);
  const Item = { ...key, ...partAttributes({ ...part, version }), expiresAt };
  const put = { TableName, Item, ...condition };
  if (name === 'states') {
    const write = isDeleted ? { Delete: deletion } : { Put: put };
    return (await writeTransaction([write, updateOfTotals(list, volume, part as SetPart)])).written;
  }
  if (isDeleted) return unlessRefused(() => dynamodb.send(new DeleteCommand(deletion)));
  return unlessRefused(() => dynamodb.send(new PutCommand(put)));
}

/** The pages and volumes of one list. */
export function foldStoreOf(owner: Owner, resource: Resource, filterKey: string): FoldStore {
  const limited = limitConcurrency(writesAtOnce);
  const pageKey = (page: number) => tableKeys.indexPage(owner, resource, filterKey, page);
  return {
    readVolume: (volume) => readVolume(owner, resource, filterKey, volume),
    readPages: async (volume) => {
      const first = volume * pagesPerVolume;
      const items = await queryAll({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': pageKey(first).pk,
          ':from': pageKey(first).sk,
          ':to': pageKey(first + pagesPerVolume - 1).sk,
        },
      });
      return items.map((item) => toPage(resource, item));
    },
    putPart: (volume, name, before, part) =>
      putVolumePart({ owner, resource, filterKey }, volume, name, before[name], part),
    confirm: (volume, read, heldSince) =>
      confirm(volumeKey('states', owner, resource, filterKey, volume), read.states.version, heldSince),
    deletePage: (page) => limited(() => deletePage(pageKey(page.page), resource, page)),
    removeEntries: (page, entries) => limited(() => removeEntries(pageKey(page.page), entries)),
  };
}

async function confirm(key: Key, version: number, heldSince: Instant): Promise<void> {
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key: { ...key },
    UpdateExpression: 'SET heldSince = :since',
    ConditionExpression: 'version = :version AND attribute_not_exists(heldSince)',
    ExpressionAttributeValues: { ':since': heldSince, ':version': version },
  });
  await unlessRefused(() => dynamodb.send(update));
}

/** The attributes of a page that this version knows, and that a folder moves. */
const foldedSets = (resource: Resource): string[] => [
  ...setsOfPart(resource, 'states'),
  ...setsOfPart(resource, 'currencies'),
  timeSet,
];

function toPage(resource: Resource, { pk: _, sk, ...sets }: Item): StoredPage {
  const known = foldedSets(resource);
  const entries = Object.entries(sets).map(([set, value]) => [set, binariesIn(value)] as const);
  const members = entries.filter(([set]) => known.includes(set) && set !== timeSet);
  return {
    page: pageNumberOf(sk),
    sets: new Map(members.map(([set, lows]) => [set, lows.map(([low = 0]) => low)])),
    times: binariesIn(sets[timeSet]).flatMap((member): [number, Instant][] => {
      const time = Buffer.from(member);
      return time.length === 1 + timeBytes ? [[time.readUInt8(), time.readUIntBE(1, timeBytes)]] : [];
    }),
    hasUnknown: entries.some(([set, values]) => !known.includes(set) || !areMembers(set, sets[set], values)),
  };
}

/** Whether a set has members of its form only. A page with another form is left as it is. */
const areMembers = (set: string, stored: unknown, binaries: readonly Uint8Array[]): boolean =>
  stored instanceof Set &&
  stored.size === binaries.length &&
  binaries.every(({ length }) => length === (set === timeSet ? 1 + timeBytes : 1));

/** The sets of some entries of a page, as they are stored. */
function storedSets({ sets, times }: Pick<StoredPage, 'sets' | 'times'>): [string, Set<Uint8Array>][] {
  const stored = [...sets].map(([set, lows]): [string, Set<Uint8Array>] => [
    set,
    new Set(lows.map((low) => Uint8Array.of(low))),
  ]);
  if (times.length > 0) stored.push([timeSet, new Set(times.map(([low, at]) => timeMember(low, at)))]);
  return stored;
}

async function deletePage(key: Key, resource: Resource, page: StoredPage): Promise<void> {
  const stored = storedSets(page);
  const values = new Map(stored);
  const known = foldedSets(resource);
  const condition = known.map((set, index) =>
    values.has(set) ? `#set${index} = :set${index}` : `attribute_not_exists(#set${index})`,
  );
  const deletion = new DeleteCommand({
    TableName: env.tableName(),
    Key: { ...key },
    ConditionExpression: condition.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(known.map((set, index) => [`#set${index}`, set])),
    ...(stored.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        stored.map(([set, members]) => [`:set${known.indexOf(set)}`, members]),
      ),
    }),
  });
  await unlessRefused(() => dynamodb.send(deletion));
}

async function removeEntries(key: Key, entries: Pick<StoredPage, 'sets' | 'times'>): Promise<void> {
  const stored = storedSets(entries);
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key: { ...key },
    UpdateExpression: `DELETE ${stored.map((_, index) => `#set${index} :set${index}`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(stored.map(([set], index) => [`#set${index}`, set])),
    ExpressionAttributeValues: Object.fromEntries(
      stored.map(([, members], index) => [`:set${index}`, members]),
    ),
  });
  await unlessRefused(() => dynamodb.send(update));
}

/** Returns whether the condition of the call was met. */
async function unlessRefused(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
