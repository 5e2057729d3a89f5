/** Stores the claims of payers, and what merchants decide about them. */
import { ApiError } from '../../base/errors.ts';
import { randomClaimId } from '../../base/ids.ts';
import type { AccountTime, RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { Command } from '../../store/commit/command.ts';
import { commit } from '../../store/commit/commit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { NewClaim } from './claim.ts';
import { type Invoice, type ShownInvoice, showWholeInvoice } from './invoice.ts';
import { claimInvoice, rejectClaim } from './transitions.ts';

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

/** Creates the command that rejects the open claim of an invoice. It throws `invoice_not_found`, and the errors of `rejectClaim`. */
export const rejectClaimCommand = (
  invoice: LoadedRecord<Invoice>,
  sent: { readonly claimId: string; readonly reason: string },
  now: AccountTime,
): Command<[Invoice], ShownInvoice> =>
  new Command<[Invoice], ShownInvoice>([invoice], (present) => {
    const change = rejectClaim(requirePresent(present), sent, now);
    return { changes: [change], answer: showWholeInvoice(change.record) };
  });

function requirePresent(invoice: Invoice | undefined): Invoice {
  if (!invoice) throw new ApiError('invoice_not_found');
  return invoice;
}
