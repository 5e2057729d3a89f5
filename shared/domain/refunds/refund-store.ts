/** Reads, lists and creates refunds in the table. `processing.ts` executes them. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import { mergeMetadata } from '../../base/metadata.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, requireNew } from '../../store/commit/command.ts';
import type { RecordFilter } from '../../store/lists/filters/record-matcher.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import type { Payment } from '../payments/payment.ts';
import { refundType } from './record.ts';
import { type CreateRefund, type ListRefunds, type Refund, type ShownRefund, showRefund } from './refund.ts';
import { createRefund, type NewRefundIdentity } from './transitions.ts';

/** Reads one refund. */
export function readRefund(owner: Owner, id: string): Promise<LoadedRecord<Refund>> {
  return readRecord(refundType, owner, id);
}

/**
 * Returns the refund of a loaded record.
 * @throws ApiError `refund_not_found` if it does not exist
 */
export function requireRefund({ record }: LoadedRecord<Refund>): Refund {
  if (!record) throw new ApiError('refund_not_found');
  return record;
}

/**
 * Creates the command that creates a refund of a loaded payment. The command throws the errors of `createRefund`, and
 * `invalid_payment` if the payment does not exist.
 * @param webhookFault the fault of the events of the refund
 */
export function createRefundCommand(
  principal: Principal,
  payment: LoadedRecord<Payment>,
  { amount, reason, metadata }: CreateRefund,
  now: Instant,
  webhookFault?: WebhookFault,
): Command<[Refund, Payment], ShownRefund> {
  const identity = { ...identifyRefund(principal), webhookFault };
  return new Command([absentRefund(identity), payment], (existing, presentPayment) => {
    requireNew(existing);
    const details = {
      amount: amount ?? undefined,
      reason: reason ?? null,
      metadata: mergeMetadata(undefined, metadata),
    };
    const changes = createRefund(identity, requirePaymentInBody(presentPayment), details, now);
    return { changes, answer: showRefund(changes[0].record) };
  });
}

/** Reads the index of the list that matches the filters. */
export async function readRefundIndex(
  owner: Owner,
  { paymentId, invoiceId, ...filter }: Pick<ListRefunds, 'paymentId' | 'invoiceId'> & RecordFilter,
): Promise<IndexView> {
  const filterKeys = [
    ...(paymentId === undefined ? [] : [`#payment#${paymentId}`]),
    ...(invoiceId === undefined ? [] : [`#invoice#${invoiceId}`]),
  ];
  return readListIndex(owner, 'refund', filterKeys, filter);
}

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readRefundIndex`
 */
export async function listRefundPage(principal: Principal, view: IndexView, query: ListQuery) {
  const { rows, total, count } = await listRecords(refundType, principal, view, query);
  return { data: rows.map(showRefund), pagination: paginationOf({ ...query, total, count }) };
}

/** Returns the identity of a new refund: its owner, sequence number and id. */
export function identifyRefund({ owner, idKeys, seq }: Principal): NewRefundIdentity {
  return { ...owner, seq, id: recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq) };
}

/** The loaded record of a refund that does not exist yet. */
export const absentRefund = ({ account, mode, id }: NewRefundIdentity): LoadedRecord<Refund> => ({
  type: refundType,
  owner: { account, mode },
  id,
  record: undefined,
});

function requirePaymentInBody(payment: Payment | undefined): Payment {
  if (payment) return payment;
  const message =
    'The payment with this paymentId does not exist. Check the ID and the mode of your API key.';
  throw new ApiError('invalid_payment', { field: 'paymentId', message });
}
