/** Defines how invoices are stored, what an erasure leaves of them, and their filter keys. Payments use this file too, because they change invoices. */
import { env } from '../../base/env.ts';
import { locales } from '../../base/locales.ts';
import { currencies } from '../../base/money.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import {
  eraseEach,
  eraseText,
  type FieldErasure,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceCustomerId,
} from '../../store/field-erasure.ts';
import { defineNumberedType } from '../../store/records.ts';
import {
  arrayOf,
  compressibleJson,
  compressibleText,
  count,
  flag,
  instant,
  integer,
  jsonObject,
  nullable,
  objectOf,
  oneOf,
  optional,
  optionalEach,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { chargesErasures, type StoredCharges, storedCharges } from '../charges/stored-charges.ts';
import { invoiceBalance } from '../journal/chart.ts';
import { storedBuyer } from '../parties/stored-party.ts';
import type { Claim } from './claim.ts';
import type { Gst } from './indian-gst.ts';
import type { Invoice, ShownCancellation, ShownInvoice } from './invoice.ts';
import type { CheckoutRefusal, PayerNote, Receipt } from './receipt.ts';
import type { PartPayment } from './received-money.ts';

/** Optional fields that invoices and drafts store as they were sent. */
export const sentFields = { reference: text, locale: oneOf(...locales) };

export const invoiceType = defineNumberedType<Invoice, 'paymentUrl'>('invoice', {
  attributes: {
    customerId: text,
    amount: positive,
    currency: oneOf(...currencies),
    description: compressibleText,
    dueDate: text,
    overdueAt: instant,
    contentVersion: optional(positive),
    paymentInProgress: optional(text),
    openCheckout: optional(text),
    checkoutRefusal: optional(objectOf<CheckoutRefusal>({ provider: text, reason: text, at: instant })),
    receipt: optional(
      objectOf<Receipt>({
        paymentId: text,
        method: textOf<Receipt['method']>(),
        card: nullable(objectOf({ brand: text, last4: text })),
        reference: nullable(text),
      }),
    ),
    acceptPartial: optional(oneOf(true)),
    reminders: optional(arrayOf(integer)),
    parts: optional(
      arrayOf(
        objectOf<PartPayment>({
          paymentId: text,
          amount: count,
          writtenOff: optional(count),
          isCredit: optional(oneOf(true)),
          transfer: optional(text),
          shownOn: optional(text),
          isClaimed: optional(oneOf(true)),
          over: optional(count),
        }),
      ),
    ),
    refundedMinor: optional(count),
    payerNote: optional(
      objectOf<PayerNote>({
        refundedAt: optional(instant),
        unneededMinor: optional(count),
        unneededRefundedMinor: optional(integer),
        overRefundedMinor: optional(integer),
        creditedMinor: optional(count),
        isRefundRefused: optional(flag),
        isRefused: optional(flag),
      }),
    ),
    claim: optional(
      objectOf<Claim>({
        id: text,
        status: textOf<Claim['status']>(),
        amount: positive,
        paidOn: text,
        bank: optional(text),
        reference: optional(text),
        reason: optional(text),
        claimedAt: instant,
      }),
    ),
    paymentReference: optional(text),
    ...optionalEach(sentFields),
    buyer: optional(storedBuyer),
    gst: optional(
      objectOf<Gst>({
        place: text,
        isPlaceGiven: flag,
        supply: textOf<Gst['supply']>(),
        isReverseCharge: flag,
      }),
    ),
    sellerState: optional(text),
    charges: optional(compressibleJson<StoredCharges>()),
    replaces: optional(text),
    replacedBy: optional(text),
    isDocumented: optional(oneOf(true)),
    scheduleId: optional(text),
    period: optional(objectOf<NonNullable<Invoice['period']>>({ start: text, end: text })),
    metadata: optional(jsonObject),
    createdAt: instant,
    updatedAt: instant,
  },
  texts: ['description'],
  json: { charges: storedCharges },
  // Refunds and payments still change an invoice with these statuses, but nothing that the API shows of it. Only the void of a payment does.
  lastStatuses: ['paid', 'cancelled'],
  derive: (id) => ({ paymentUrl: paymentUrlOf(id) }),
  balanceOf: invoiceBalance,
});

/** The API shows what an erasure removes as null. */
const removeValue: FieldErasure = (_, { isShown }) => (isShown ? null : undefined);

/** What an erasure leaves of these fields, also in drafts. */
export const erasuresAsSent = { reference: eraseText, locale: keepValue };

/** What an erasure leaves of each field, stored and shown. */
export const invoiceErasures: FieldErasures<Invoice | ShownInvoice | ShownCancellation> = {
  id: keepValue,
  customerId: replaceCustomerId,
  amount: keepValue,
  currency: keepValue,
  status: keepValue,
  description: eraseText,
  dueDate: keepValue,
  overdueAt: keepValue,
  contentVersion: keepValue,
  paymentUrl: keepValue,
  paymentInProgress: keepValue,
  openCheckout: keepValue,
  // The reason is one of the service's own words.
  checkoutRefusal: { provider: keepValue, reason: keepValue, at: keepValue },
  receipt: {
    paymentId: keepValue,
    method: keepValue,
    // The books need the brand and the last four digits, and they name nobody.
    card: { brand: keepValue, last4: keepValue },
    reference: eraseText,
  },
  acceptPartial: keepValue,
  reminders: (days) => days,
  parts: eraseEach<PartPayment>({
    paymentId: keepValue,
    amount: keepValue,
    writtenOff: keepValue,
    isCredit: keepValue,
    // A keyed hash, from which nobody can read the reference.
    transfer: keepValue,
    shownOn: keepValue,
    isClaimed: keepValue,
    over: keepValue,
  }),
  amountPaid: keepValue,
  amountDue: keepValue,
  amountWrittenOff: keepValue,
  refundedMinor: keepValue,
  paymentReference: keepValue,
  payerNote: {
    refundedAt: keepValue,
    unneededMinor: keepValue,
    unneededRefundedMinor: keepValue,
    overRefundedMinor: keepValue,
    creditedMinor: keepValue,
    isRefundRefused: keepValue,
    isRefused: keepValue,
  },
  createdAt: keepValue,
  updatedAt: keepValue,
  deletedAt: keepValue,
  ...erasuresAsSent,
  replaces: keepValue,
  replacedBy: keepValue,
  buyer: removeValue,
  claim: {
    id: keepValue,
    status: keepValue,
    amount: keepValue,
    paidOn: keepValue,
    // A confirmation after the erasure records a payment without them.
    bank: removeValue,
    reference: removeValue,
    reason: removeValue,
    claimedAt: keepValue,
  },
  // The books need the state in which the supply is taxed.
  gst: {
    place: keepValue,
    isPlaceGiven: keepValue,
    isReverseCharge: keepValue,
    placeOfSupply: keepValue,
    supply: keepValue,
    reverseCharge: keepValue,
  },
  sellerState: keepValue,
  isDocumented: keepValue,
  scheduleId: keepValue,
  period: { start: keepValue, end: keepValue },
  number: keepValue,
  metadata: removeMetadata,
  charges: chargesErasures,
  ...chargesErasures,
};

/**
 * Returns the filter key of a customer's lists, a keyed hash of the customer id. E-mail addresses that differ only in
 * case have the same key.
 */
export async function customerFilterKey(customerId: string): Promise<string> {
  const name = customerId.includes('@') ? customerId.toLowerCase() : customerId;
  return `#customer#${await tableHash('customer', name)}`;
}

/** Returns the URL of the invoice's payment page. */
export function paymentUrlOf(id: string): string {
  return `${env.payUrlBase()}/${id}`;
}
