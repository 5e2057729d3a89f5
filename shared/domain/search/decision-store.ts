/**
 * Finds what the merchant must decide: claims of payers, payments of another amount, disputes, and rows of bank statements.
 *
 * - For all but rows, the relay stores an item after the event that asks for a decision, as for a term of the search, and deletes it after
 *   the one that takes the decision. Each record that was found is judged by its present state.
 * - Disputes have a term of their own, so that many claims do not hide the one that ends tomorrow.
 * - A row has a mark exactly while it waits (`waiting-row.ts`).
 */
import type { Owner } from '../../base/ids.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { tableKeys } from '../../store/keys.ts';
import { fromItems, readItems } from '../../store/records.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { openDecision, openDispute, termLookup } from '../../store/search/search-entries.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import type { Payment } from '../payments/payment.ts';
import { isUndecided } from '../payments/provider/hosted-provider.ts';
import { paymentType } from '../payments/record.ts';
import { statementType } from '../statements/record.ts';
import type { BankStatement } from '../statements/statement.ts';
import type { WaitingCounts } from '../statements/waiting-statements.ts';

/** So many open disputes, and so many other decisions, are shown: with the statements, as many records as one call reads. */
const maxExamined = 40;
/** Of the statements with rows that wait, so many are shown. */
const maxStatements = 20;

/** Records about which the merchant must decide. */
export interface Decisions {
  /** With an open claim, newest first. */
  readonly claimed: readonly Invoice[];
  /** Of another amount than the invoice, newest first. */
  readonly held: readonly Payment[];
  /** With a dispute without a decision. That to which the provider awaits an answer first is the first one. */
  readonly disputed: readonly Payment[];
  /** Statements with rows that wait, that with the newest row first. */
  readonly unmatched: readonly WaitingStatement[];
}

/** A bank statement with rows that wait. */
export interface WaitingStatement {
  readonly statement: BankStatement;
  readonly rows: number;
  /** More rows can wait. */
  readonly isMore: boolean;
}

/** Returns the ids of the records that can need a decision, newest first. One call in sequence. */
export async function findDecisions(owner: Owner): Promise<readonly string[]> {
  const hash = await tableHasher();
  const ids = await Promise.all(
    [openDispute, openDecision].map((term) => queryNewest(owner, termLookup(hash, term), maxExamined)),
  );
  return [...new Set(ids.flat())];
}

/** Reads the records that need a decision. One call, or none. A decision of the last second can still be among them. @param ids from `findDecisions` @param waiting from `countWaitingRows` */
export async function readDecisions(
  owner: Owner,
  ids: readonly string[],
  { counts, isMore }: WaitingCounts,
): Promise<Decisions> {
  const waiting = [...counts].slice(0, maxStatements);
  const wanted = [...ids, ...waiting.map(([id]) => id)];
  const items = wanted.length === 0 ? [] : await readItems(wanted.map(tableKeys.record), 'eventual');
  const idOf = ({ pk }: (typeof items)[number]) => String(pk);
  const { records: invoices } = fromItems(
    invoiceType,
    owner,
    items.filter((item) => invoiceType.isId(idOf(item))),
  );
  const { records: payments } = fromItems(
    paymentType,
    owner,
    items.filter((item) => paymentType.isId(idOf(item))),
  );
  const { records: statements } = fromItems(
    statementType,
    owner,
    items.filter((item) => statementType.isId(idOf(item))),
  );
  const inOrder = <T>(records: ReadonlyMap<string, T>) => ids.flatMap((id) => records.get(id) ?? []);
  const disputed = inOrder(payments).filter(({ dispute }) => isUndecided(dispute?.status));
  return {
    claimed: inOrder(invoices).filter((invoice) => openClaimOf(invoice) !== undefined),
    held: inOrder(payments).filter(
      ({ status, pendingReason }) => status === 'pending' && pendingReason === 'amount_differs',
    ),
    disputed: disputed.toSorted((one, other) => answerBy(one) - answerBy(other)),
    unmatched: waiting.flatMap(([id, rows]) => {
      const statement = statements.get(id);
      return statement ? [{ statement, rows, isMore }] : [];
    }),
  };
}

const answerBy = ({ dispute }: Payment): number => dispute?.respondBy ?? Number.MAX_SAFE_INTEGER;
