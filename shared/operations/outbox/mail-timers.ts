/**
 * Finds the mails that follow from changes by themselves, and sets their timers.
 *
 * - A relay that is repeated sets the same timer, or one more. Both lead to one mail: see `automatic-mail-store.ts`.
 * - An account that does not send such mails gets no timer.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { toAccount } from '../../domain/accounts/account-item.ts';
import { isMailOn } from '../../domain/accounts/mail-settings.ts';
import { documentMs, stepTimer } from '../../domain/mails/mail-timer.ts';
import type { EventDraft, OutboxItem } from '../../store/commit/outbox-item.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { Timer } from '../../store/timers/timer-item.ts';

const isPaid = ({ type }: EventDraft): boolean => type === 'invoice.paid';

/** Whether a mail can follow from an outbox item. Then the relay needs the account. */
export const canCauseMail = ({ events }: OutboxItem): boolean => events.some(isPaid);

/**
 * Returns the timers of the mails that follow from an item.
 * @param stored the item of the account. A malformed one sends nothing, and is logged.
 */
export function mailTimersOf(
  { account, mode }: Owner,
  item: OutboxItem,
  stored: Item | undefined,
  now: Instant,
): Timer[] {
  const paid = item.events.filter(isPaid);
  if (paid.length === 0 || !stored) return [];
  const settings = leaveOutMalformed([parseOrError(stored, (each) => toAccount(account, each))]);
  if (!settings.some((each) => isMailOn(each, 'receipt'))) return [];
  return paid.map(({ body }) => {
    const { data } = JSON.parse(body) as { readonly data: { readonly id: string } };
    const step = { account, mode, invoiceId: data.id, kind: 'receipt' } as const;
    return stepTimer(step, item.documents === undefined ? now : now + documentMs);
  });
}
