/**
 * Compares the references that banks give to transfers, and says whether people have recorded a transfer already. Pure.
 *
 * - The name of a bank differs between a statement and what people type. So a payment that people have recorded can be the money of a row
 *   if its amount or its reference is the same. Such a row is left to people, because it would count the same money twice.
 */
import type { TableHash } from '../../platform/secrets/deployment-secret.ts';
import type { PartPayment } from '../invoices/received-money.ts';
import type { Payment } from './payment.ts';

/** Returns a reference or the name of a bank in the form in which all ways to type it are the same. */
export const toComparable = (typed: string): string =>
  typed.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

/**
 * What banks and people write in place of a reference. ISO 20022 has `NOTPROVIDED` (iso20022.org, camt.053, EndToEndId). An erasure leaves
 * `[erased]`.
 */
const placeholders: ReadonlySet<string> = new Set([
  ...['', 'na', 'nil', 'none', 'null', 'notprovided', 'erased'],
]);

/** Whether a text is a reference, and not written in place of one, such as zeros, dashes or N/A. */
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

/**
 * Whether people have recorded a transfer that could be this one.
 * @param parts the payments of an invoice
 * @param transfer from `transferOf`
 */
export const isRecorded = (
  parts: readonly PartPayment[] | undefined,
  amount: number,
  transfer: string,
): boolean =>
  (parts ?? []).some(
    (part) =>
      part.transfer !== undefined &&
      (part.amount === amount || (transfer !== '' && part.transfer === transfer)),
  );

/** Whether a row of this currency can be the money of a payment that people have recorded, which no row shows yet. */
export const isLinkable = (payment: Payment, currency: string): boolean =>
  payment.currency === currency &&
  payment.method === 'offline' &&
  payment.status === 'completed' &&
  payment.voidedAt === undefined &&
  payment.statementRow === undefined;
