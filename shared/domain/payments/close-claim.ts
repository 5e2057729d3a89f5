/** Closes the claims of payers, as merchants decide: with a rejection, or with a payment that is recorded already. */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { type ConfirmClaim, type RejectClaim, requireOpenClaim } from '../invoices/claim.ts';
import { type Invoice, type ShownInvoice, showWholeInvoice } from '../invoices/invoice.ts';
import { confirmClaimBy, rejectClaim, requireFoundInvoice } from '../invoices/transitions.ts';
import type { Payment } from './payment.ts';
import { nextPaymentVersion, paymentChange } from './payment-changes.ts';
import { canConfirm, transferOf } from './transfer.ts';

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
 * Creates the command that confirms the open claim of an invoice with a payment that is recorded already. It throws `invoice_not_found`,
 * the errors of `confirmClaimBy`, and `invalid_payment` if the payment has neither the amount nor the reference of the claim. The payment
 * emits `payment.updated`.
 */
export async function confirmClaimCommand(
  { invoice, payment }: ClaimOfPayment,
  { claimId }: Pick<ConfirmClaim, 'claimId'>,
  now: AccountTime,
): Promise<Command<[Invoice, Payment], ShownInvoice>> {
  const hash = await tableHasher();
  return new Command([invoice, payment], (present, presentPayment) => {
    const claimed = requireFoundInvoice(present);
    const change = confirmClaimBy(claimed, { claimId, paymentId: payment.id }, now);
    requireMoneyOfClaim(claimed, { claimId, paymentId: payment.id }, hash);
    if (!presentPayment) throw new Error(`The payment ${payment.id} of an invoice is missing.`);
    const paid = paymentChange(
      { ...nextPaymentVersion(presentPayment, now), claim: claimId },
      { event: 'payment.updated', sameStatus: true },
    );
    return { changes: [change, paid], answer: showWholeInvoice(change.record) };
  });
}

/** @throws ApiError `invalid_payment` if the payment has neither the amount nor the reference of the claim */
function requireMoneyOfClaim(
  invoice: Invoice,
  { claimId, paymentId }: { readonly claimId: string; readonly paymentId: string },
  hash: TableHash,
): void {
  const claim = requireOpenClaim(invoice, claimId, 'claimId');
  const transfer = transferOf(hash, claim.reference);
  const part = invoice.parts?.find((each) => each.paymentId === paymentId);
  if (part && canConfirm(part, claim, transfer)) return;
  const message = `paymentId must be a payment of the amount of the claim, ${claim.amount}, or with its reference. If the money is not that of the claim, reject the claim.`;
  throw new ApiError('invalid_payment', { field: 'paymentId', message });
}
