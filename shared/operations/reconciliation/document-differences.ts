/**
 * Compares the documents of an account and mode: their numbers, sums and hashes, and the credits of their invoices.
 *
 * - A day reads the documents of the last three days, and one day of each 28 reads all. So the cost of a day follows its changes.
 * - The last numbers of the series are read first. A number and its document are one transaction, so each number up to them has a
 *   document by then, and no change in progress is a difference.
 * - A document that was set aside gets its number later, and is stored under the day of its change. So a gap of the last days is no
 *   difference yet: all documents are read then.
 * - Each step reads some documents and returns where the next one continues, so the number of documents does not matter.
 */
import { createHash } from 'node:crypto';
import { firstDocumentId, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { type StoredDocument, toDocument, toGivenNumbers } from '../../domain/documents/document-item.ts';
import { nameOfSeries, partsOfNumber } from '../../domain/documents/series.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll, queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import type { DocumentDifference, ItemDifference } from './difference.ts';
import { checkDocument, differenceOf } from './document-checks.ts';
import { compareCredits } from './document-credits.ts';
import { addNumber, gapsOf, type SeriesNumbers } from './document-numbers.ts';
import { malformedItem } from './item-differences.ts';

const dayMs = 24 * 60 * 60 * 1000;
const recentMs = 3 * dayMs;
/** The days between two comparisons of all documents. */
const periodDays = 28;

/** Where a comparison of documents is. */
export interface DocumentsProgress {
  /** The last document that was read, or where to begin. */
  readonly after: string;
  /** Whether all documents are compared. */
  readonly full: boolean;
  readonly series: readonly SeriesNumbers[];
}

type Found = DocumentDifference | ItemDifference;

interface Step {
  readonly differences: readonly Found[];
  /** Undefined: the comparison has ended. */
  readonly next: DocumentsProgress | undefined;
}

/** Begins a comparison. @param full whether to compare all documents */
export async function beginDocuments(
  owner: Owner,
  now: Instant,
  full = isCompleteDay(owner, now),
): Promise<DocumentsProgress> {
  const series: SeriesNumbers[] = [];
  for (const [name, given] of await readSeries(owner)) {
    if (given instanceof MalformedItemError) continue;
    series.push({ ...emptySeries, name, first: given.first ?? 1, last: given.last });
  }
  return { after: firstDocumentId(owner.account, full ? 0 : now - recentMs), full, series };
}

/** A series of which nothing is known yet. */
const emptySeries: SeriesNumbers = {
  name: '',
  first: 1,
  last: 0,
  digits: Number.MAX_SAFE_INTEGER,
  starts: [],
  ends: [],
};

/** Reads the numbers that the series have given, by name. */
async function readSeries(owner: Owner) {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.series(owner, '', '').pk },
  });
  return new Map(items.map((item) => [String(item.sk), parseOrError(item, toGivenNumbers)]));
}

/** Compares documents for `forMs` milliseconds, at least one page of them. */
export async function compareDocuments(
  owner: Owner,
  { after, full, series }: DocumentsProgress,
  now: Instant,
  forMs: number,
): Promise<Step> {
  const end = performance.now() + forMs;
  const numbers = new Numbers(series);
  const found: Found[] = [];
  let last = after;
  const { pk, sk } = tableKeys.document(owner, after);
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': pk, ':after': sk },
  })) {
    found.push(...(await compareItems(owner, items, numbers)));
    last = String(items.at(-1)?.sk ?? last);
    if (items.length > 0 && performance.now() >= end)
      return { differences: found, next: { after: last, full, series: numbers.all } };
  }
  found.push(...(await findAhead(owner, numbers)));
  if (full) return { differences: [...found, ...numbers.missing(owner)], next: undefined };
  const next = numbers.hasGap ? await beginDocuments(owner, now, true) : undefined;
  return { differences: found, next };
}

/** Compares all documents that are due. @param full whether to compare all documents */
export async function findDocumentDifferences(owner: Owner, now: Instant, full: boolean): Promise<Found[]> {
  const found = new Map<string, Found>();
  let progress: DocumentsProgress | undefined = await beginDocuments(owner, now, full);
  while (progress) {
    const step: Step = await compareDocuments(owner, progress, now, Number.POSITIVE_INFINITY);
    for (const each of step.differences) found.set(`${each.id} ${each.rule} ${each.found}`, each);
    progress = step.next;
  }
  return [...found.values()];
}

/** Compares the highest numbers with their series again, because documents were issued meanwhile. */
async function findAhead(owner: Owner, numbers: Numbers): Promise<Found[]> {
  const ahead = numbers.all.filter(({ ends, last }) => (ends.at(-1) ?? 0) > last);
  if (ahead.length === 0) return [];
  const given = await readSeries(owner);
  return ahead.flatMap(({ name, ends }): Found[] => {
    const series = given.get(name);
    const highest = ends.at(-1) ?? 0;
    if (series instanceof MalformedItemError) return [malformedItem(owner, series)];
    if (series && series.last >= highest) return [];
    const found = {
      rule: 'document_number_ahead',
      expected: highest,
      found: series?.last ?? 'none',
    } as const;
    return [{ ...differenceOf(owner, { id: name, number: '' }, found), seq: highest }];
  });
}

async function compareItems(owner: Owner, items: readonly Item[], numbers: Numbers): Promise<Found[]> {
  const found: Found[] = [];
  const notes: StoredDocument[] = [];
  for (const item of items) {
    const document = parseOrError(item, toDocument);
    const number = typeof item.number === 'string' ? item.number : '';
    const kind = typeof item.kind === 'string' ? item.kind : '';
    // A malformed document has its number, too.
    const isAgain = !(document instanceof MalformedItemError) && document.content.revision > 0;
    if (!isAgain) found.push(...numbers.add(owner, String(item.sk), kind, number));
    if (document instanceof MalformedItemError) {
      found.push(malformedItem(owner, document));
      continue;
    }
    found.push(...checkDocument(document).map((each) => differenceOf(owner, document, each)));
    if (document.kind === 'credit_note') notes.push(document);
  }
  return [...found, ...(await compareCredits(owner, notes))];
}

/** The numbers that were found, by the names of their series. */
class Numbers {
  readonly #series: Map<string, SeriesNumbers>;

  constructor(series: readonly SeriesNumbers[]) {
    this.#series = new Map(series.map((each) => [each.name, each]));
  }

  get all(): readonly SeriesNumbers[] {
    return [...this.#series.values()];
  }

  /** Adds the number of a document. Returns what is wrong with it. */
  add(owner: Owner, id: string, kind: string, number: string): readonly DocumentDifference[] {
    const parts = partsOfNumber(number);
    const name = parts && nameOfSeries({ ...parts, kind });
    if (!(parts && name !== undefined)) return [];
    // The first document of a series can be newer than the list of series.
    const series = this.#series.get(name) ?? { ...emptySeries, name };
    const added = addNumber(series, parts.count, parts.digits.length);
    if (added) this.#series.set(series.name, added);
    const of = { id, number };
    return added
      ? []
      : [differenceOf(owner, of, { rule: 'document_number_twice', expected: 'once', found: number })];
  }

  /** Whether a number between those that were found, or after them, has no document. */
  get hasGap(): boolean {
    return this.all.some((series) => gapsOf(series, series.starts[0] ?? series.last + 1).length > 0);
  }

  /** Returns the numbers without documents. */
  missing({ account, mode }: Owner): DocumentDifference[] {
    return this.all.flatMap((series) => {
      const { name, first, digits } = series;
      const prefix = name.slice(name.indexOf('#') + 1);
      const textOf = (count: number) =>
        prefix + String(count).padStart(digits === emptySeries.digits ? 1 : digits, '0');
      return gapsOf(series, first).map(
        ([from, to]): DocumentDifference => ({
          account,
          mode,
          resource: 'document',
          seq: from,
          id: textOf(from),
          rule: 'document_missing',
          expected: from === to ? textOf(from) : `${textOf(from)} to ${textOf(to)}`,
          found: 'none',
          evidence: '',
        }),
      );
    });
  }
}

function isCompleteDay({ account, mode }: Owner, now: Instant): boolean {
  const digest = createHash('sha256').update(`documents#${account}#${mode}`).digest();
  return Math.floor(now / dayMs) % periodDays === digest.readUInt32BE() % periodDays;
}
