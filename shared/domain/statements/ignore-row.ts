/** Reads what is needed to ignore a row, and creates the command. API and dashboard decide with it. */
import type { Clock } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { ignoreRow, type RowUse } from '../payments/row-use.ts';
import { readRowUse } from '../payments/row-use-store.ts';
import { markAfter } from '../payments/waiting-row.ts';
import type { Refund } from '../refunds/refund.ts';
import { readRefund } from '../refunds/refund-store.ts';
import { decidedMeanwhile, unlinkRefundCommand } from './link-refund.ts';
import { requireRow } from './row-store.ts';
import type { ShownIgnoredRow } from './statement.ts';
import { readStatementWithRows, type StatementWithRows } from './statement-store.ts';

/** A row with what came of it, and the refund that it shows. */
interface ReadIgnore {
  readonly found: StatementWithRows;
  readonly use: LoadedRecord<RowUse>;
  readonly refund: LoadedRecord<Refund> | undefined;
}

/** Reads what the command needs. Two calls in parallel, and then that of the refund. @throws ApiError `statement_not_found` */
export async function readIgnore(
  owner: Owner,
  { id = '', rowId = '' }: { readonly id?: string | undefined; readonly rowId?: string | undefined },
): Promise<ReadIgnore> {
  const [found, use] = await Promise.all([readStatementWithRows(owner, id), readRowUse(owner, rowId)]);
  const shown = use.record?.refund;
  return { found, use, refund: shown && (await readRefund(owner, shown.refundId)) };
}

/**
 * Creates the command that ignores a row. The command throws the errors of `ignoreRow` or `unlinkRefundCommand`.
 * @throws ApiError `row_not_found`
 */
export function ignoreRowCommand(
  owner: Owner,
  { found, use, refund }: ReadIgnore,
  clock: Clock,
): Command<[RowUse], ShownIgnoredRow> | Command<[Refund, RowUse], ShownIgnoredRow> {
  const { decided } = requireRow(found, use.id);
  const { id, statementId } = decided;
  const answer = { id, statementId, status: 'ignored' as const };
  if (refund) return unlinkRefundCommand(owner, { decided, use, refund }, answer, clock);
  return new Command([use], (present) => {
    if (present?.refund) throw decidedMeanwhile();
    const change = ignoreRow(present, owner, decided);
    return {
      changes: [change],
      answer,
      auditedAs: statementId,
      ...(change && decided.amount > 0 && markAfter(change.record)),
    };
  });
}
