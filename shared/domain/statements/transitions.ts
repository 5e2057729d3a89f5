/** Creates statements, and says when their rows were tried. Pure. No event follows from a statement: its payments have theirs. */
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { toColumnMapping } from './column-mapping.ts';
import type { BankStatement, NewStatement, StatementRow } from './statement.ts';

/** The owner, sequence number and id of a new statement. */
interface NewStatementIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
  /** How many items have its rows. */
  readonly rowItems: number;
}

/** The time zone in which a day begins first is so much ahead of UTC. In milliseconds. */
const earliestZoneMs = 14 * 3_600_000;

/**
 * Creates a statement, with the timer of the worker that lets its rows pay.
 * @throws ApiError `invalid_rows` if the day of a row has begun nowhere yet
 */
export function createStatement(
  identity: NewStatementIdentity,
  { bank, currency, mapping: sentMapping }: NewStatement,
  rows: readonly StatementRow[],
  now: AccountTime,
): Change<BankStatement> {
  const days = rows.map(({ day }) => day).sort();
  const [firstDay = ''] = days;
  const lastDay = days.at(-1) ?? '';
  requireBegun(rows, now);
  const mapping = toColumnMapping(sentMapping);
  const statement: BankStatement = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'matching',
    bank,
    currency,
    rowCount: rows.length,
    firstDay,
    lastDay,
    ...(mapping && { mapping }),
    createdAt: now,
    updatedAt: now,
  };
  return {
    ...internalChange(statement),
    indexEntry: entryOf(statement),
    timers: [matchTimer(statement, now)],
  };
}

/** Says what is wrong with a day that has begun nowhere yet. */
export const futureDayMessage =
  'day must not be in the future. Send the day on which the bank booked the money.';

/** Returns the position of the first row whose day has begun nowhere yet, or -1. */
export function findFutureRow(rows: readonly { readonly day: string }[], now: AccountTime): number {
  const latest = toTimestamp(now + earliestZoneMs);
  return rows.findIndex(({ day }) => day > latest.slice(0, day.length));
}

function requireBegun(rows: readonly StatementRow[], now: AccountTime): void {
  const index = findFutureRow(rows, now);
  if (index >= 0)
    throw new ApiError('invalid_rows', { field: `rows.${index}.day`, message: futureDayMessage });
}

/** All rows were tried. Returns undefined if the statement says so already. */
export function finishMatching(
  statement: BankStatement,
  now: AccountTime,
): Change<BankStatement> | undefined {
  if (statement.status !== 'matching') return undefined;
  const next: BankStatement = {
    ...statement,
    version: statement.version + 1,
    objectVersion: statement.objectVersion + 1,
    status: 'ready',
    updatedAt: Math.max(now, statement.updatedAt + 1),
  };
  return { ...internalChange(next), indexEntry: entryOf(next) };
}

/** Rows with smaller ids were tried. Returns undefined if nothing is left to try, or more rows were tried. */
export function continueMatching(
  statement: BankStatement,
  triedUntil: string,
): Change<BankStatement> | undefined {
  if (statement.status !== 'matching' || triedUntil <= (statement.triedUntil ?? '')) return undefined;
  return internalChange({ ...statement, version: statement.version + 1, triedUntil });
}

/** The timer of the worker that lets the rows of a statement pay. It goes to the worker of payments. */
const matchTimer = ({ id }: BankStatement, due: AccountTime): Timer => ({
  due,
  kind: 'payment',
  reference: id,
});

const entryOf = ({ seq, status }: BankStatement) => ({
  resource: 'statement' as const,
  seq,
  filterKeys: [],
  status,
});
