/** Repairs the differences that can be repaired without knowing their cause. */

import { now } from '../../base/time.ts';
import { correctEntries } from '../../domain/accounts/key-entries.ts';
import { raiseSeries } from '../../domain/documents/series-store.ts';
import { addIndexEntry } from '../../store/lists/pages/add-index-entries.ts';
import { indexEntryOf } from '../../store/lists/pages/index-pages.ts';
import { readRecord } from '../../store/records.ts';
import { recordTypes } from './read-facts.ts';
import { isRecordDifference, type ReportedDifference } from './report.ts';

/**
 * Whether a difference can be repaired: lists lack an entry, a series is behind its documents, or the entries of API keys differ from
 * the items of the keys. All repairs are safe in any order and any number of times.
 */
export const isRepairable = ({ rule, resource }: ReportedDifference): boolean =>
  rule === 'index_behind' ||
  rule === 'document_number_ahead' ||
  (resource === 'api_key' && !unrepairableKeyRules.includes(rule));

/** Nobody can tell which of the two items is right. */
const unrepairableKeyRules: readonly ReportedDifference['rule'][] = [
  'key_item_missing',
  'key_malformed',
  'key_unlisted',
  'key_items_differ',
];

/** Adds the record's present status to its lists, raises the last number of a series, or brings the entries of API keys in line with their items. */
export async function repair(difference: ReportedDifference): Promise<void> {
  const { account, mode, id } = difference;
  const owner = { account, mode };
  if (difference.resource === 'api_key') return correctEntries(owner, now());
  if (difference.rule === 'document_number_ahead') return raiseSeries(owner, id, difference.seq);
  if (!isRecordDifference(difference)) return;
  const { resource } = difference;
  const type = recordTypes[resource] as typeof recordTypes.invoice;
  const { record } = await readRecord(type, owner, id);
  if (record) await addIndexEntry(owner, indexEntryOf(resource, record));
}
