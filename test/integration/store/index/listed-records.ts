/**
 * Stores invoices and their index pages directly, with facts and times that a test chooses. Lists them, and computes without an
 * index what a list must show.
 */

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Owner, recordId } from '../../../../shared/base/ids.ts';
import { type Currency, currencies } from '../../../../shared/base/money.ts';
import { type StatusOf, statuses } from '../../../../shared/base/statuses.ts';
import type { Invoice } from '../../../../shared/domain/invoices/invoice.ts';
import { invoiceType } from '../../../../shared/domain/invoices/record.ts';
import { IdKeys } from '../../../../shared/store/account-state.ts';
import { maxDisorderMs, type RecordFilter } from '../../../../shared/store/lists/filters/record-matcher.ts';
import { addIndexEntries } from '../../../../shared/store/lists/pages/add-index-entries.ts';
import { indexEntryOf } from '../../../../shared/store/lists/pages/index-pages.ts';
import type { ListOrder } from '../../../../shared/store/lists/pages/index-view.ts';
import { listRecords } from '../../../../shared/store/lists/pages/lists.ts';
import { readListIndex } from '../../../../shared/store/lists/pages/read-index.ts';
import { toItem } from '../../../../shared/store/records.ts';
import type { TestTable } from '../../../support/table.ts';

export interface ListedInvoice {
  readonly seq: number;
  readonly createdAt: number;
  readonly currency: Currency;
  readonly status: StatusOf<'invoice'>;
  readonly customer: number;
  /** Its index pages lack its facts, because the relay has added it. */
  readonly isWithoutFacts: boolean;
}

/** The filter key of a customer's list. */
export const filterKeyOf = (customer: number): string => `#customer#${customer}`;

/** Returns id keys for an account without an account state. */
export const randomIdKeys = (): IdKeys => new IdKeys({ i: { 1: randomBytes(32) } });

/** Stores the records of invoices, then adds them to their lists. */
export async function storeInvoices(
  table: TestTable,
  owner: Owner,
  idKeys: IdKeys,
  invoices: readonly ListedInvoice[],
): Promise<void> {
  const records = await putRecords(table, owner, idKeys, invoices);
  const entries = records.map((record, index) => {
    const entry = indexEntryOf('invoice', record);
    return invoices[index]?.isWithoutFacts ? { ...entry, facts: undefined } : entry;
  });
  await addIndexEntries(owner, entries);
}

/** Stores the records of invoices, and leaves their lists as they are. */
export async function putRecords(
  table: TestTable,
  owner: Owner,
  idKeys: IdKeys,
  invoices: readonly ListedInvoice[],
): Promise<readonly Invoice[]> {
  const records = invoices.map((invoice) => recordOf(owner, idKeys, invoice));
  await table.putAll(records.map((record) => toItem(invoiceType, record, 'change')));
  return records;
}

function recordOf(owner: Owner, idKeys: IdKeys, invoice: ListedInvoice): Invoice {
  const { seq, createdAt, currency, status, customer } = invoice;
  return {
    ...owner,
    id: recordId(idKeys.of(seq), { ...owner, resource: 'invoice' }, seq),
    seq,
    version: 1,
    objectVersion: 1,
    status,
    filterKeys: [filterKeyOf(customer)],
    customerId: `cust_${customer}`,
    amount: seq,
    currency,
    description: 'Tea',
    dueDate: '2099-01-31T00:00:00Z',
    overdueAt: Date.UTC(2099, 0, 31),
    paymentUrl: '',
    createdAt,
    updatedAt: createdAt,
  };
}

const dayMs = 86_400_000;
/** A midnight near the creation times of `someInvoices`. */
export const midnight: number = Date.UTC(2026, 10, 23);

export interface ListedQuery extends RecordFilter {
  readonly status: readonly string[] | undefined;
  readonly customer: number | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly order?: ListOrder;
}

/** @param aheadMs how far the clock of the account is ahead */
export async function listInvoices(
  owner: Owner,
  idKeys: IdKeys,
  query: ListedQuery,
  { isReadOnly = false, aheadMs = 0 } = {},
) {
  const { status, customer, offset, limit, order, ...filter } = query;
  const filterKeys = customer === undefined ? [] : [filterKeyOf(customer)];
  const view = await readListIndex(owner, 'invoice', filterKeys, filter);
  const clock = aheadMs > 0 ? { o: aheadMs, v: 1 } : undefined;
  const { rows, total } = await listRecords(invoiceType, { owner, idKeys, clock }, view, {
    status,
    offset,
    limit,
    order,
    isReadOnly,
  });
  return { seqs: rows.map(({ seq }) => seq), total };
}

/** Computes without an index what a list must show. */
export function expectedList(invoices: readonly ListedInvoice[], query: ListedQuery) {
  const { status, customer, currency, createdFrom, createdTo, offset, limit, order } = query;
  const matches = invoices
    .filter((invoice) => status === undefined || status.includes(invoice.status))
    .filter((invoice) => customer === undefined || customer === invoice.customer)
    .filter((invoice) => currency === undefined || currency === invoice.currency)
    .filter(({ createdAt }) => createdFrom === undefined || createdAt >= createdFrom)
    .filter(({ createdAt }) => createdTo === undefined || createdAt < createdTo)
    .map(({ seq }) => seq)
    .sort((a, b) => (order === 'oldest' ? a - b : b - a));
  return { seqs: matches.slice(offset, offset + limit), total: matches.length };
}

/**
 * Returns invoices with increasing numbers, some of them unused, whose times go back by less than the largest disorder.
 * @param aheadMs how far the clock of the account is ahead. Some invoices have its time, and others have the real time.
 */
export const someInvoices = (aheadMs = 0) =>
  fc
    .record({
      first: fc.constantFrom(1, 200, 250, 1000),
      start: fc.integer({ min: midnight - 2 * dayMs, max: midnight }),
      steps: fc.array(
        fc.record({
          gap: fc.constantFrom(1, 1, 1, 1, 2, 30),
          after: fc.oneof(
            fc.integer({ min: 0, max: 1000 }),
            fc.integer({ min: 0, max: 60_000 }),
            fc.integer({ min: 0, max: dayMs / 4 }),
          ),
          early: fc.integer({ min: 0, max: maxDisorderMs - 1 }),
          ahead: fc.constantFrom(0, aheadMs),
          currency: fc.constantFrom(...currencies),
          status: fc.constantFrom(...statuses.invoice),
          customer: fc.integer({ min: 1, max: 3 }),
          isWithoutFacts: fc.constantFrom(false, false, false, true),
        }),
        { maxLength: 90, size: 'max' },
      ),
    })
    .map(({ first, start, steps }): ListedInvoice[] => {
      let [seq, time] = [first, start];
      return steps.map(({ gap, after, early, ahead, ...facts }) => {
        seq += gap;
        time += after;
        return { ...facts, seq, createdAt: time - early + ahead };
      });
    });

type ValueOf<A> = A extends fc.Arbitrary<infer V> ? V : never;
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
/** A bound close to the record at a position, or a midnight. */
const someBound = fc.record({
  position: fc.nat(200),
  shift: fc.constantFrom(-1, 0, 1, -maxDisorderMs, maxDisorderMs, dayMs / 2),
  isMidnight: fc.boolean(),
});
export const someQuery = fc.record({
  status: maybe(fc.subarray([...statuses.invoice], { minLength: 1 })),
  customer: maybe(fc.integer({ min: 1, max: 4 })),
  currency: maybe(fc.constantFrom(...currencies)),
  bounds: maybe(fc.tuple(maybe(someBound), maybe(someBound))),
  offset: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 100 })),
  limit: fc.integer({ min: 1, max: 100 }),
  order: fc.constantFrom<ListOrder>('newest', 'oldest'),
});

export function toQuery(
  { bounds = [undefined, undefined], ...query }: ValueOf<typeof someQuery>,
  of: readonly ListedInvoice[],
) {
  const toInstant = (bound: ValueOf<typeof someBound> | undefined) => {
    if (!bound) return undefined;
    const near = of[bound.position % Math.max(1, of.length)]?.createdAt ?? midnight;
    return bound.isMidnight ? Math.round(near / dayMs) * dayMs : near + bound.shift;
  };
  const [one, other] = bounds.map(toInstant);
  const isSwapped = one !== undefined && other !== undefined && one > other;
  return { ...query, createdFrom: isSwapped ? other : one, createdTo: isSwapped ? one : other };
}
