/** Compares records with a searched text, and shows them as results. Pure. */
import { type Instant, toTimestamp } from '../../base/time.ts';
import { matchesName } from '../../store/search/name-words.ts';
import { comparableTerm } from '../../store/search/search-entries.ts';
import type { Customer } from '../customers/customer.ts';
import { type Claim, openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';
import type { KnownType, SearchReason, SearchResult } from './search.ts';
import type { SearchedText } from './searched-text.ts';

/** A record that a search finds, with the fields that it has. */
type Searchable = { readonly id: string; readonly status: string; readonly createdAt: Instant } & Partial<
  Pick<Invoice, 'amount' | 'currency' | 'buyer' | 'customerId' | 'paymentReference'>
> &
  Partial<Pick<Payment, 'card' | 'invoiceId' | 'voidedAt'>> & {
    readonly claim?: Invoice['claim'] | Payment['claim'];
  } & Partial<Pick<Refund, 'paymentId'>> & {
    readonly reference?: string | null | undefined;
    readonly name?: Customer['name'];
    readonly email?: Customer['email'];
  };

/** What only the lookup knows of a record. */
interface Lookup {
  /** A document of the invoice has the text as its number. */
  readonly isNumbered: boolean;
  /** The invoice that has the text as its payment reference. */
  readonly referenced: string | undefined;
}

/** Returns why a search finds a record. Undefined: it does not. */
export function isMatch(
  searched: SearchedText,
  record: Searchable,
  { isNumbered, referenced }: Lookup,
): SearchReason | undefined {
  if (record.status === 'deleted') return undefined;
  const { text, term, email, customerId, words, last4, amount, currency } = searched;
  const isSame = (one: string | null | undefined, other: string | undefined) =>
    one != null && other !== undefined && one.toLowerCase() === other.toLowerCase();
  const isTerm = (reference: string | null | undefined) =>
    reference != null && comparableTerm(reference) === term;
  // A payment has the id of the claim that it confirms.
  const claim = typeof record.claim === 'string' ? { id: record.claim } : openClaimOf(record as Invoice);
  const isInvoice = record.id.startsWith('inv_');
  const reasons: readonly (readonly [SearchReason, boolean])[] = [
    ['id', record.id === text],
    ['claim', claim?.id === text],
    ['number', isNumbered],
    [
      'reference',
      isInvoice
        ? record.reference === text || isTerm((claim as Claim | undefined)?.reference)
        : isTerm(record.reference),
    ],
    ['payment_reference', isInvoice && record.id === referenced],
    ['email', isSame(record.email ?? record.buyer?.email, email)],
    ['customer', isInvoice && (isSame(record.customerId, email) || record.customerId === customerId)],
    ['name', matchesName(words, record.name ?? record.buyer?.name ?? '')],
    ['card', last4 !== undefined && record.card?.last4 === last4],
    [
      'amount',
      amount !== undefined &&
        record.amount === amount &&
        (currency === undefined || record.currency === currency),
    ],
  ];
  return reasons.find(([, holds]) => holds)?.[0];
}

/** Shows a record as a result. A payment that the merchant has voided keeps its status, and counts nowhere, so the result says so. */
export function toResult(record: Searchable, type: KnownType, matchedBy: SearchReason): SearchResult {
  const { id, amount, currency, buyer, customerId, invoiceId, reference, name, email } = record;
  return {
    type,
    id,
    matchedBy,
    name: name ?? buyer?.name ?? email ?? null,
    customerId: type === 'customer' ? id : (customerId ?? null),
    invoiceId: type === 'invoice' ? id : (invoiceId ?? null),
    parentId: null,
    reference: reference ?? null,
    amount: amount ?? null,
    currency: currency ?? null,
    status: record.voidedAt === undefined ? record.status : 'voided',
    createdAt: toTimestamp(record.createdAt),
  };
}
