/**
 * Decides what an erasure leaves of the records of a customer, and of their copies in events and stored answers. Pure.
 *
 * - The customer id becomes a pseudonym, free texts become a fixed text, and metadata is removed. All other values stay, so the books stay
 *   right.
 * - An erasure is an internal change: it emits no event, and `objectVersion` and `updatedAt` stay.
 * - Everything that is erased already stays as it is, so an erasure can be repeated.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Resource } from '../../base/ids.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { Checkout } from '../../domain/payments/checkouts/checkout.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { compensationReason, latePaymentReason } from '../../domain/refunds/transitions.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { indexEntryOf, isKnownStatus } from '../../store/lists/pages/index-pages.ts';
import type { NumberedRecord } from '../../store/records.ts';

/** The text that replaces free texts. It is valid in every field. */
const erasedText = '[erased]';

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

/** Erases customer id, description, metadata and references. Returns undefined if the invoice needs no change. */
export function eraseInvoice(erasure: Erasure, invoice: Invoice): Change<Invoice> | undefined {
  const { receipt, reference, metadata } = invoice;
  return changeTo('invoice', erasure, invoice, {
    customerId: erasure.pseudonym,
    description: erasedText,
    ...(reference !== undefined && { reference: erasedText }),
    ...(metadata && { metadata: undefined }),
    ...(receipt && { receipt: { ...receipt, reference: eraseText(receipt.reference) } }),
  });
}

/** Erases the personal data of an open checkout that the provider knows. Returns undefined if the checkout needs no change. */
export function eraseCheckout(checkout: Checkout): Change<Checkout> | undefined {
  const { status, reference, description } = checkout;
  if (status !== 'open' || reference === undefined || description === erasedText) return undefined;
  const erased = { description: erasedText, customerEmail: undefined };
  return internalChange({ ...checkout, ...erased, version: checkout.version + 1 });
}

/** Erases customer id, reference and metadata. Returns undefined if the payment needs no change. */
export function erasePayment(erasure: Erasure, payment: Payment): Change<Payment> | undefined {
  return changeTo('payment', erasure, payment, {
    customerId: erasure.pseudonym,
    reference: eraseText(payment.reference),
    ...(payment.metadata && { metadata: undefined }),
  });
}

/**
 * Erases the reason and the metadata of a refund. Returns undefined if the refund needs no change. The caller knows that the refund
 * belongs to the customer.
 */
export function eraseRefund(refund: Refund): Change<Refund> | undefined {
  const reason = eraseText(refund.reason);
  if (reason === refund.reason && !refund.metadata) return undefined;
  return internalChange({ ...refund, version: refund.version + 1, reason, metadata: undefined });
}

function changeTo<T extends Invoice | Payment>(
  resource: Resource,
  erasure: Erasure,
  record: T,
  fields: Partial<Invoice> | Partial<Payment>,
): Change<T> | undefined {
  if (!isOfCustomer(erasure, record)) return undefined;
  const filterKeys = record.filterKeys.map((key) => (key === erasure.from ? erasure.to : key));
  const erased = { ...record, ...fields, filterKeys };
  if (isDeepStrictEqual(erased, record)) return undefined;
  if (!isKnownStatus(resource, record.status))
    throw new Error(
      `This release does not know the status ${record.status} of ${record.id}. Use the command of the newest release.`,
    );
  const indexEntry = indexEntryOf(resource, erased);
  return { ...internalChange({ ...erased, version: record.version + 1 }), indexEntry };
}

/** Returns a resource as the API shows it, without personal data. Its fields keep their order. */
export function eraseShown(erasure: Erasure, shown: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(shown).map(([field, value]) => {
    if (field === 'customerId') return [field, erasure.pseudonym];
    if (contactFields.includes(field)) return [field, null];
    if (field === 'taxIds') return [field, []];
    if (field === 'metadata') return [field, {}];
    return [field, freeTexts.includes(field) ? eraseText(value) : value];
  });
  return Object.fromEntries(entries);
}

/** The fields of a customer that can be null. */
const contactFields: readonly string[] = ['name', 'email', 'phone', 'address'];
const freeTexts: readonly string[] = ['description', 'reference', 'reason'];

/** The bodies of receivers' answers can repeat what they received. */
export function eraseAttempts<T extends { readonly answer: string }>(attempts: readonly T[]): T[] {
  return attempts.map((attempt) => ({ ...attempt, answer: attempt.answer === '' ? '' : erasedText }));
}

const ownTexts: readonly string[] = [compensationReason, latePaymentReason];

/** Erases a text. A text of the service itself stays. */
function eraseText<T>(text: T): T | typeof erasedText {
  return typeof text === 'string' && !ownTexts.includes(text) ? erasedText : text;
}
