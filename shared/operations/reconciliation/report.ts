/** Stores the report of a day's reconciliation: when it began, its progress, and its differences. Kept for 90 days. */
import { modes, type Owner } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import {
  count,
  defineItem,
  type Field,
  flag,
  instant,
  oneOf,
  parseOrError,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type {
  AuditDifference,
  Difference,
  DocumentDifference,
  ItemDifference,
  JournalDifference,
  KeyDifference,
  ProviderDifference,
} from './difference.ts';
import { putReportEntries, readReportEntries, readReportEntry } from './reconciliation-store.ts';

export type ReportedDifference =
  | Omit<Difference, 'evidence'>
  | Omit<KeyDifference, 'evidence'>
  | Omit<ProviderDifference, 'evidence'>
  | Omit<AuditDifference, 'evidence'>
  | Omit<DocumentDifference, 'evidence'>
  | Omit<ItemDifference, 'evidence'>
  | Omit<JournalDifference, 'evidence'>;

export interface Report {
  readonly begunAt: Instant;
  /** The number of accounts, counted once for each mode. */
  readonly owners: number;
  /** The number of those that were compared to the end. */
  readonly ended: number;
  /** The number of records that were read and compared. */
  readonly records: number;
  /** The number of records that were taken from digests, because they agreed in an earlier comparison. */
  readonly remembered: number;
  /** The number of accounts and modes whose records were all read. */
  readonly full: number;
  readonly differences: readonly ReportedDifference[];
  /** What could not be compared, because it changed during each try. The next day compares it. */
  readonly notCompared: readonly NotCompared[];
}

export interface NotCompared extends Owner {
  readonly part: 'journal';
}

const retentionSeconds = 90 * 24 * 60 * 60;
const beginName = 'BEGIN';
const endPrefix = 'END#';
const differencePrefix = 'DIFFERENCE#';
const notComparedPrefix = 'NOTCOMPARED#';

/** Whether the reconciliation of a day began. @param day in UTC, such as `2027-01-31` */
export async function hasBegun(day: string): Promise<boolean> {
  return (await readReportEntry(day, beginName)) !== undefined;
}

/** Reports that the day's reconciliation began. @param owners the number of accounts, counted once for each mode */
export function reportBegin(day: string, owners: number, now: Instant): Promise<void> {
  return put(day, [{ name: beginName, content: { begunAt: now, owners } }], now);
}

/** Reports the end of an owner's comparison: how many records it read, and how many it took from digests. */
export function reportEnd(
  day: string,
  { account, mode }: Owner,
  content: { readonly records: number; readonly remembered: number; readonly full: boolean },
  now: Instant,
): Promise<void> {
  return put(day, [{ name: `${endPrefix}${account}#${mode}`, content }], now);
}

/** Reports confirmed differences. A difference that is reported again replaces its entry. */
export function reportDifferences(
  day: string,
  differences: readonly (
    | Difference
    | DocumentDifference
    | ItemDifference
    | JournalDifference
    | KeyDifference
    | ProviderDifference
    | AuditDifference
  )[],
  now: Instant,
): Promise<void> {
  const entries = differences.map(({ evidence: _, ...content }) => {
    const { account, mode, id, rule } = content;
    return { name: `${differencePrefix}${account}#${mode}#${id}#${rule}`, content };
  });
  return put(day, entries, now);
}

/** Reports that a part of an account could not be compared, because it changed during each try. */
export function reportNotCompared(
  day: string,
  { account, mode }: Owner,
  part: NotCompared['part'],
  now: Instant,
): Promise<void> {
  const name = `${notComparedPrefix}${account}#${mode}#${part}`;
  return put(day, [{ name, content: { account, mode, part } }], now);
}

/** Reads the report of a day, which may still grow. Returns undefined if no reconciliation began on that day. */
export async function readReport(day: string): Promise<Report | undefined> {
  const entries = await readReportEntries(day);
  const begin = entries.find(({ sk }) => sk === beginName);
  if (!begin) return undefined;
  const { begunAt, owners } = parseBegin(begin);
  const read = <T>(prefix: string, parse: (item: Item) => T): T[] =>
    leaveOutMalformed(
      entries.filter(({ sk }) => String(sk).startsWith(prefix)).map((item) => parseOrError(item, parse)),
    );
  const ends = read(endPrefix, parseEnd);
  return {
    begunAt,
    owners,
    ended: ends.length,
    records: ends.reduce((sum, { records }) => sum + records, 0),
    remembered: ends.reduce((sum, { remembered }) => sum + remembered, 0),
    full: ends.filter(({ full }) => full).length,
    differences: read(differencePrefix, toReportedDifference),
    notCompared: read(notComparedPrefix, toNotCompared),
  };
}

const nameOf = ({ pk, sk }: Item) => `${pk}#${sk}`;
const parseBegin = defineItem<Pick<Report, 'begunAt' | 'owners'>>(nameOf, {
  begunAt: instant,
  owners: count,
});
const parseEnd = defineItem<{
  readonly records: number;
  readonly remembered: number;
  readonly full: boolean;
}>(nameOf, { records: count, remembered: count, full: flag });
const textOrNumber: Field<string | number> = {
  expected: 'a text or a number',
  accepts: (value) => typeof value === 'string' || typeof value === 'number',
};
const parseDifference = defineItem<Omit<Difference, 'evidence'>>(nameOf, {
  account: text,
  mode: oneOf(...modes),
  resource: textOf<Difference['resource']>(),
  seq: count,
  id: text,
  rule: textOf<Difference['rule']>(),
  expected: textOrNumber,
  found: textOrNumber,
});

const parseNotCompared = defineItem<NotCompared>(nameOf, {
  account: text,
  mode: oneOf(...modes),
  part: textOf<NotCompared['part']>(),
});

function toNotCompared(item: Item): NotCompared {
  const { account, mode, part } = parseNotCompared(item);
  return { account, mode, part };
}

/** Returns the difference in an entry. @throws MalformedItemError */
export function toReportedDifference(item: Item): ReportedDifference {
  const { account, mode, resource, seq, id, rule, expected, found } = parseDifference(item);
  return { account, mode, resource, seq, id, rule, expected, found };
}

/** Whether a difference is about a record, and not about an API key, a document or the books of a provider. */
export const isRecordDifference = (
  difference: ReportedDifference,
): difference is Omit<Difference, 'evidence'> =>
  !['api_key', 'provider_payment', 'audit_log', 'document', 'journal', 'item'].includes(difference.resource);

const put = (day: string, entries: Parameters<typeof putReportEntries>[1], now: Instant) =>
  putReportEntries(day, entries, toSeconds(now) + retentionSeconds);
