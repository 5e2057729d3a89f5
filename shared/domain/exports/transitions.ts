/** Decides which state of an export may follow which. Pure. */
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { AccountTime, RealTime } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { dayIn } from '../accounts/fiscal-year.ts';
import { draftEvent } from '../events/event.ts';
import {
  type CreateExport,
  type Export,
  type ExportFailure,
  type ExportFilters,
  kindRuleOf,
  type StoredPart,
  showExport,
} from './export.ts';
import type { ExportKind } from './export-kinds.ts';

/** The owner, sequence number and id of a new export, and its place among those that run. */
interface NewExportIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
  readonly slot: number;
}

const maxYears = 10;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Creates an export, with the timer of the worker that makes its files.
 * @throws ApiError `invalid_to` if the range ends before it begins, `invalid_from` if it is longer than 10 years, `invalid_filters` if
 *   the kind does not have a filter, or needs one that is missing
 */
export function createExport(
  identity: NewExportIdentity,
  body: CreateExport,
  timeZone: string,
  now: AccountTime,
): Change<Export> {
  const { kind, format, bom } = body;
  const filters = filtersOf(kind, body.filters ?? {});
  const record: Export = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'running',
    kind,
    format: format ?? 'csv',
    ...(bom && { bom }),
    ...rangeOf(body, dayIn(timeZone, now)),
    timeZone,
    ...(Object.keys(filters).length > 0 && { filters }),
    parts: [],
    rows: 0,
    leftOut: 0,
    createdAt: now,
    updatedAt: now,
  };
  return {
    ...internalChange(record),
    indexEntry: entryOf(record),
    timers: [{ due: now, kind: 'export', reference: record.id }],
  };
}

/** Returns the range: until today if nothing else was sent, and 10 years. Days after today have no rows, so they do not count. */
function rangeOf({ from, to }: CreateExport, today: string): Pick<Export, 'from' | 'to'> {
  const last = to ?? today;
  const earliest = yearsBefore(last < today ? last : today, maxYears);
  const first = from ?? earliest;
  if (first > last) {
    const message = `to, which is ${last}, must not be before from. Swap the two, or leave one of them out.`;
    throw new ApiError('invalid_to', { field: 'to', message });
  }
  if (first < earliest) {
    const message = `from must be ${earliest} or later, because an export has at most ${maxYears} years. Make another export for the days before.`;
    throw new ApiError('invalid_from', { field: 'from', message });
  }
  return { from: first, to: last };
}

/** Returns the day after the same day some years before, at the earliest 1970-01-01. */
function yearsBefore(day: string, years: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(Math.max(0, Date.UTC(year - years, month - 1, date) + dayMs)).toISOString().slice(0, 10);
}

function filtersOf(kind: ExportKind, sent: NonNullable<CreateExport['filters']>): ExportFilters {
  const rule = kindRuleOf(kind);
  const given = Object.entries(sent).filter(([, value]) => value != null);
  for (const [name, value] of given) {
    if (!(rule.filters as readonly string[]).includes(name)) {
      const known = rule.filters.length === 0 ? 'none' : rule.filters.join(', ');
      const message = `An export of ${kind} does not have this filter. It has: ${known}.`;
      throw new ApiError('invalid_filters', { field: `filters.${name}`, message });
    }
    const { statuses = [] } = rule;
    if (
      name === 'status' &&
      String(value)
        .split(',')
        .some((status) => !statuses.includes(status))
    ) {
      const message = `status must be one of ${statuses.join(', ')}, or several separated by commas.`;
      throw new ApiError('invalid_filters', { field: 'filters.status', message });
    }
  }
  const { needs } = rule;
  if (needs !== undefined && sent[needs] == null) {
    const message = `An export of ${kind} needs the filter ${needs}. Name one record with it.`;
    throw new ApiError('invalid_filters', { field: `filters.${needs}`, message });
  }
  return Object.fromEntries(given);
}

/** The set of the rows of an export, as a worker fixes it. */
export interface FixedSet {
  readonly asOf: AccountTime;
  readonly until: string;
  readonly keptUntil: RealTime;
}

/** Fixes the set of rows. */
export const beginExport = (record: Export, set: FixedSet): Change<Export> =>
  internalChange(nextOf(record, set.asOf, set));

/** What a step of the worker has done. */
export interface ExportStep {
  /** The position up to which it has read. */
  readonly cursor: string;
  /** Undefined: it has found no rows. */
  readonly part: StoredPart | undefined;
  readonly leftOut: number;
  /** Nothing is left to do. */
  readonly isLast: boolean;
}

/** Adds what a step has done. The last step completes the export. */
export function continueExport(record: Export, step: ExportStep, now: AccountTime): Change<Export> {
  const { cursor, part, leftOut, isLast } = step;
  const fields = {
    cursor,
    parts: part ? [...record.parts, part] : record.parts,
    rows: record.rows + (part?.rows ?? 0),
    leftOut: record.leftOut + leftOut,
  };
  return isLast
    ? end(record, { ...fields, status: 'completed' }, now)
    : internalChange(nextOf(record, now, fields));
}

/** Replaces the files of an export by others with the same rows. @param isLast the export is complete */
export const replaceParts = (
  record: Export,
  { parts, isLast }: { readonly parts: readonly StoredPart[]; readonly isLast: boolean },
  now: AccountTime,
): Change<Export> =>
  isLast ? end(record, { status: 'completed', parts }, now) : internalChange(nextOf(record, now, { parts }));

/** The export cannot be completed. The files that it has expire. */
export const failExport = (record: Export, failure: ExportFailure, now: AccountTime): Change<Export> =>
  end(record, { status: 'failed', failure }, now);

function end(
  record: Export,
  fields: Partial<Export> & { readonly status: 'completed' | 'failed' },
  now: AccountTime,
): Change<Export> {
  const next = nextOf(record, now, fields);
  const event = draftEvent(`export.${fields.status}`, next, next.updatedAt, showExport(next));
  return { ...internalChange(next), indexEntry: entryOf(next), events: [event] };
}

const nextOf = (record: Export, now: AccountTime, fields: Partial<Export>): Export => ({
  ...record,
  ...fields,
  version: record.version + 1,
  objectVersion: record.objectVersion + 1,
  updatedAt: Math.max(now, record.updatedAt + 1),
});

const entryOf = ({ seq, status }: Export) => ({
  resource: 'export' as const,
  seq,
  filterKeys: [],
  status,
});
