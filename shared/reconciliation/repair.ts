/** Repairs the differences that can be repaired without knowing their cause. */
import { addIndexEntry } from '../store/index/add-index-entries.ts';
import { indexEntryOf } from '../store/index/index-pages.ts';
import { readRecord } from '../store/records.ts';
import { recordTypes } from './read-facts.ts';
import type { ReportedDifference } from './report.ts';

/**
 * Whether a difference can be repaired: lists lack an entry. Adding an entry is safe in any order and any number of
 * times.
 */
export const isRepairable = ({ rule }: ReportedDifference): boolean => rule === 'index_behind';

/** Adds the record's present status to its lists. */
export async function repair({ account, mode, resource, id }: ReportedDifference): Promise<void> {
  const owner = { account, mode };
  const type = recordTypes[resource] as typeof recordTypes.invoice;
  const { record } = await readRecord(type, owner, id);
  if (record) await addIndexEntry(owner, indexEntryOf(resource, record));
}
