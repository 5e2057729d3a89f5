/**
 * Finds the mails that follow from changes by themselves, and sets their timers.
 *
 * - A relay that is repeated sets the same timer, or one more. Both lead to one mail: see `automatic-mail-store.ts`.
 * - An account that does not send such mails gets no timer.
 * - A new invoice, and one whose due date or days of reminders change, gets the timers of its near reminders, as the daily reconciliation
 *   sets them. An account without a plan costs no read for it: see `reminder-mark.ts`.
 */
import type { Instant } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { toAccount } from '../../domain/accounts/account-item.ts';
import { isMailOn } from '../../domain/accounts/mail-settings.ts';
import { reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import { settingsThatSend } from '../../domain/accounts/replaced-notices.ts';
import { orderOf } from '../../domain/documents/document-order.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { isPayable } from '../../domain/invoices/transitions.ts';
import { documentMs, type StepReference, stepTimer } from '../../domain/mails/mail-timer.ts';
import { noticeTimer } from '../../domain/mails/notice.ts';
import { reminderTimersOf } from '../../domain/mails/reminder-timers.ts';
import { committedAtOf, type EventDraft, type OutboxItem } from '../../store/commit/outbox-item.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { noticesFrom } from './notice-timers.ts';

/** What the events say from which mails follow. */
interface Caused {
  readonly id: string;
  readonly invoiceId: string;
  readonly method: string;
  readonly failureCode: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The step of a mail, for the events from which one can follow. Undefined: none follows. */
const steps: Readonly<
  Record<
    string,
    (
      data: Caused,
      item: OutboxItem,
      event: EventDraft,
    ) => Pick<StepReference, 'invoiceId' | 'kind' | 'about'> | undefined
  >
> = {
  'invoice.paid': ({ id }) => ({ invoiceId: id, kind: 'receipt' }),
  'payment.completed': (payment, item) =>
    leavesInvoiceOpen(payment, item)
      ? { invoiceId: payment.invoiceId, kind: 'part_receipt', about: payment.id }
      : undefined,
  'payment.voided': ({ id, invoiceId }, { documents }, event) =>
    documents === true && orderOf(event) ? { invoiceId, kind: 'credit_note', about: id } : undefined,
  'refund.processed': ({ id, invoiceId }) => ({ invoiceId, kind: 'refund', about: id }),
  'payment.failed': (payment) =>
    isLateFailure(payment) ? { invoiceId: payment.invoiceId, kind: 'failure', about: payment.id } : undefined,
};

/** A payer is still on the page for a while, and sees there that the payment has failed. */
const lateMs = 60 * 60 * 1000;
/** The money of the first one goes back, and nobody knows about that of the second one. */
const otherOutcomes: readonly (string | null)[] = ['amount_differs', 'outcome_unknown'];

const isLateFailure = ({ failureCode, createdAt, updatedAt }: Caused): boolean =>
  !otherOutcomes.includes(failureCode) && Date.parse(updatedAt) - Date.parse(createdAt) >= lateMs;

const dataOf = ({ body }: OutboxItem['events'][number]) =>
  (JSON.parse(body) as { readonly data: Caused }).data;

/**
 * Whether an invoice counts money that does not pay it. The payment that does so has the receipt of the invoice. Credit is no money that
 * arrives.
 */
const leavesInvoiceOpen = ({ invoiceId, method }: Caused, { events }: OutboxItem): boolean =>
  method !== 'credit' &&
  events.some((event) => event.type === 'invoice.updated' && dataOf(event).id === invoiceId);

function stepsOf(item: OutboxItem): StepReference[] {
  const { account, mode, events } = item;
  return events.flatMap((event) => {
    const step = steps[event.type]?.(dataOf(event), item, event);
    return step ? [{ account, mode, ...step }] : [];
  });
}

/** What the reminders of an invoice follow from, as an event shows it. `reminders` is undefined if it has no days of its own. */
interface PlannedInvoice {
  readonly id: string;
  readonly status: Invoice['status'];
  readonly dueDate: string;
  readonly reminders: readonly number[] | undefined;
  readonly updatedAt: string;
}

/** Returns the open invoices whose reminders change with an item. */
function plannedInvoicesOf({ events }: OutboxItem): PlannedInvoice[] {
  return events.flatMap(({ type, body }) => {
    if (type !== 'invoice.created' && type !== 'invoice.updated') return [];
    const { data, previous } = JSON.parse(body) as {
      readonly data?: Omit<PlannedInvoice, 'reminders'> & { readonly reminders?: readonly number[] | null };
      readonly previous?: object;
    };
    // Reminders are no reason to hold up an event.
    if (!data || Number.isNaN(Date.parse(data.dueDate))) return [];
    const isPlanned = !previous || 'dueDate' in previous || 'reminders' in previous;
    return isPlanned && isPayable(data) ? [{ ...data, reminders: data.reminders ?? undefined }] : [];
  });
}

/** Returns the timers of the near reminders of the invoices of an item, as their change knew the time of the account. */
function reminderTimersFrom(item: OutboxItem, settings: Account): Timer[] {
  const plan = reminderPlanOf(settings);
  if (!plan) return [];
  const real = committedAtOf(item);
  return plannedInvoicesOf(item).flatMap((invoice) => {
    const account = item.mode === 'test' ? Date.parse(invoice.updatedAt) : real;
    return reminderTimersOf(item, invoice, plan, { real, account });
  });
}

/** Whether a mail can follow from an outbox item. Then the relay needs the account. */
export const canCauseMail = (item: OutboxItem): boolean =>
  stepsOf(item).length + noticesFrom(item).length > 0;

/** Whether reminders can follow from an outbox item. Then the relay needs an account that sends reminders. */
export const canCauseReminder = (item: OutboxItem): boolean => plannedInvoicesOf(item).length > 0;

/**
 * Returns the timers of the mails that follow from an item.
 * @param stored the item of the account. A malformed one sends nothing, and is logged.
 */
export function mailTimersOf(item: OutboxItem, stored: Item | undefined, now: Instant): Timer[] {
  const caused = stepsOf(item);
  const notices = noticesFrom(item);
  if (caused.length + notices.length + plannedInvoicesOf(item).length === 0 || !stored) return [];
  const [settings] = leaveOutMalformed([parseOrError(stored, (each) => toAccount(item.account, each))]);
  if (!settings) return [];
  const due = item.documents === undefined ? now : now + documentMs;
  return [
    ...reminderTimersFrom(item, settings),
    ...caused.filter(({ kind }) => isMailOn(settings, kind)).map((step) => stepTimer(step, due)),
    ...notices
      .filter((notice) => settingsThatSend(notice, settings).length > 0)
      .map((notice) => noticeTimer(notice, now)),
  ];
}
