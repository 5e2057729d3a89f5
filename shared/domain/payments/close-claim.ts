/** Closes the claims of payers, as merchants decide: with a rejection, or with a payment that is recorded already. */
import type { AccountTime } from '../../base/time.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { RejectClaim } from '../invoices/claim.ts';
import { type Invoice, type ShownInvoice, showWholeInvoice } from '../invoices/invoice.ts';
import { confirmClaimBy, rejectClaim, requireFoundInvoice } from '../invoices/transitions.ts';
import type { Payment } from './payment.ts';
import { nextPaymentVersion, paymentChange } from './payment-changes.ts';

/** An invoice with a claim, and the payment that is its money. */
interface ClaimToClose {
  readonly invoice: LoadedRecord<Invoice>;
  /** Undefined: the claim is rejected. */
  readonly payment: LoadedRecord<Payment> | undefined;
}

/**
 * Creates the command that closes the open claim of an invoice: rejects it, or confirms it with a payment that is recorded already. It throws
 * `invoice_not_found`, and the errors of `rejectClaim` and `confirmClaimBy`. A payment emits `payment.updated`.
 */
export function closeClaimCommand(
  { invoice, payment }: ClaimToClose,
  { claimId, reason }: RejectClaim,
  now: AccountTime,
): Command<[Invoice], ShownInvoice> | Command<[Invoice, Payment], ShownInvoice> {
  if (!payment)
    return new Command<[Invoice], ShownInvoice>([invoice], (present) => {
      const change = rejectClaim(requireFoundInvoice(present), { claimId, reason: reason ?? '' }, now);
      return { changes: [change], answer: showWholeInvoice(change.record) };
    });
  return new Command<[Invoice, Payment], ShownInvoice>([invoice, payment], (present, presentPayment) => {
    const change = confirmClaimBy(requireFoundInvoice(present), { claimId, paymentId: payment.id }, now);
    if (!presentPayment) throw new Error(`The payment ${payment.id} of an invoice is missing.`);
    const paid = paymentChange(
      { ...nextPaymentVersion(presentPayment, now), claim: claimId },
      { event: 'payment.updated', sameStatus: true },
    );
    return { changes: [change, paid], answer: showWholeInvoice(change.record) };
  });
}
