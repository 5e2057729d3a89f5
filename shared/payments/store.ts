/** Payments in the table: how they are read, listed and created. How one gets its outcome is `settlement.ts`. */
import { ApiError } from '../errors.ts';
import { type Owner, recordId } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { customerDimension } from '../invoices/record.ts';
import { pageOf } from '../pagination.ts';
import type { RequestKey } from '../store/commit.ts';
import type { Admission } from '../store/heads.ts';
import { type IndexView, readIndex } from '../store/index-pages.ts';
import { type ListQuery, list } from '../store/lists.ts';
import { type Reading, readAnyRecord, readRecord } from '../store/records.ts';
import { requireNew, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { type Card, summaryOf } from './card.ts';
import { type ListPayments, type Payment, showPayment } from './payment.ts';
import type { PaymentProvider } from './provider.ts';
import { paymentType } from './record.ts';
import { captureAndSettle } from './settlement.ts';
import { beginCardPayment, type PaymentPlace, recordOffline } from './transitions.ts';

/** Reads one payment. */
export function readPayment(owner: Owner, id: string): Promise<Reading<Payment>> {
  return readRecord(paymentType, owner, id);
}

/** Reads a payment for whoever has its id; undefined if there is none. */
export function readAnyPayment(id: string): Promise<Reading<Payment> | undefined> {
  return readAnyRecord(paymentType, id);
}

/** The payment that was read. Throws `payment_not_found`. */
export function foundPayment({ record }: Reading<Payment>): Payment {
  if (!record) throw new ApiError('payment_not_found');
  return record;
}

/** Where a new payment belongs, and the invoice that it is to pay. */
export interface NewPayment {
  readonly admission: Admission;
  readonly invoice: Reading<Invoice>;
  readonly now: Instant;
}

/** The transition that records money received outside: the payment completed, the invoice paid. */
export function newOfflinePayment(
  { admission, invoice, now }: NewPayment,
  details: { amount: number | undefined; reference: string | null },
): Transition<[Payment, Invoice]> {
  const place = placeOf(admission);
  return new Transition([newReading(place), invoice], (existing, found) => {
    requireNew(existing);
    const changes = recordOffline(place, requireInvoice(found), details, now);
    return { changes, answer: showPayment(changes[0].record) };
  });
}

/** What a card payment needs besides its invoice. */
export interface CardPayment {
  readonly amount: number | undefined;
  readonly card: Card;
  readonly provider: PaymentProvider;
  readonly key: RequestKey | undefined;
  /** A further condition on the invoice. Throws if it is not met. */
  readonly require?: (invoice: Invoice) => void;
}

/** The transition that stores the intent of a card payment, and then goes on from it to the provider. */
export function newCardPayment(
  { admission, invoice, now }: NewPayment,
  { amount, card, provider, key, require }: CardPayment,
): Transition<[Payment, Invoice]> {
  const place = placeOf(admission);
  const request = key && { keyHash: key.keyHash, fingerprint: key.fingerprint };
  const details = { amount, card: summaryOf(card), request };
  return new Transition(
    [newReading(place), invoice],
    (existing, record) => {
      requireNew(existing);
      const found = requireInvoice(record);
      require?.(found);
      const changes = beginCardPayment(place, found, details, now);
      return { changes, answer: showPayment(changes[0].record), intent: place.id };
    },
    (id, records) => captureAndSettle({ owner: admission.owner, id, records, card, provider, key, now }),
  );
}

/** Reads the index of the list that the filters ask for. */
export async function readPaymentIndex(
  owner: Owner,
  { invoiceId, customerId }: Pick<ListPayments, 'invoiceId' | 'customerId'>,
): Promise<IndexView> {
  return readIndex(owner, 'payment', [
    ...(invoiceId === undefined ? [] : [`#invoice#${invoiceId}`]),
    ...(customerId === undefined ? [] : [await customerDimension(customerId)]),
  ]);
}

/** A page of the list, newest first, with its exact total. */
export async function listPayments({ owner, idKeys }: Admission, view: IndexView, query: ListQuery) {
  const { rows, total } = await list(paymentType, owner, idKeys, view, query);
  return { data: rows.map(showPayment), pagination: pageOf({ ...query, total, count: rows.length }) };
}

function placeOf({ owner, idKeys, seq }: Admission): PaymentPlace {
  return { ...owner, seq, id: recordId(idKeys.of(seq), { ...owner, resource: 'payment' }, seq) };
}

const newReading = ({ account, mode, id }: PaymentPlace): Reading<Payment> => ({
  type: paymentType,
  owner: { account, mode },
  id,
  record: undefined,
});

function requireInvoice(invoice: Invoice | undefined): Invoice {
  if (invoice) return invoice;
  const message = 'There is no invoice with this invoiceId.';
  throw new ApiError('invalid_invoice', { field: 'invoiceId', message });
}
