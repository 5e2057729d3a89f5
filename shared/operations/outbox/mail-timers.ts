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
import { documentMs, type StepReference, stepTimer } from '../../domain/mails/mail-timer.ts';
import type { EventDraft, OutboxItem } from '../../store/commit/outbox-item.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { Timer } from '../../store/timers/timer-item.ts';

/** Returns the step whose mail follows from an event. Undefined: none follows. */
function stepOf({ account, mode }: Owner, { type, body }: EventDraft): StepReference | undefined {
  if (!isCause(type)) return undefined;
  const { data } = JSON.parse(body) as { readonly data: { readonly id: string; readonly invoiceId: string } };
  return type === 'invoice.paid'
    ? { account, mode, invoiceId: data.id, kind: 'receipt' }
    : { account, mode, invoiceId: data.invoiceId, kind: 'refund', about: data.id };
}

const isCause = (type: string): boolean => type === 'invoice.paid' || type === 'refund.processed';

/** Whether a mail can follow from an outbox item. Then the relay needs the account. */
export const canCauseMail = ({ events }: OutboxItem): boolean => events.some(({ type }) => isCause(type));

/**
 * Returns the timers of the mails that follow from an item.
 * @param stored the item of the account. A malformed one sends nothing, and is logged.
 */
export function mailTimersOf(
  owner: Owner,
  item: OutboxItem,
  stored: Item | undefined,
  now: Instant,
): Timer[] {
  if (!canCauseMail(item) || !stored) return [];
  const [settings] = leaveOutMalformed([parseOrError(stored, (each) => toAccount(owner.account, each))]);
  if (!settings) return [];
  const due = item.documents === undefined ? now : now + documentMs;
  return item.events
    .flatMap((event) => stepOf(owner, event) ?? [])
    .filter(({ kind }) => isMailOn(settings, kind))
    .map((step) => stepTimer(step, due));
}
