/**
 * Whether the states of one invoice can be put into an order that respects real time. Every state has a
 * moment of its own; what calls were answered bounds those moments from both sides. As states are told apart
 * by `updatedAt`, the bounds decide: there is an order if and only if every lower bound lies before its upper one.
 */
import type { Chain, ShownInvoice } from './audit-table.ts';
import type { Making } from './history-versions.ts';

/** What a call saw of an invoice: version `version` (from 1; 0: none) was the present one between begin and end. */
export interface Sight {
  readonly version: number;
  readonly begin: number;
  readonly end: number;
  readonly by: string;
}

interface Bound {
  readonly place: number;
  readonly by: string;
}

/** The moment of each version, from 1; the entry of a version that never came is infinite. */
export interface Moments {
  /** It came after this. */
  readonly after: readonly Bound[];
  /** It came before this. */
  readonly before: readonly Bound[];
  /** By then it had come, and all that follows from it. */
  readonly settled: readonly number[];
}

/** The version that is shown, or -1: the invoice has never been like that. */
export function versionOf(chain: Chain, shown: ShownInvoice): number {
  const index = chain.versions.findIndex(({ invoice }) => invoice.updatedAt === shown.updatedAt);
  if (index === -1 || JSON.stringify(chain.versions[index]?.invoice) !== JSON.stringify(shown)) return -1;
  return index + 1;
}

/** @param settled places by which everything that had begun before has come to its end */
export function momentsOf(
  chain: Chain,
  makings: readonly Making[],
  sights: readonly Sight[],
  settled: readonly number[],
): Moments {
  const count = chain.versions.length;
  const after: Bound[] = [{ place: 0, by: 'the beginning' }];
  const before: Bound[] = [];
  const settledBy: number[] = [0];
  for (let version = 1; version <= count; version++) {
    const { after: place = 0, latest = 0, by = '' } = makings[version - 1] ?? {};
    after[version] = { place, by: `${by} began` };
    const end = settled.find((settlement) => settlement > latest) ?? Number.POSITIVE_INFINITY;
    before[version] = { place: end, by: 'everything had settled' };
    settledBy[version] = end;
  }
  for (const { version, begin, end, by } of sights) {
    const next = after[version + 1];
    if (next && begin > next.place)
      after[version + 1] = { place: begin, by: `${by} began and saw ${version}` };
    const own = before[version];
    if (own && end < own.place) before[version] = { place: end, by: `${by} ended and saw ${version}` };
  }
  for (let version = 2; version <= count; version++) {
    after[version] = later(after[version - 1] as Bound, after[version] as Bound);
  }
  for (let version = count - 1; version >= 1; version--) {
    before[version] = earlier(before[version] as Bound, before[version + 1] as Bound);
  }
  after[count + 1] = { place: Number.POSITIVE_INFINITY, by: 'it never came' };
  before[0] = { place: 0, by: 'the beginning' };
  return { after, before, settled: settledBy };
}

const later = (a: Bound, b: Bound) => (a.place > b.place ? a : b);
const earlier = (a: Bound, b: Bound) => (a.place < b.place ? a : b);

/** The versions for which there is no moment. */
export function orderFaults(chain: Chain, { after, before }: Moments): string[] {
  return chain.versions.flatMap(({ type, invoice }, index) => {
    const low = after[index + 1];
    const high = before[index + 1];
    if (!low || !high || low.place < high.place) return [];
    const name = `${chain.id} (${invoice.description}), version ${index + 1} (${type})`;
    return [`${name} must have come before ${high.by} (${high.place}), and after ${low.by} (${low.place})`];
  });
}
