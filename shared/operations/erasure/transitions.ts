/**
 * Decides what an erasure leaves of the records of a customer, and of their copies in events and stored answers. Pure.
 *
 * - The declaration of each resource says what stays of a field. The books stay right.
 * - An erasure is an internal change: it emits no event, and `objectVersion` and `updatedAt` stay.
 * - Everything that is erased already stays as it is, so an erasure can be repeated.
 */
import { isDeepStrictEqual } from 'node:util';
import { idPrefixes, type Resource } from '../../base/ids.ts';
import { customerErasures } from '../../domain/customers/customer-fields.ts';
import { draftErasures } from '../../domain/drafts/draft-fields.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { invoiceErasures } from '../../domain/invoices/record.ts';
import type { Checkout } from '../../domain/payments/checkouts/checkout.ts';
import { checkoutErasures } from '../../domain/payments/checkouts/checkout-fields.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { paymentErasures } from '../../domain/payments/payment-fields.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { refundErasures } from '../../domain/refunds/refund-fields.ts';
import { scheduleErasures } from '../../domain/schedules/schedule-fields.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { type ErasureTable, erasedText, eraseFields } from '../../store/field-erasure.ts';
import { indexEntryOf, isKnownStatus } from '../../store/lists/pages/index-pages.ts';
import type { NumberedRecord, RecordBase } from '../../store/records.ts';

/** Whose data is erased, and what replaces the customer id. */
export interface Erasure {
  readonly pseudonym: string;
  /** The filter key of the customer's lists. */
  readonly from: string;
  /** The filter key of the pseudonym's lists. */
  readonly to: string;
}

/** Whether a record belongs to the customer, or belonged to the customer before this erasure. */
export function isOfCustomer({ from, to }: Erasure, { filterKeys }: NumberedRecord): boolean {
  return filterKeys.includes(from) || filterKeys.includes(to);
}

/** Erases the fields of an invoice. Returns undefined if it needs no change, or belongs to another customer. */
export function eraseInvoice(erasure: Erasure, invoice: Invoice): Change<Invoice> | undefined {
  return changeTo('invoice', erasure, invoice);
}

/** Erases the personal data of an open checkout that the provider knows. Returns undefined if the checkout needs no change. */
export function eraseCheckout(erasure: Erasure, checkout: Checkout): Change<Checkout> | undefined {
  if (checkout.status !== 'open' || checkout.reference === undefined) return undefined;
  return internalChangeIfErased(checkout, eraseStored(checkoutErasures, erasure, checkout));
}

/** Erases the fields of a payment. Returns undefined if it needs no change, or belongs to another customer. */
export function erasePayment(erasure: Erasure, payment: Payment): Change<Payment> | undefined {
  return changeTo('payment', erasure, payment);
}

/** Erases the fields of a refund. Returns undefined if it needs no change. The caller knows that it belongs to the customer. */
export function eraseRefund(erasure: Erasure, refund: Refund): Change<Refund> | undefined {
  return internalChangeIfErased(refund, eraseStored(refundErasures, erasure, refund));
}

function changeTo<T extends Invoice | Payment>(
  resource: 'invoice' | 'payment',
  erasure: Erasure,
  record: T,
): Change<T> | undefined {
  if (!isOfCustomer(erasure, record)) return undefined;
  const filterKeys = record.filterKeys.map((key) => (key === erasure.from ? erasure.to : key));
  const erased = { ...eraseStored(fieldsOf[resource], erasure, record), filterKeys };
  const change = internalChangeIfErased(record, erased);
  if (change && !isKnownStatus(resource, record.status))
    throw new Error(
      `This release does not know the status ${record.status} of ${record.id}. Use the command of the newest release.`,
    );
  return change && { ...change, indexEntry: indexEntryOf(resource, change.record) };
}

/** Returns a record without personal data. What no field declares stays: the base of the record, and unknown attributes. */
function eraseStored<T extends RecordBase>(erasures: ErasureTable, { pseudonym }: Erasure, record: T): T {
  return eraseFields(erasures, record, { pseudonym, isShown: false }) as T;
}

function internalChangeIfErased<T extends RecordBase>(record: T, erased: T): Change<T> | undefined {
  return isDeepStrictEqual(erased, record)
    ? undefined
    : internalChange({ ...erased, version: record.version + 1 });
}

/**
 * Returns a resource as the API shows it, or some of its fields, without personal data. The fields keep their order.
 * @param id the id of the resource
 */
export function eraseShown({ pseudonym }: Erasure, id: string, shown: object): object {
  const resource = (Object.keys(fieldsOf) as ErasedResource[]).find((each) =>
    id.startsWith(`${idPrefixes[each]}_`),
  );
  if (!resource)
    throw new Error(`${id} is not the ID of an invoice, payment, refund, customer, draft or schedule.`);
  return eraseFields(fieldsOf[resource], shown, { pseudonym, isShown: true });
}

/** The resources that name a customer, or are one. */
type ErasedResource = Exclude<Resource, 'product' | 'statement' | 'export'>;

const fieldsOf: Readonly<Record<ErasedResource, ErasureTable>> = {
  invoice: invoiceErasures,
  payment: paymentErasures,
  refund: refundErasures,
  customer: customerErasures,
  draft: draftErasures,
  schedule: scheduleErasures,
};

/** The bodies of receivers' answers can repeat what they received. */
export function eraseAttempts<T extends { readonly answer: string }>(attempts: readonly T[]): T[] {
  return attempts.map((attempt) => ({ ...attempt, answer: attempt.answer === '' ? '' : erasedText }));
}
