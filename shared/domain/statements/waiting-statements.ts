/** Counts the rows of bank statements that wait for a person, for the overview. */
import type { Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import { toWaitingRow } from '../payments/waiting-row.ts';

/** So many rows are counted, those of the newest days: about four read units. */
export const maxCountedRows = 300;

/** How many rows of each statement wait, by the id of the statement. */
export interface WaitingCounts {
  readonly counts: ReadonlyMap<string, number>;
  /** More rows can wait than were counted. */
  readonly isMore: boolean;
}

/** Counts the rows that wait, the statement with the newest row first. One call. A decision of the last second can be missing. */
export async function countWaitingRows(owner: Owner): Promise<WaitingCounts> {
  const { pk, sk } = tableKeys.waitingRow(owner, '');
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
    ScanIndexForward: false,
    ConsistentRead: false,
    Limit: maxCountedRows,
  });
  const counts = new Map<string, number>();
  for await (const items of pages) {
    for (const { statementId } of leaveOutMalformed(items.map((item) => parseOrError(item, toWaitingRow))))
      counts.set(statementId, (counts.get(statementId) ?? 0) + 1);
    return { counts, isMore: items.length === maxCountedRows };
  }
  return { counts, isMore: false };
}
