/** Stores the claims of payers, and what merchants decide about them. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, randomClaimId } from '../../base/ids.ts';
import type { AccountTime, RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { Command } from '../../store/commit/command.ts';
import { commit } from '../../store/commit/commit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Payment } from '../payments/payment.ts';
import { nextPaymentVersion, paymentChange } from '../payments/payment-changes.ts';
import { readPayment } from '../payments/payment-store.ts';
import type { NewClaim, RejectClaim } from './claim.ts';
import { type Invoice, type ShownInvoice, showWholeInvoice } from './invoice.ts';
import { readInvoice } from './invoice-store.ts';
import { claimInvoice, confirmClaim, rejectClaim } from './transitions.ts';

/**
 * Stores a claim that the payment page received. One transaction, which also stores the event.
 * @throws ApiError as `claimInvoice`, if the invoice changed since the page was shown
 */
export async function storeClaim(
  invoice: LoadedRecord<Invoice>,
  sent: Omit<NewClaim, 'id'>,
  now: RealTime,
): Promise<void> {
  const clock = await clockOfRecord(invoice.owner, invoice.record?.updatedAt, now);
  const claim = { ...sent, id: randomClaimId() };
  const command = new Command<[Invoice], undefined>([invoice], (present) => ({
    changes: [claimInvoice(requirePresent(present), claim, clock.account)],
    answer: undefined,
  }));
  await commit(command, { clock, key: undefined });
}

/** An invoice with a claim, and the payment that is its money. */
interface ClaimToClose {
  readonly invoice: LoadedRecord<Invoice>;
  /** Undefined: the claim is rejected. */
  readonly payment: LoadedRecord<Payment> | undefined;
}

/** Reads what closes a claim. One call in sequence. */
export async function readClaimToClose(
  owner: Owner,
  id: string,
  { paymentId }: Pick<RejectClaim, 'paymentId'>,
): Promise<ClaimToClose> {
  const [invoice, payment] = await Promise.all([
    readInvoice(owner, id),
    paymentId == null ? undefined : readPayment(owner, paymentId),
  ]);
  return { invoice, payment };
}

/**
 * Creates the command that closes the open claim of an invoice: rejects it, or confirms it with a payment that is recorded already. It throws
 * `invoice_not_found`, and the errors of `rejectClaim` and `confirmClaim`. A payment emits `payment.updated`.
 */
export function closeClaimCommand(
  { invoice, payment }: ClaimToClose,
  { claimId, reason }: RejectClaim,
  now: AccountTime,
): Command<[Invoice], ShownInvoice> | Command<[Invoice, Payment], ShownInvoice> {
  if (!payment)
    return new Command<[Invoice], ShownInvoice>([invoice], (present) => {
      const change = rejectClaim(requirePresent(present), { claimId, reason: reason ?? '' }, now);
      return { changes: [change], answer: showWholeInvoice(change.record) };
    });
  return new Command<[Invoice, Payment], ShownInvoice>([invoice, payment], (present, presentPayment) => {
    const change = confirmClaim(requirePresent(present), { claimId, paymentId: payment.id }, now);
    if (!presentPayment) throw new Error(`The payment ${payment.id} of an invoice is missing.`);
    const paid = paymentChange(
      { ...nextPaymentVersion(presentPayment, now), claim: claimId },
      { event: 'payment.updated', sameStatus: true },
    );
    return { changes: [change, paid], answer: showWholeInvoice(change.record) };
  });
}

function requirePresent(invoice: Invoice | undefined): Invoice {
  if (!invoice) throw new ApiError('invoice_not_found');
  return invoice;
}
