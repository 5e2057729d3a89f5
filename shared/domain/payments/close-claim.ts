/** Closes the claims of payers, as merchants decide: with a rejection, or with a payment that is recorded already. */
import type { AccountTime } from '../../base/time.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { ConfirmClaim, RejectClaim } from '../invoices/claim.ts';
import { type Invoice, type ShownInvoice, showWholeInvoice } from '../invoices/invoice.ts';
import { confirmClaimBy, rejectClaim, requireFoundInvoice } from '../invoices/transitions.ts';
import type { Payment } from './payment.ts';
import { nextPaymentVersion, paymentChange } from './payment-changes.ts';

/** Creates the command that rejects the open claim of an invoice. It throws `invoice_not_found`, and the errors of `rejectClaim`. */
export const rejectClaimCommand = (
  invoice: LoadedRecord<Invoice>,
  rejected: RejectClaim,
  now: AccountTime,
): Command<[Invoice], ShownInvoice> =>
  new Command([invoice], (present) => {
    const change = rejectClaim(requireFoundInvoice(present), rejected, now);
    return { changes: [change], answer: showWholeInvoice(change.record) };
  });

/** An invoice with a claim, and the payment that is its money. */
interface ClaimOfPayment {
  readonly invoice: LoadedRecord<Invoice>;
  readonly payment: LoadedRecord<Payment>;
}

/**
 * Creates the command that confirms the open claim of an invoice with a payment that is recorded already. It throws `invoice_not_found`, and
 * the errors of `confirmClaimBy`. The payment emits `payment.updated`.
 */
export const confirmClaimCommand = (
  { invoice, payment }: ClaimOfPayment,
  { claimId }: Pick<ConfirmClaim, 'claimId'>,
  now: AccountTime,
): Command<[Invoice, Payment], ShownInvoice> =>
  new Command([invoice, payment], (present, presentPayment) => {
    const change = confirmClaimBy(requireFoundInvoice(present), { claimId, paymentId: payment.id }, now);
    if (!presentPayment) throw new Error(`The payment ${payment.id} of an invoice is missing.`);
    const paid = paymentChange(
      { ...nextPaymentVersion(presentPayment, now), claim: claimId },
      { event: 'payment.updated', sameStatus: true },
    );
    return { changes: [change, paid], answer: showWholeInvoice(change.record) };
  });
