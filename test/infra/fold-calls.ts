/** Makes the calls that fold lists: requests of large lists, and the work of both functions that serve them. */
import { expect } from '@jest/globals';
import type { Owner, Resource } from '../../shared/base/ids.ts';
import { pagesPerVolume, tableKeys } from '../../shared/store/keys.ts';
import { timeMember } from '../../shared/store/lists/filters/record-facts.ts';
import { indexStates } from '../../shared/store/lists/index-states.ts';
import { settleMs } from '../../shared/store/lists/volumes/fold-volume.ts';
import { partNames } from '../../shared/store/lists/volumes/volume.ts';
import { volumeKey } from '../../shared/store/lists/volumes/volume-store.ts';
import type { TestTable } from '../support/table.ts';
import type { ObservedFunctions } from './observed-calls.ts';

const volume = 2;
const all = new Set(Array.from({ length: 256 }, (_, low) => Uint8Array.of(low)));
const pages = Array.from({ length: pagesPerVolume }, (_, index) => volume * pagesPerVolume + index);

/** The large pages have no records, so a list that shows them would read each of 16,384 records. This shows the last one. */
const atEnd = { offset: String(pages.length * all.size - 1) };
/** A list with the query that shows none of its large pages, or one record of them. */
const lists = {
  invoice: { path: 'invoices', query: { status: 'pending' }, set: indexStates.invoice.cancelled },
  payment: { path: 'payments', query: { status: 'pending' }, set: indexStates.payment.completed },
  refund: { path: 'refunds', query: { status: 'pending' }, set: indexStates.refund.failed },
  customer: { path: 'customers', query: {}, set: indexStates.customer.deleted },
  product: { path: 'products', query: {}, set: indexStates.product.deleted },
  draft: { path: 'drafts', query: {}, set: indexStates.draft.deleted },
  statement: { path: 'statements', query: atEnd, set: indexStates.statement.ready },
  schedule: { path: 'schedules', query: atEnd, set: indexStates.schedule.ended },
  export: { path: 'exports', query: atEnd, set: indexStates.export.completed },
} as const satisfies Record<Resource, unknown>;

interface FoldDriver {
  readonly run: ObservedFunctions['run'];
  readonly request: ObservedFunctions['request'];
  readonly table: TestTable;
  readonly owner: Owner;
  /** Sets the clock ahead. */
  readonly setAhead: (ms: number) => void;
  /** Returns the queue event with a message. */
  readonly queueEvent: (body: object) => unknown;
}

/** Requests a fold of each list, and folds that of all invoices. Deletes what it has stored. */
export async function driveFolds(driver: FoldDriver): Promise<void> {
  const { run, request, table, owner, setAhead, queueEvent } = driver;
  const keyOf = (resource: Resource, page: number) => tableKeys.indexPage(owner, resource, '', page);
  for (const [resource, { path, query, set }] of Object.entries(lists) as [
    Resource,
    (typeof lists)['refund'],
  ][]) {
    await table.putAll(pages.map((page) => ({ ...keyOf(resource, page), [set]: all, B: all })));
    await request(`functions/${path}/list.ts`, 'GET', `/api/${path}`, { query });
    expect(await table.get(tableKeys.foldRequest(owner, resource, ''))).toMatchObject({ filterKey: '' });
  }
  await run('functions/background/begin-reconciliation.ts', {});
  const fold = { ...owner, resource: 'invoice', filterKey: '', volumes: [volume] };
  // An hour later, the pages can go, but not the creation time that one of them has got meanwhile.
  for (const [hour, changes] of [{}, { T: new Set([timeMember(0, 1)]) }].entries()) {
    setAhead(hour * settleMs);
    const key = keyOf('invoice', pages[0] ?? 0);
    await table.put({ ...(await table.get(key)), ...key, ...changes });
    const event = queueEvent({ fold });
    expect(await run('functions/background/reconcile.ts', event)).toEqual({ batchItemFailures: [] });
  }
  setAhead(0);
  expect(await table.get(keyOf('invoice', pages[1] ?? 0))).toBeUndefined();
  expect(await table.get(tableKeys.foldRequest(owner, 'invoice', ''))).toBeUndefined();
  for (const resource of Object.keys(lists) as Resource[]) {
    for (const page of pages) await table.delete(keyOf(resource, page));
    for (const part of partNames) await table.delete(volumeKey(part, owner, resource, '', volume));
  }
}
