/** Reads, lists and creates payments in the table. `settlement.ts` gives them their outcomes. */

import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, type PendingRequest, requireNew } from '../../store/commit/command.ts';
import type { RequestKey } from '../../store/commit/idempotency-records.ts';
import type { RecordFilter } from '../../store/lists/filters/record-matcher.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, readRecord, readRecordOfAnyAccount } from '../../store/records.ts';
import { type Claim, requireOpenClaim } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { customerFilterKey } from '../invoices/record.ts';
import { allowingDuplicate, reserveBankReference } from './bank-reference-store.ts';
import { creditItems } from './credit-store.ts';
import { requireExpectedCurrency } from './payable-amount.ts';
import {
  type ListPayments,
  type OfflineDetails,
  type Payment,
  type ShownPayment,
  showPayment,
} from './payment.ts';
import { absentPayment, identifyPayment } from './payment-identity.ts';
import { type Card, summarizeCard } from './provider/card.ts';
import type { PaymentProvider } from './provider/provider.ts';
import { paymentType } from './record.ts';
import { captureAndSettle } from './settlement.ts';
import { paymentsOfClaim, transferOf } from './transfer.ts';
import { beginCardPayment, recordOffline, requireBegun } from './transitions.ts';

export { absentPayment, identifyPayment };

/** Reads one payment. */
export function readPayment(owner: Owner, id: string): Promise<LoadedRecord<Payment>> {
  return readRecord(paymentType, owner, id);
}

/** Reads a payment of any account, on behalf of the service itself. Returns undefined if the payment does not exist. */
export function readPaymentOfAnyAccount(id: string): Promise<LoadedRecord<Payment> | undefined> {
  return readRecordOfAnyAccount(paymentType, id);
}

/**
 * Reads the payment on the page of a provider that has paid an invoice, or that the invoice waits for. Other payments cost no
 * read. Returns undefined if it does not exist.
 */
export async function readProviderPaymentOf({
  id,
  receipt,
  openCheckout,
  paymentInProgress,
}: Invoice): Promise<Payment | undefined> {
  const pending = openCheckout === undefined ? undefined : paymentInProgress;
  const paymentId = pending ?? (receipt?.method === 'provider' ? receipt.paymentId : undefined);
  if (paymentId === undefined) return undefined;
  const payment = (await readPaymentOfAnyAccount(paymentId))?.record;
  return payment?.invoiceId === id ? payment : undefined;
}

/**
 * Returns the payment of a loaded record.
 * @throws ApiError `payment_not_found` if it does not exist
 */
export function requirePayment({ record }: LoadedRecord<Payment>): Payment {
  if (!record) throw new ApiError('payment_not_found');
  return record;
}

/** The principal that creates a payment, and the invoice that the payment pays. */
export interface NewPaymentContext {
  readonly principal: Principal;
  readonly invoice: LoadedRecord<Invoice>;
  /** The payment has the time of the account. */
  readonly clock: Clock;
  /** The currency that the client expects the invoice to have. Undefined: it expects none. */
  readonly currency?: Currency | undefined;
  /** The fault of the events of a card payment. Undefined: none. */
  readonly webhookFault?: WebhookFault | undefined;
}

/** As `NewPaymentContext`, for money received outside the service. */
interface OfflinePaymentContext extends NewPaymentContext {
  /** A reference pays once also if no bank is named. The first version of the API did not promise that. */
  readonly reservesWithoutBank: boolean;
}

/**
 * Creates the command that records money received outside the service. The payment is completed and counts
 * immediately. The command throws the errors of `recordOffline`, `reference_already_used` if another payment has this reference of
 * this bank or can be the money of the claim, and `invalid_invoice` if the invoice does not exist.
 */
export async function createOfflinePaymentCommand(
  { principal, invoice, clock, currency, reservesWithoutBank }: OfflinePaymentContext,
  sent: OfflineDetails,
): Promise<Command<[Payment, Invoice], ShownPayment>> {
  const identity = identifyPayment(principal);
  const { bank, reference, allowDuplicateReference } = withClaim(sent, invoice.record?.claim);
  let reserved =
    reference !== null && (bank !== undefined || reservesWithoutBank)
      ? await reserveBankReference(principal.owner, bank, reference, identity.id)
      : undefined;
  const transfer = transferOf(await tableHasher(), reference);
  const decide = (existing: Payment | undefined, presentInvoice: Invoice | undefined) => {
    requireNew(existing);
    const present = requireInvoiceInBody(presentInvoice);
    requireExpectedCurrency(present, currency);
    const { writeOffPercent } = principal.seller ?? {};
    requireBegun(sent.receivedOn, clock.account, principal.seller?.timeZone);
    // What a claim says never changes, but an erasure can have removed its texts meanwhile.
    const details = { ...withClaim(sent, present.claim), transfer };
    if (!allowDuplicateReference && details.claim !== undefined)
      requireOtherMoney(present, details.claim, details.amount, transfer);
    const changes = recordOffline(identity, present, details, clock.account, writeOffPercent);
    const reserves = reserved ? [reserved] : [];
    return {
      changes,
      answer: showPayment(changes[0].record),
      reserves,
      ...creditItems([existing], [changes[0]]),
    };
  };
  return new Command(
    [absentPayment(identity), invoice],
    decide,
    allowingDuplicate(allowDuplicateReference === true, () => {
      reserved = undefined;
    }),
  );
}

/**
 * Money that is recorded already may leave less due than the claim. So this comes before the amount is checked.
 * @throws ApiError `invalid_claim` if the claim is not open, `reference_already_used` if a payment of the invoice can be its money
 */
function requireOtherMoney(invoice: Invoice, id: string, amount: number | undefined, transfer: string): void {
  const claim = requireOpenClaim(invoice, id, 'claim');
  const amounts = [amount ?? claim.amount, claim.amount];
  const found = paymentsOfClaim(invoice.parts, { amounts, paidOn: claim.paidOn, transfer });
  if (found.length === 0) return;
  const message = `The money of the claim can be that of a payment with its amount or reference: ${found.join(', ')}. Confirm the claim with POST /api/invoices/{id}/claim/confirm and the paymentId, or send allowDuplicateReference: true if this is other money.`;
  throw new ApiError('reference_already_used', { message });
}

/** Adds what a claim says to what a client says about a payment that confirms it. */
function withClaim(sent: OfflineDetails, claim: Claim | undefined): OfflineDetails {
  if (sent.claim === undefined || claim?.id !== sent.claim) return sent;
  return {
    ...sent,
    amount: sent.amount ?? claim.amount,
    reference: sent.reference ?? claim.reference ?? null,
    receivedOn: sent.receivedOn ?? claim.paidOn,
    bank: sent.bank ?? claim.bank,
  };
}

/** The details of a card payment, besides its invoice. */
export interface CardPayment {
  /** In the smallest currency unit. Undefined: all that is due. */
  readonly amount: number | undefined;
  readonly metadata?: string | undefined;
  readonly card: Card;
  readonly provider: PaymentProvider;
  readonly key: RequestKey | undefined;
  /** Checks a further condition on the invoice. Throws if the invoice does not meet it. */
  readonly require?: (invoice: Invoice) => void;
}

/**
 * Creates the command that stores a pending card payment and then resumes with the capture at the provider. The command
 * throws the errors of `beginCardPayment` and `require`, and `invalid_invoice` if the invoice does not exist.
 */
export function createCardPaymentCommand(
  { principal, invoice, clock, currency, webhookFault }: NewPaymentContext,
  { amount, metadata, card, provider, key, require }: CardPayment,
): Command<[Payment, Invoice], ShownPayment> {
  const identity = { ...identifyPayment(principal), webhookFault };
  const pendingRequest = key && pendingRequestOf(key);
  const details = { amount, metadata, card: summarizeCard(card), pendingRequest };
  return new Command(
    [absentPayment(identity), invoice],
    (existing, record) => {
      requireNew(existing);
      const presentInvoice = requireInvoiceInBody(record);
      requireExpectedCurrency(presentInvoice, currency);
      require?.(presentInvoice);
      const changes = beginCardPayment(identity, presentInvoice, details, clock.account);
      return { changes, answer: showPayment(changes[0].record), pendingOperation: identity.id };
    },
    {
      resume: (id, records) =>
        captureAndSettle({ owner: principal.owner, id, records, card, provider, key, clock }),
    },
  );
}

/** Reads the index of the list that matches the filters. */
export async function readPaymentIndex(
  owner: Owner,
  { invoiceId, customerId, ...filter }: Pick<ListPayments, 'invoiceId' | 'customerId'> & RecordFilter,
): Promise<IndexView> {
  const filterKeys = [
    ...(invoiceId === undefined ? [] : [`#invoice#${invoiceId}`]),
    ...(customerId === undefined ? [] : [await customerFilterKey(customerId)]),
  ];
  return readListIndex(owner, 'payment', filterKeys, filter);
}

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readPaymentIndex`
 */
export async function listPaymentPage(principal: Principal, view: IndexView, query: ListQuery) {
  const { rows, total, count } = await listRecords(paymentType, principal, view, query);
  return { data: rows.map(showPayment), pagination: paginationOf({ ...query, total, count }) };
}

/** @throws ApiError `invalid_invoice` if the invoice that a body names does not exist */
export function requireInvoiceInBody(invoice: Invoice | undefined): Invoice {
  if (invoice) return invoice;
  const message =
    'The invoice with this invoiceId does not exist. Check the ID and the mode of your API key.';
  throw new ApiError('invalid_invoice', { field: 'invoiceId', message });
}

const pendingRequestOf = ({ keyHash, fingerprint, status }: RequestKey): PendingRequest => ({
  keyHash,
  fingerprint,
  status,
});
