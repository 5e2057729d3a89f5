/** What can be mended without knowing how it came about. */
import { addElement } from '../store/index-pages.ts';
import { readRecord } from '../store/records.ts';
import { types } from './read-facts.ts';
import type { Reported } from './report.ts';

/** Whether lists lack something: they are only ever added to, in any order and any number of times. */
export const isRepairable = ({ rule }: Reported): boolean => rule === 'index_behind';

/** Tells the lists of the record as it is now. */
export async function repair({ account, mode, resource, id }: Reported): Promise<void> {
  const owner = { account, mode };
  const type = types[resource] as typeof types.invoice;
  const { record } = await readRecord(type, owner, id);
  if (!record) return;
  const { seq, dimensions, status } = record;
  await addElement(owner, { resource, seq, dimensions, status });
}
