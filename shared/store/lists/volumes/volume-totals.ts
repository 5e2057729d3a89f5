/**
 * Stores the totals of volumes: how many numbers of each volume have each status. A list with many volumes takes the totals of
 * old volumes instead of the volumes themselves. `fold-volume.ts` says why it is as exact.
 *
 * - An item holds the totals of 256 consecutive volumes, one attribute for each. So it has at most 10 KB.
 * - The totals of a volume are written in the transaction that writes its statuses, so both agree at each moment.
 */
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { type Key, tableKeys } from '../../keys.ts';
import type { TransactionItem } from '../../transactions.ts';
import type { WireItem } from '../wire-items.ts';
import { countSets, type SetPart } from './volume.ts';
import { countsByPrecedence } from './volume-items.ts';

/** The list of all records of a resource (`''`), or that of a filter key. */
export interface ListName {
  readonly owner: Owner;
  readonly resource: Resource;
  readonly filterKey: string;
}

const volumesPerItem = 256;

/** Returns the key of the item with the totals of a volume. */
export const totalsKey = ({ owner, resource, filterKey }: ListName, volume: number): Key =>
  tableKeys.volumeTotals(owner, resource, filterKey, Math.floor(volume / volumesPerItem));

/** Returns the action that stores the totals of a volume with these statuses. */
export function updateOfTotals(list: ListName, volume: number, states: SetPart): TransactionItem {
  const counts = countSets(states);
  const text = states.sets.map((set, index) => (counts[index] ? `${set}${counts[index]}` : '')).join('');
  return {
    Update: {
      TableName: env.tableName(),
      Key: { ...totalsKey(list, volume) },
      UpdateExpression: 'SET #volume = :counts',
      ExpressionAttributeNames: { '#volume': `v${volume % volumesPerItem}` },
      ExpressionAttributeValues: { ':counts': text },
    },
  };
}

/** Returns the totals in some items: for each volume, how many numbers have each precedence. */
export function totalsIn(resource: Resource, items: readonly WireItem[]): Map<number, readonly number[]> {
  const totals = new Map<number, readonly number[]>();
  for (const { pk: _, sk, ...volumes } of items) {
    const first = Number(sk?.S?.split('#')[1]) * volumesPerItem;
    for (const [name, { S: text = '' }] of Object.entries(volumes)) {
      if (!/^v\d+$/.test(name)) continue;
      const counts = [...text.matchAll(/(\D)(\d+)/g)];
      const sets = counts.map(([, set = '']) => set);
      const numbers = counts.map(([, , count]) => Number(count));
      totals.set(first + Number(name.slice(1)), countsByPrecedence(resource, sets, numbers));
    }
  }
  return totals;
}
