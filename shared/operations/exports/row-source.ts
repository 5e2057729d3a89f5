/** Describes where the rows of an export come from. There is one source for each kind. */
import type { Clock } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Export } from '../../domain/exports/export.ts';

/** The rows up to a position. */
export interface RowBatch {
  /** The position up to which the source has read. */
  readonly cursor: string;
  readonly rows: readonly object[];
  /** How many records cannot be read. */
  readonly leftOut: number;
}

/** What a source needs to know of an export. */
export interface RowScope {
  readonly owner: Owner;
  readonly record: Export;
  /** The first instant of the range, and the first one after it. */
  readonly from: Instant;
  readonly end: Instant;
}

/** Thrown if the rows of an export are made of more records than can be read at once. */
export class TooManyRecordsError extends Error {}

export interface RowSource {
  /** Fixes the set of rows: returns its last position. */
  readonly lastOf: (scope: RowScope, clock: Clock) => Promise<string>;
  /**
   * Yields the rows after a position, up to the last position of the set, in an order that never changes.
   * @param after undefined: from the first
   * @throws TooManyRecordsError
   */
  readonly read: (scope: RowScope, after: string | undefined, until: string) => AsyncGenerator<RowBatch>;
}

/** Whether a record is in the range of an export. */
export const isInRange = ({ from, end }: RowScope, at: Instant): boolean => at >= from && at < end;

/** Whether a record matches the filters of an export. A filter for a field that the record does not have matches nothing. */
export function matchesExportFilters({ record: { filters = {} } }: RowScope, record: object): boolean {
  const { status, ...others } = filters;
  const values = record as Readonly<Record<string, unknown>>;
  return (
    (status === undefined || status.split(',').includes(String(values.status))) &&
    Object.entries(others).every(([name, wanted]) => values[name] === wanted)
  );
}
