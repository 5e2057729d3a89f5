/** Converts between a mail and its timer. */
import { isRecordId, type Mode, modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Timer } from '../../store/timers/timer-item.ts';

/** Returns the timer that leads to a mail. The mails of one account form one group, so a long backlog holds up no other account. */
export function mailTimer({ account, mode, id }: Owner & { readonly id: string }, due: Instant): Timer {
  return { due, kind: 'mail', reference: [account, mode, id].join('/'), group: account };
}

/** Returns the owner and the id of the mail that a timer names. Undefined: its reference does not have that form. */
export function mailReferenceOf({
  reference,
}: Pick<Timer, 'reference'>): (Owner & { readonly id: string }) | undefined {
  const [account = '', mode, id = '', ...more] = reference.split('/');
  const isMode = modes.some((each) => each === mode);
  return isMode && isRecordId('mail', id) && more.length === 0
    ? { account, mode: mode as Mode, id }
    : undefined;
}
