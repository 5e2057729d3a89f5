/**
 * Finds what the merchant must decide: claims of payers, payments of another amount, and disputes.
 *
 * - The relay stores an item for the event that asks for a decision, as for a term of the search. Nothing deletes it, so each record that
 *   was found is judged by its present state.
 */
import type { Owner } from '../../base/ids.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { tableKeys } from '../../store/keys.ts';
import { fromItems, readItems } from '../../store/records.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { openDecision, termLookup } from '../../store/search/search-entries.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import type { Payment } from '../payments/payment.ts';
import { isUndecided } from '../payments/provider/hosted-provider.ts';
import { paymentType } from '../payments/record.ts';

/** Of the newest events that ask for a decision, so many are looked at. */
const maxExamined = 40;

/** Records about which the merchant must decide. */
export interface Decisions {
  /** With an open claim, newest first. */
  readonly claimed: readonly Invoice[];
  /** Of another amount than the invoice, newest first. */
  readonly held: readonly Payment[];
  /** With a dispute without a decision. That to which the provider awaits an answer first is the first one. */
  readonly disputed: readonly Payment[];
}

/** Returns the ids of the records that can need a decision, newest first. One call. */
export async function findDecisions(owner: Owner): Promise<readonly string[]> {
  const ids = await queryNewest(owner, termLookup(await tableHasher(), openDecision), maxExamined);
  return [...new Set(ids)];
}

/** Reads the records that need a decision. One call, or none. A decision of the last second can still be among them. @param ids from `findDecisions` */
export async function readDecisions(owner: Owner, ids: readonly string[]): Promise<Decisions> {
  const items = ids.length === 0 ? [] : await readItems(ids.map(tableKeys.record), 'eventual');
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
  const inOrder = <T>(records: ReadonlyMap<string, T>) => ids.flatMap((id) => records.get(id) ?? []);
  const disputed = inOrder(payments).filter(({ dispute }) => isUndecided(dispute?.status));
  return {
    claimed: inOrder(invoices).filter((invoice) => openClaimOf(invoice) !== undefined),
    held: inOrder(payments).filter(
      ({ status, pendingReason }) => status === 'pending' && pendingReason === 'amount_differs',
    ),
    disputed: disputed.toSorted((one, other) => answerBy(one) - answerBy(other)),
  };
}

const answerBy = ({ dispute }: Payment): number => dispute?.respondBy ?? Number.MAX_SAFE_INTEGER;
