/** Stores the claims of payers. */
import { randomClaimId } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { Command } from '../../store/commit/command.ts';
import { commit } from '../../store/commit/commit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { NewClaim } from './claim.ts';
import type { Invoice } from './invoice.ts';
import { claimInvoice, requireFoundInvoice } from './transitions.ts';

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
    changes: [claimInvoice(requireFoundInvoice(present), claim, clock.account)],
    answer: undefined,
  }));
  await commit(command, { clock, key: undefined });
}
