/** Refunds in the table: how they are read, listed and created. How one is carried out is `processing.ts`. */
import { ApiError } from '../errors.ts';
import { type Owner, recordId } from '../ids.ts';
import { pageOf } from '../pagination.ts';
import type { Payment } from '../payments/payment.ts';
import type { Admission } from '../store/heads.ts';
import { type IndexView, readIndex } from '../store/index-pages.ts';
import { type ListQuery, list } from '../store/lists.ts';
import { type Reading, readRecord } from '../store/records.ts';
import { requireNew, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { refundType } from './record.ts';
import { type CreateRefund, type ListRefunds, type Refund, showRefund } from './refund.ts';
import { createRefund, type RefundPlace } from './transitions.ts';

/** Reads one refund. */
export function readRefund(owner: Owner, id: string): Promise<Reading<Refund>> {
  return readRecord(refundType, owner, id);
}

/** The refund that was read. Throws `refund_not_found`. */
export function foundRefund({ record }: Reading<Refund>): Refund {
  if (!record) throw new ApiError('refund_not_found');
  return record;
}

/** The transition that creates a refund of the payment that was read. */
export function newRefund(
  admission: Admission,
  payment: Reading<Payment>,
  { amount, reason }: CreateRefund,
  now: Instant,
): Transition<[Refund, Payment]> {
  const place = placeOf(admission);
  return new Transition([newReading(place), payment], (existing, found) => {
    requireNew(existing);
    const details = { amount: amount ?? undefined, reason: reason ?? null };
    const changes = createRefund(place, requirePayment(found), details, now);
    return { changes, answer: showRefund(changes[0].record) };
  });
}

/** Reads the index of the list that the filters ask for. */
export async function readRefundIndex(
  owner: Owner,
  { paymentId, invoiceId }: Pick<ListRefunds, 'paymentId' | 'invoiceId'>,
): Promise<IndexView> {
  return readIndex(owner, 'refund', [
    ...(paymentId === undefined ? [] : [`#payment#${paymentId}`]),
    ...(invoiceId === undefined ? [] : [`#invoice#${invoiceId}`]),
  ]);
}

/** A page of the list, newest first, with its exact total. */
export async function listRefunds({ owner, idKeys }: Admission, view: IndexView, query: ListQuery) {
  const { rows, total } = await list(refundType, owner, idKeys, view, query);
  return { data: rows.map(showRefund), pagination: pageOf({ ...query, total, count: rows.length }) };
}

/** The id that goes with a number that was drawn. */
export function placeOf({ owner, idKeys, seq }: Admission): RefundPlace {
  return { ...owner, seq, id: recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq) };
}

/** The reading of a refund that is to be created. */
export const newReading = ({ account, mode, id }: RefundPlace): Reading<Refund> => ({
  type: refundType,
  owner: { account, mode },
  id,
  record: undefined,
});

function requirePayment(payment: Payment | undefined): Payment {
  if (payment) return payment;
  const message = 'There is no payment with this paymentId.';
  throw new ApiError('invalid_payment', { field: 'paymentId', message });
}
