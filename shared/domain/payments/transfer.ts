/**
 * Compares the references that banks give to transfers, and says whether a transfer has paid already. Pure.
 *
 * - The name of a bank differs between a statement and what people type. So a payment that people have recorded can be the money of a row
 *   if its amount or its reference is the same. Such a row is left to people, because it would count the same money twice.
 * - It also differs between two statements. So the payment of a row can be the money of another row if the reference is the same, or if
 *   one of them has no reference, and amount and day are the same.
 */
import type { TableHash } from '../../platform/secrets/deployment-secret.ts';
import type { Claim } from '../invoices/claim.ts';
import type { PartPayment } from '../invoices/received-money.ts';
import type { Payment } from './payment.ts';

/** Returns a reference or the name of a bank in the form in which all ways to type it are the same. */
export const toComparable = (typed: string): string =>
  typed.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

/**
 * What banks and people write in place of a reference, such as the way by which the money came. ISO 20022 has `NOTPROVIDED` (iso20022.org, camt.053, EndToEndId). An erasure leaves
 * `[erased]`.
 */
const placeholders: ReadonlySet<string> = new Set([
  ...['', 'na', 'nil', 'none', 'null', 'notprovided', 'erased'],
  ...['cash', 'cheque', 'check', 'transfer', 'banktransfer'],
]);

/** Whether a text is a reference, and not written in place of one, such as zeros, N/A or `cash`. */
export const isReference = (typed: string): boolean =>
  !placeholders.has(
    toComparable(typed)
      .replace(/[^\p{L}\p{N}]/gu, '')
      .replace(/^0+$/, ''),
  );

/** Whether two references are of the same transfer. Nothing follows from two transfers without one. */
export const isSameReference = (one: string | null | undefined, other: string | null | undefined): boolean =>
  one != null && other != null && isReference(one) && toComparable(one) === toComparable(other);

/** Returns what a part of an invoice keeps of the reference of a transfer: a keyed hash, or an empty text. */
export const transferOf = (hash: TableHash, reference: string | null | undefined): string =>
  reference != null && isReference(reference) ? hash('transfer', toComparable(reference)) : '';

/** A row of a bank statement as it is compared with payments. */
export interface ComparedRow {
  readonly amount: number;
  /** As `YYYY-MM-DD`. */
  readonly day: string;
  /** From `transferOf`. */
  readonly transfer: string;
}

/**
 * Whether a payment of an invoice could be the money of a row.
 * @param parts the payments of the invoice
 */
export const isRecorded = (parts: readonly PartPayment[] | undefined, row: ComparedRow): boolean =>
  (parts ?? []).some((part) => part.transfer !== undefined && couldBeOf(part, part.transfer, row));

function couldBeOf(
  { amount: counted, over = 0, shownOn }: PartPayment,
  other: string,
  row: ComparedRow,
): boolean {
  const amount = counted + over;
  const isSame = other !== '' && other === row.transfer;
  if (shownOn === undefined) return isSame || amount === row.amount;
  const isUnnamed = other === '' || row.transfer === '';
  return isSame || (isUnnamed && amount === row.amount && shownOn === row.day);
}

/** The bank books a transfer at most so long before or after the day that a payer names. In milliseconds. */
const longestBookingMs = 3 * 24 * 60 * 60 * 1000;

/** Whether a row is of the money that a payer claims to have paid: of its amount, and of its day or its reference. */
export const isMoneyOf = (
  claim: Claim,
  {
    amount,
    day,
    reference,
  }: { readonly amount: number; readonly day: string; readonly reference?: string | undefined },
): boolean =>
  claim.amount === amount &&
  (Math.abs(Date.parse(day) - Date.parse(claim.paidOn)) <= longestBookingMs ||
    isSameReference(reference, claim.reference));

/**
 * Returns the payments of an invoice that can be the money of a claim: those received outside the service with its amount or its reference. A
 * payment of another claim, or of a row before the day of the claim, is another one, unless the reference is the same.
 * @param amounts those of the claim and of the payment that confirms it
 * @param transfer from `transferOf`
 */
export const paymentsOfClaim = (
  parts: readonly PartPayment[] | undefined,
  {
    amounts,
    paidOn,
    transfer,
  }: { readonly amounts: readonly number[]; readonly paidOn: string; readonly transfer: string },
): string[] =>
  (parts ?? [])
    .filter(({ amount, over = 0, isClaimed, shownOn = paidOn, ...part }) => {
      if (part.transfer === undefined) return false;
      if (transfer !== '' && part.transfer === transfer) return true;
      const isBefore = Date.parse(paidOn) - Date.parse(shownOn) > longestBookingMs;
      return !isClaimed && !isBefore && amounts.includes(amount + over);
    })
    .map(({ paymentId }) => paymentId);

/**
 * Whether people can say that a payment of an invoice is the money of its claim: it was received outside the service, confirms no other
 * claim, and has the amount or the reference of the claim. A bank that keeps a fee changes the amount, and not the reference.
 * @param transfer that of the claim, from `transferOf`
 */
export const canConfirm = (
  { amount, over = 0, isClaimed, ...part }: PartPayment,
  claim: Claim,
  transfer: string,
): boolean =>
  part.transfer !== undefined &&
  !isClaimed &&
  (amount + over === claim.amount || (transfer !== '' && part.transfer === transfer));

/** Whether the money of a payment can be in a bank statement of this currency. */
export const isTransfer = (payment: Payment, currency: string): boolean =>
  payment.currency === currency &&
  payment.method === 'offline' &&
  payment.status === 'completed' &&
  payment.voidedAt === undefined;

/** Whether a row of this currency can be the money of a payment that people have recorded, which no row shows yet. */
export const isLinkable = (payment: Payment, currency: string): boolean =>
  isTransfer(payment, currency) && payment.statementRow === undefined;
