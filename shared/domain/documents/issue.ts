/** Says what a document contains: what the change of an invoice or a refund says, with the seller and the buyer. Pure. */
import type { Mode } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import type { Account } from '../accounts/account.ts';
import { dayIn, dueDayIn } from '../accounts/fiscal-year.ts';
import { type InstructionSettings, instructionsFor } from '../accounts/payment-instructions.ts';
import type { Seller } from '../accounts/seller.ts';
import { endorsementOf } from '../charges/indian-supply.ts';
import { plainCharges, plainLines, plainTotals } from '../charges/plain-charges.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import type { Customer } from '../customers/customer.ts';
import type { ShownInvoice } from '../invoices/invoice.ts';
import { showBuyer } from '../parties/buyer.ts';
import { showAddress } from '../parties/party.ts';
import type { ShownPayment } from '../payments/payment.ts';
import type { ShownRefund } from '../refunds/refund.ts';
import { type Credited, creditOf } from './credit.ts';
import type { DocumentBuyer, DocumentContent, DocumentSeller, DocumentTitle } from './document.ts';

/** Who sells and who buys. */
export interface Parties {
  readonly seller: Seller;
  /** How the seller is reached and paid. */
  readonly settings: Pick<Account, 'contact'> & Partial<InstructionSettings>;
  /** The customer that the invoice names, if there is one. */
  readonly customer: Customer | undefined;
  readonly mode: Mode;
}

/** The number of a document, and which issue of it this is. */
export interface DocumentNumber {
  readonly number: string;
  /** 0 for the first issue. */
  readonly revision: number;
}

/**
 * Returns the content of an invoice.
 * @param invoice as its event shows it
 * @param at when it was created or changed
 */
export function invoiceContent(
  invoice: ShownInvoice,
  { number, revision }: DocumentNumber,
  parties: Parties,
  at: Instant,
): DocumentContent {
  const charges = chargesIn(invoice);
  const { seller, mode } = parties;
  const { currency, amount, description, gst, id, reference, paymentUrl } = invoice;
  return {
    kind: 'invoice',
    title: titleOf(seller, charges, gst),
    number,
    revision,
    mode,
    issuedOn: dayIn(seller.timeZone, at),
    dueOn: dueDayIn(seller.timeZone, Date.parse(invoice.dueDate)),
    seller: sellerOf(parties, currency),
    buyer: buyerOf(invoice, parties),
    invoiceId: id,
    reference,
    paymentUrl,
    payment: null,
    corrects: null,
    reason: null,
    currency,
    amount,
    description,
    placeOfSupply: gst?.placeOfSupply ?? null,
    isReverseCharge: gst?.reverseCharge ?? false,
    endorsement: gst ? endorsementOf(gst.supply) : null,
    ...charges,
  };
}

/**
 * Returns the content of a credit note, and what is credited of the invoice with it.
 * @param refund as its event shows it
 * @param invoice the last issue of the invoice
 */
export function creditNoteContent(
  refund: Pick<ShownRefund, 'amount' | 'reason'>,
  number: string,
  invoice: DocumentContent,
  before: Credited | undefined,
  parties: Parties,
  at: Instant,
): { readonly content: DocumentContent; readonly credited: Credited } {
  const { amount, reason } = refund;
  const description = `Credit for ${invoice.number}`;
  const { charges, credited } = creditOf(invoice, before, { amount, description });
  return {
    credited,
    content: {
      ...invoice,
      ...charges,
      ...headOf('credit_note', number, invoice.currency, parties, at),
      payment: null,
      corrects: { number: invoice.number, issuedOn: invoice.issuedOn },
      reason,
      amount,
      description,
    },
  };
}

/** Returns what a document that follows an invoice says of itself. Nothing is to be paid on it. */
function headOf(
  kind: 'credit_note' | 'receipt',
  number: string,
  currency: Currency,
  parties: Parties,
  at: Instant,
) {
  const { seller, mode } = parties;
  return {
    kind,
    title: kind,
    number,
    revision: 0,
    mode,
    issuedOn: dayIn(seller.timeZone, at),
    dueOn: null,
    seller: sellerOf(parties, currency),
    paymentUrl: null,
  };
}

/**
 * Returns the content of the receipt of a payment.
 * @param payment as its event shows it
 * @param invoice the last issue of the invoice that it paid
 */
export function receiptContent(
  payment: Pick<ShownPayment, 'id' | 'amount' | 'method' | 'card' | 'reference' | 'receivedOn' | 'bank'>,
  number: string,
  invoice: DocumentContent,
  parties: Parties,
  at: Instant,
): DocumentContent {
  const { id, amount, method, card, reference, receivedOn, bank } = payment;
  const description = `Payment of ${invoice.number}`;
  return {
    ...invoice,
    ...plainCharges,
    lines: plainLines(amount, description),
    totals: plainTotals(amount),
    ...headOf('receipt', number, invoice.currency, parties, at),
    payment: {
      id,
      number: invoice.number,
      issuedOn: invoice.issuedOn,
      method,
      card: card && { brand: card.brand, last4: card.last4 },
      reference,
      receivedOn,
      bank,
    },
    corrects: null,
    reason: null,
    amount,
    description,
    isReverseCharge: false,
  };
}

function chargesIn(invoice: ShownInvoice): StoredCharges {
  const { lines, prices, discount, roundTo, taxes, totals, amount, description } = invoice;
  const plain = { ...plainCharges, lines: plainLines(amount, description), totals: plainTotals(amount) };
  if (!(lines && prices && taxes && totals)) return plain;
  return { prices, discount: discount ?? null, roundTo: roundTo ?? null, lines, taxes, totals };
}

/**
 * A seller with a number for goods and services tax issues a tax invoice for taxed supplies. For supplies without tax, India wants
 * a bill of supply (CGST Rule 49). Zero-rated supplies, and those whose tax the buyer pays, are taxed supplies.
 */
function titleOf({ taxIds }: Seller, { taxes }: StoredCharges, gst: ShownInvoice['gst']): DocumentTitle {
  const has = (type: string) => taxIds.some((id) => id.type === type);
  const isZeroRated = gst != null && gst.supply !== 'domestic';
  const isTaxed =
    isZeroRated || taxes.some(({ amount, percent }) => amount > 0 || (gst?.reverseCharge && percent !== '0'));
  if (isTaxed && (has('in_gstin') || has('bt_tpn'))) return 'tax_invoice';
  return has('in_gstin') ? 'bill_of_supply' : 'invoice';
}

function sellerOf({ seller, settings }: Parties, currency: Currency): DocumentSeller {
  const { legalName, address, taxIds, terms, footer, signatory, color, logo } = seller;
  return {
    name: legalName,
    address: showAddress(address),
    taxIds: taxIds.map(({ type, value }) => ({ type, value })),
    contact: settings.contact ?? null,
    paymentInstructions: instructionsFor(settings, currency) ?? null,
    terms,
    footer,
    signatory,
    color,
    logo,
  };
}

function buyerOf({ customerId, buyer }: ShownInvoice, { customer }: Parties): DocumentBuyer {
  const email = customerId.includes('@') ? customerId : null;
  if (buyer) return { customerId, ...showBuyer(buyer), email: buyer.email ?? email };
  const deliveryAddress = null;
  if (!customer) return { customerId, name: null, email, address: null, deliveryAddress, taxIds: [] };
  return {
    customerId,
    name: customer.name,
    email: customer.email ?? email,
    address: customer.address && showAddress(customer.address),
    deliveryAddress,
    taxIds: customer.taxIds.map(({ type, value }) => ({ type, value })),
  };
}
