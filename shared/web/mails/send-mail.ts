/**
 * Sends a mail when its timer fires, at most once.
 *
 * - The state of the invoice decides when the mail is sent, not when it was asked for.
 * - The mail becomes `sending` before the call to SES. SES has no idempotency key, so a mail whose call has no known outcome is never
 *   sent again by itself: it becomes `unknown`.
 * - A mail that SES does not accept yet waits, and says why.
 * - A mail that goes by itself has a timer before it has a record. `automatic-mail-store.ts` says why it is one mail.
 */
import { type Clock, clockAt } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { type AccountTime, type Instant, type RealTime, now as readClock } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { isMailOn } from '../../domain/accounts/mail-settings.ts';
import { toPageSettings } from '../../domain/accounts/page-settings.ts';
import { reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import { readCustomer } from '../../domain/customers/customer-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import {
  markStep,
  newStepMail,
  readStepMail,
  withdrawReminder,
} from '../../domain/mails/automatic-mail-store.ts';
import {
  type InvoiceMail,
  isNotice,
  type Mail,
  type MailReason,
  noAddress,
} from '../../domain/mails/mail.ts';
import { countIfAllowed } from '../../domain/mails/mail-limits-store.ts';
import { changeMail, readMail } from '../../domain/mails/mail-store.ts';
import {
  mailReferenceOf,
  mailTimer,
  type StepReference,
  stepReferenceOf,
  stepTimer,
} from '../../domain/mails/mail-timer.ts';
import { type NoticeReference, noticeReferenceOf } from '../../domain/mails/notice.ts';
import { noticeTo, readDetail, readersOf } from '../../domain/mails/notice-store.ts';
import { type FindCustomer, recipientOf } from '../../domain/mails/recipient.ts';
import { reminderTimersOf } from '../../domain/mails/reminder-timers.ts';
import { tagsOf } from '../../domain/mails/ses-event.ts';
import { nextPollAt } from '../../domain/payments/next-poll-at.ts';
import { readMembers } from '../../domain/users/member-store.ts';
import { type EmailOutcome, sendEmail } from '../../platform/aws/send-email.ts';
import { clockOfRecord, readStoredClock } from '../../store/account-clock.ts';
import { erasedText } from '../../store/field-erasure.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { reasonOfPlan } from './judge-reminder.ts';
import { type Prepared, prepareMail, readMailSources, reasonToSkip, type Sources } from './prepare-mail.ts';
import { prepareNotice } from './prepare-notice.ts';

/** More than the function takes, so an attempt of that age has ended. */
const attemptWithinMs = 90_000;
/** How long a mail waits for its document, or for SES. */
const waitsForMs = 3 * 24 * 60 * 60 * 1000;

/** Handles the timer of a mail, or of a step of an invoice. */
export async function sendMail(timer: TimerMessage, now: RealTime): Promise<void> {
  for (const next of await sendNow(timer, now)) await setTimer(next, now);
  await completeTimer(timer);
}

/** Sends what a timer leads to. Returns the timers of the steps after it. */
async function sendNow(timer: TimerMessage, now: RealTime): Promise<readonly Timer[]> {
  const notice = noticeReferenceOf(timer);
  if (notice) return sendNotice(notice, timer, now);
  const mail = mailReferenceOf(timer);
  const step = mail ? undefined : stepReferenceOf(timer);
  const next = mail ? await sendStored(mail, timer, now) : step && (await sendStep(step, timer, now));
  return next ? [next] : [];
}

/** Sends a notice to each of its readers, if the account gets such notices. */
async function sendNotice(
  reference: NoticeReference,
  timer: TimerMessage,
  now: RealTime,
): Promise<readonly Timer[]> {
  if (env.mailFrom() === undefined) return [];
  const [account, members] = await Promise.all([
    readAccount(reference.account),
    readMembers(reference.account),
  ]);
  const readers = account ? readersOf(reference, account, members, now) : [];
  if (readers.length === 0) return [];
  const detail = await readDetail(reference, now);
  const next: Timer[] = [];
  const sending = readers.map(async (to) => {
    const later = await advance(await noticeTo({ ...reference, detail }, to, now), timer, now);
    if (later) next.push(later);
  });
  await throwAfterAllSettled(sending);
  return next;
}

type MailReference = Owner & { readonly id: string };

async function sendStored(
  reference: MailReference,
  timer: TimerMessage,
  now: RealTime,
): Promise<Timer | undefined> {
  const mail = await readMail(reference, reference.id);
  return mail && advance(mail, timer, now);
}

/** Sends the mail of a step, if the account sends such mails, the invoice has an address, and a reminder is due. */
async function sendStep(step: StepReference, timer: TimerMessage, now: RealTime): Promise<Timer | undefined> {
  if (env.mailFrom() === undefined && !isAskedFor(step)) return undefined;
  const clock = await accountClock(step, now);
  const sources = readMailSources(step);
  const findCustomer = customersOf(step);
  const addressOf = async ({ invoice }: Sources) => invoice && recipientOf(invoice, findCustomer);
  const toNow = async () => (await addressOf(await sources)) ?? (isAskedFor(step) ? noAddress : erasedText);
  const [marked, known] = await Promise.all([readStepMail(step, toNow, clock), sources]);
  if (marked) return advance(marked, timer, now, { known, step });
  return sendNewStep(step, known, { timer, now, clock, findCustomer });
}

/** Whether somebody asked for the mail of a step, with `send` or by a schedule. Then its record says so if it is not sent. */
const isAskedFor = ({ kind }: StepReference): boolean => kind === 'invoice';

/** Returns the function that reads a customer of an owner. */
const customersOf =
  (owner: Owner): FindCustomer =>
  async (id) =>
    (await readCustomer(owner, id)).record;

interface NewStep {
  readonly timer: TimerMessage;
  readonly now: RealTime;
  readonly clock: Clock;
  readonly findCustomer: FindCustomer;
}

async function sendNewStep(
  step: StepReference,
  known: Sources,
  { timer, now, clock, findCustomer }: NewStep,
): Promise<Timer | undefined> {
  const { account, invoice } = known;
  if (!account || !invoice || !(isMailOn(account, step.kind) || isAskedFor(step))) return undefined;
  // The documents of its change can be those of the invoice that replaces it.
  if (step.kind === 'credit_note' && !invoice.isDocumented) return undefined;
  const at = dueTimeOf(timer, clock);
  if (step.kind === 'reminder') {
    if (reasonToSkip(step, { ...known, invoice }, toPageSettings(account)) !== undefined) return undefined;
    const reason = await reasonOfPlan(step.reminderDay, { account, invoice, findCustomer }, at);
    if (reason) return reason === 'rescheduled' ? movedTimer(step, { account, invoice }, clock) : undefined;
  }
  const to = await recipientOf(invoice, findCustomer);
  if (to === undefined && !isAskedFor(step)) return undefined;
  return advance(newStepMail(step, to ?? noAddress, clock), timer, now, { known, step, isUnmarked: true });
}

/** Returns the moment of a timer in the time of the account. A message can arrive early by another clock. */
const dueTimeOf = ({ due }: TimerMessage, { account, real }: Clock): AccountTime =>
  account + Math.max(0, due - real);

/** Reads the moment on the clock of an account. Only test mode has a clock of its own. */
const accountClock = async (owner: Owner, now: RealTime): Promise<Clock> =>
  clockAt(owner.mode === 'test' ? await readStoredClock(owner) : undefined, now);

/** What is known of a mail beside its record. */
interface Known {
  /** Undefined: they are read when needed. */
  readonly known?: Sources;
  /** That of a mail that goes by itself, if its timer names it so. */
  readonly step?: StepReference;
  /** No worker has marked the step yet. */
  readonly isUnmarked?: true;
}

/** Takes the next step of a mail. Returns the timer of the step after it. */
async function advance(
  mail: Mail,
  timer: TimerMessage,
  now: RealTime,
  context: Known = {},
): Promise<Timer | undefined> {
  const { step, isUnmarked } = context;
  // The record of a mail of a step can be missing, and its mark leads to it.
  const timerAt = (due: Instant) =>
    step && mail.version === 0 ? stepTimer(step, due) : mailTimer(mail, due);
  const again = () => timerAt(Math.max(now, timer.due) + attemptWithinMs);
  if (mail.state === 'sending') return endAttempt(mail, timer, now, timerAt);
  if (mail.state !== 'queued') return undefined;
  const later = () => mailTimer(mail, nextPollAt(mail.askedAt, timer, now));
  const prepared = isNotice(mail)
    ? await prepareNotice(mail, now)
    : await prepareOfInvoice(mail, timer, now, context);
  if ('withdrawn' in prepared)
    return (await withdrawReminder(prepared.mail, prepared.withdrawn)) ? prepared.next : again();
  const isLate = !('email' in prepared) || (mail.isUncounted && !(await isWithinLimits(mail, now)));
  if (isUnmarked && isLate && step && !isNotice(mail) && !(await markStep(step, mail))) return again();
  if ('skip' in prepared) {
    await changeMail(mail, { state: 'skipped', reason: prepared.skip, isUncounted: undefined });
    return undefined;
  }
  if ('wait' in prepared) return wait(mail, prepared.wait, later, now);
  if (isLate) return wait(mail, 'limit_reached', later, now);
  const attempt = await begin(mail, now, isUnmarked ? step : undefined);
  // Another message was faster, an erasure changed the mail, or the answer to the write was lost. In the last case, nobody is at it.
  if (!attempt) return again();
  const outcome = await sendEmail({ ...prepared.email, tags: tagsOf(mail) });
  if (outcome.kind === 'later') return wait(attempt, outcome.reason, later, now);
  await storeOutcome(attempt, outcome);
  return undefined;
}

/** A reminder that its plan does not want any more. */
interface Withdrawn {
  readonly mail: InvoiceMail;
  readonly withdrawn: MailReason;
  /** The timer of its new time, if that is near. */
  readonly next: Timer | undefined;
}

/** Makes the message of a mail to a payer. A reminder of the plan that has waited is judged again: its plan can have changed meanwhile. */
async function prepareOfInvoice(
  mail: InvoiceMail,
  timer: TimerMessage,
  now: RealTime,
  { known, isUnmarked }: Known,
): Promise<Prepared | Withdrawn> {
  const sources = known ?? (await readMailSources(mail));
  const prepared = await prepareMail(mail, sources, now);
  const { account, invoice } = sources;
  const { reminderDay } = mail;
  if ('skip' in prepared || isUnmarked || reminderDay === undefined || !account || !invoice) return prepared;
  const clock = await accountClock(mail, now);
  const withdrawn = await reasonOfPlan(
    reminderDay,
    { account, invoice, findCustomer: customersOf(mail) },
    dueTimeOf(timer, clock),
  );
  if (!withdrawn) return prepared;
  const ofDay = { ...mail, reminderDay };
  const next = withdrawn === 'rescheduled' ? movedTimer(ofDay, { account, invoice }, clock) : undefined;
  return { mail, withdrawn, next };
}

/** Returns the timer of a reminder whose plan or due date has moved. Undefined: its new time is not near. */
function movedTimer(
  { reminderDay, ...owner }: Owner & Pick<StepReference, 'reminderDay'>,
  { account, invoice }: { readonly account: Account; readonly invoice: Invoice },
  clock: Clock,
): Timer | undefined {
  const plan = reminderPlanOf(account);
  if (!plan || reminderDay === undefined) return undefined;
  return reminderTimersOf(owner, { ...invoice, reminders: [reminderDay] }, plan, clock)[0];
}

/**
 * Stores that an attempt begins: in the record of the mail, or in the mark of its step.
 * @param step that of a mail whose step no worker has marked
 * @returns undefined: this worker may not send the mail
 */
async function begin(mail: Mail, now: RealTime, step: StepReference | undefined): Promise<Mail | undefined> {
  const change = { state: 'sending', triedAt: now, isUncounted: undefined } as const;
  if (!step || isNotice(mail)) return changeMail(mail, change);
  const attempt = { ...mail, ...change };
  return (await markStep(step, attempt)) ? attempt : undefined;
}

const isWithinLimits = async (mail: Mail, now: RealTime): Promise<boolean> => {
  const { account: at } = await accountClock(mail, now);
  return countIfAllowed(mail, mail.to, at, isNotice(mail) ? mail.kind : undefined);
};

async function storeOutcome(
  attempt: Mail,
  outcome: Exclude<EmailOutcome, { readonly kind: 'later' }>,
): Promise<void> {
  const clock = await clockOfRecord(attempt, attempt.createdAt, readClock());
  if (outcome.kind === 'accepted')
    await endWith(attempt, { state: 'sent', sentAt: clock.account, sesId: outcome.messageId });
  else if (outcome.kind === 'unknown') await endWith(attempt, { state: 'unknown', reason: 'no_answer' });
  else {
    logger.warn('SES refused a mail', { mail: attempt.id, code: outcome.code });
    await endWith(attempt, { state: 'failed', reason: 'rejected' });
  }
}

/** Stores the outcome of an attempt, also if an erasure has changed the mail meanwhile. */
async function endWith(attempt: Mail, change: Parameters<typeof changeMail>[1]): Promise<void> {
  if (await changeMail(attempt, change)) return;
  const present = await readMail(attempt, attempt.id);
  if (present?.state === 'sending' && present.triedAt === attempt.triedAt) await changeMail(present, change);
}

/**
 * An attempt without an outcome has ended, or a worker is still at it. A message can arrive early by another clock. The next timer
 * must still be a different one, because this one is deleted.
 */
async function endAttempt(
  mail: Mail,
  { due }: TimerMessage,
  now: RealTime,
  timerAt: (due: Instant) => Timer,
): Promise<Timer | undefined> {
  const endsAt = (mail.triedAt ?? mail.askedAt) + attemptWithinMs;
  if (Math.max(now, due) < endsAt) return timerAt(endsAt);
  await changeMail(mail, { state: 'unknown', reason: 'no_answer' });
  return undefined;
}

/** Lets a mail wait with its reason, or gives it up. Returns its next timer. */
async function wait(
  mail: Mail,
  reason: MailReason,
  later: () => Timer,
  now: RealTime,
): Promise<Timer | undefined> {
  if (now >= mail.askedAt + waitsForMs) {
    await changeMail(mail, { state: 'failed', reason: 'expired' });
    return undefined;
  }
  if (mail.state !== 'queued' || mail.reason !== reason) await changeMail(mail, { state: 'queued', reason });
  return later();
}
