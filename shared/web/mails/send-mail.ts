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
import { type AccountTime, type RealTime, now as readClock } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { isMailOn, localeOfMails } from '../../domain/accounts/mail-settings.ts';
import { type PageSettings, toPageSettings } from '../../domain/accounts/page-settings.ts';
import { planOfInvoice, reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import { readCustomer } from '../../domain/customers/customer-store.ts';
import { customerType } from '../../domain/customers/record.ts';
import type { StoredDocument } from '../../domain/documents/document-item.ts';
import { readDocument } from '../../domain/documents/document-store.ts';
import { type NumberedInvoice, readNumberedInvoice } from '../../domain/documents/invoice-number-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { amountDueOf, amountPaidOf } from '../../domain/invoices/received-money.ts';
import { hasDefaultDueDate } from '../../domain/invoices/transitions.ts';
import { claimStep } from '../../domain/mails/automatic-mail-store.ts';
import type { Mail, MailReason } from '../../domain/mails/mail.ts';
import { readMailAddress } from '../../domain/mails/mail-address-store.ts';
import { countIfAllowed } from '../../domain/mails/mail-limits-store.ts';
import { changeMail, readMail } from '../../domain/mails/mail-store.ts';
import { parseMailAddress, toHeaderText } from '../../domain/mails/mail-text.ts';
import {
  mailReferenceOf,
  mailTimer,
  type StepReference,
  stepReferenceOf,
} from '../../domain/mails/mail-timer.ts';
import { type FindCustomer, recipientOf } from '../../domain/mails/recipient.ts';
import { dueReminder } from '../../domain/mails/reminder-times.ts';
import { tagsOf } from '../../domain/mails/ses-event.ts';
import { unsubscribeUrl } from '../../domain/mails/unsubscribe-token.ts';
import { nextPollAt } from '../../domain/payments/next-poll-at.ts';
import { readMembers } from '../../domain/users/member-store.ts';
import { type EmailOutcome, sendEmail } from '../../platform/aws/send-email.ts';
import { clockOfRecord, readStoredClock } from '../../store/account-clock.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { documentPdf } from '../documents/document-file.ts';
import { composeMail } from './compose-mail.ts';
import { renderMail } from './render-mail.ts';

/** More than the function takes, so an attempt of that age has ended. */
const attemptWithinMs = 90_000;
/** How long a mail waits for its document, or for SES. */
const waitsForMs = 3 * 24 * 60 * 60 * 1000;
/** The document of a payment follows within a second. A payment of before the account issued receipts has none. */
const receiptWithinMs = 60_000;

/** Handles the timer of a mail, or of a step of an invoice. */
export async function sendMail(timer: TimerMessage, now: RealTime): Promise<void> {
  const mail = mailReferenceOf(timer);
  const step = mail ? undefined : stepReferenceOf(timer);
  const next = mail ? await sendStored(mail, timer, now) : step && (await sendStep(step, timer, now));
  if (next) await setTimer(next, now);
  await completeTimer(timer);
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
  if (env.mailFrom() === undefined) return undefined;
  const sources = await readSources(step);
  const { account, invoice } = sources;
  if (!account || !invoice || !isMailOn(account, step.kind)) return undefined;
  const clock = await accountClock(step, now);
  // A message can arrive early by another clock.
  const at = clock.account + Math.max(0, timer.due - now);
  if (step.kind === 'reminder' && !isReminderDue(step, invoice, account, at)) return undefined;
  const findCustomer = async (id: string) => (await readCustomer(step, id)).record;
  if (step.kind === 'reminder' && (await isPausedForCustomer(invoice, findCustomer))) return undefined;
  const to = await recipientOf(invoice, findCustomer);
  if (to === undefined) return undefined;
  return advance(await claimStep(step, to, clock), timer, now, sources);
}

/**
 * Whether a reminder is the one that is due, and the state of the invoice allows it. Of several that are due, such as after a long
 * failure, only the last goes out: the others have timers of their own, and find that they are not.
 */
function isReminderDue(step: StepReference, invoice: Invoice, account: Account, at: AccountTime): boolean {
  const plan = reminderPlanOf(account);
  const due = plan && dueReminder(planOfInvoice(plan, invoice), invoice.dueDate, at);
  return due?.day === step.reminderDay && reasonToSkip(step, invoice, toPageSettings(account)) === undefined;
}

/** Whether the customer of an invoice gets no reminders. Only a customer of the customers API can have that. */
const isPausedForCustomer = async ({ customerId }: Invoice, findCustomer: FindCustomer): Promise<boolean> =>
  customerType.isId(customerId) && (await findCustomer(customerId))?.remindersPaused === true;

/** Reads the moment on the clock of an account. Only test mode has a clock of its own. */
const accountClock = async (owner: Owner, now: RealTime): Promise<Clock> =>
  clockAt(owner.mode === 'test' ? await readStoredClock(owner) : undefined, now);

/** What a mail is made from. */
interface Sources extends NumberedInvoice {
  readonly account: Account | undefined;
}

/** Settings that are some seconds old could skip a mail that was just switched on, so they are read as they are now. */
async function readSources(mail: Owner & Pick<Mail, 'invoiceId'>): Promise<Sources> {
  const [numbered, account] = await Promise.all([
    readNumberedInvoice(mail, mail.invoiceId),
    readAccount(mail.account),
  ]);
  return { ...numbered, account };
}

/** Takes the next step of a mail. Returns the timer of the step after it. @param known undefined: they are read when needed */
async function advance(
  mail: Mail,
  timer: TimerMessage,
  now: RealTime,
  known?: Sources,
): Promise<Timer | undefined> {
  if (mail.state === 'sending') return endAttempt(mail, timer, now);
  if (mail.state !== 'queued') return undefined;
  const later = () => mailTimer(mail, nextPollAt(mail.askedAt, timer, now));
  const prepared = await prepare(mail, known ?? (await readSources(mail)), now);
  if ('skip' in prepared) {
    await changeMail(mail, { state: 'skipped', reason: prepared.skip, isUncounted: undefined });
    return undefined;
  }
  if ('wait' in prepared) return wait(mail, prepared.wait, later, now);
  if (mail.isUncounted && !(await countIfAllowed(mail, mail.to, (await accountClock(mail, now)).account)))
    return wait(mail, 'limit_reached', later, now);
  const attempt = await changeMail(mail, { state: 'sending', triedAt: now, isUncounted: undefined });
  // Another message was faster, an erasure changed the mail, or the answer to the write was lost. In the last case, nobody is at it.
  if (!attempt) return mailTimer(mail, Math.max(now, timer.due) + attemptWithinMs);
  const outcome = await sendEmail({ ...prepared.email, tags: tagsOf(mail) });
  if (outcome.kind === 'later') return wait(attempt, outcome.reason, later, now);
  await storeOutcome(attempt, outcome);
  return undefined;
}

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
async function endAttempt(mail: Mail, { due }: TimerMessage, now: RealTime): Promise<Timer | undefined> {
  const endsAt = (mail.triedAt ?? mail.askedAt) + attemptWithinMs;
  if (Math.max(now, due) < endsAt) return mailTimer(mail, endsAt);
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

interface Email {
  readonly from: string;
  readonly to: string;
  readonly source: Buffer;
}

/** The message to send, or why nothing is sent now or ever. */
type Prepared = { readonly email: Email } | { readonly skip: MailReason } | { readonly wait: MailReason };

async function prepare(mail: Mail, sources: Sources, now: RealTime): Promise<Prepared> {
  const from = parseMailAddress(env.mailFrom() ?? '');
  const to = parseMailAddress(mail.to);
  const { account, invoice } = sources;
  if (!account) return { skip: 'account_closed' };
  const settings = toPageSettings(account);
  const skip = !invoice || !to || !from ? 'rejected' : reasonToSkip(mail, invoice, settings);
  if (skip !== undefined || !invoice || !to || !from) return { skip: skip ?? 'rejected' };
  const refused = await reasonOfAddress(mail);
  if (refused) return { skip: refused };
  if (mail.mode === 'test' && !(await isTestRecipient(mail))) return { skip: 'test_mode' };
  const document = await findDocument(mail, sources);
  if (!document && invoice.isDocumented && !isReceiptOverdue(mail, now)) return { wait: 'no_document_yet' };
  const { payee = document?.content.seller.name, contact, timeZone, mailName, mailReplyTo } = settings;
  const locale = invoice.locale ?? localeOfMails(settings);
  const sender = mailName ?? payee;
  const stop = mail.kind === 'reminder' ? await unsubscribeUrl(invoice.paymentUrl, mail.id) : undefined;
  const rendered = renderMail({
    kind: mail.kind,
    locale,
    payee,
    number: document?.number,
    amountMinor: mail.kind === 'receipt' ? amountPaidOf(invoice) : amountDueOf(invoice),
    currency: invoice.currency,
    description: invoice.description,
    dueAt: Date.parse(invoice.dueDate),
    isDefaultDueDate: hasDefaultDueDate(invoice),
    paidAt: mail.kind === 'receipt' ? invoice.updatedAt : undefined,
    timeZone,
    paymentUrl: invoice.paymentUrl,
    unsubscribeUrl: stop,
    message: mail.message,
    isTest: mail.mode === 'test',
    hasDocument: document !== undefined,
  });
  const source = await composeMail({
    ...rendered,
    id: mail.id,
    from,
    fromName: sender === undefined ? undefined : toHeaderText(sender),
    to,
    replyTo: parseMailAddress(mailReplyTo ?? contact ?? ''),
    unsubscribeUrl: stop,
    pdf: document && (await pdfOf(mail.account, document, locale)),
  });
  return { email: { from, to, source } };
}

async function pdfOf(account: string, { content }: StoredDocument, locale: NonNullable<Invoice['locale']>) {
  const { name, bytes } = await documentPdf(account, content, { paper: 'a4', locale, isCancelled: false });
  return { name: toHeaderText(name), bytes };
}

/** Why the state of an invoice, or of its account, does not allow a mail. */
function reasonToSkip(
  { kind }: Pick<Mail, 'kind'>,
  invoice: Invoice,
  settings: PageSettings,
): MailReason | undefined {
  const { status, paymentInProgress, openCheckout, refundedMinor = 0 } = invoice;
  if (settings.closed) return 'account_closed';
  if (!isMailOn(settings, kind)) return 'switched_off';
  if (status === 'cancelled') return 'invoice_cancelled';
  if (kind === 'receipt') {
    if (status !== 'paid') return 'invoice_not_paid';
    return refundedMinor >= amountPaidOf(invoice) ? 'payment_returned' : undefined;
  }
  if (status === 'paid') return 'invoice_paid';
  return paymentInProgress === undefined && openCheckout === undefined ? undefined : 'payment_in_progress';
}

/** Why nothing may go to the address of a mail. Undefined: the mail may. */
async function reasonOfAddress(mail: Mail): Promise<MailReason | undefined> {
  const { suppression, unsubscribedAt } = await readMailAddress(mail, mail.to);
  if (suppression) return suppression === 'complained' ? 'address_complained' : 'address_bounced';
  return mail.kind === 'reminder' && unsubscribedAt !== undefined ? 'unsubscribed' : undefined;
}

/** Whether a mail of test mode may go to its address: to a member of the account, or on the local stack, which delivers nothing. */
async function isTestRecipient({ account, to }: Mail): Promise<boolean> {
  if (env.isMailDouble()) return true;
  const { members } = await readMembers(account);
  return members.some(({ email }) => email.toLowerCase() === to.toLowerCase());
}

/** Returns the document that a mail is about. Undefined: it is not issued yet, or the account issues none. */
async function findDocument(
  { kind }: Mail,
  { invoice, issued }: NumberedInvoice,
): Promise<StoredDocument | undefined> {
  if (!invoice || !issued) return undefined;
  if (kind !== 'receipt') return readDocument(invoice, issued.lastIssue);
  // The receipt is the first document after the last issue, before credit notes. Of several payments, the last one has paid it.
  const after = issued.documents.slice(issued.documents.indexOf(issued.lastIssue) + 1);
  for (const id of invoice.parts ? after.reverse() : after) {
    const document = await readDocument(invoice, id);
    if (document?.kind === 'receipt') return document;
  }
  return undefined;
}

const isReceiptOverdue = ({ kind, askedAt }: Mail, now: RealTime): boolean =>
  kind === 'receipt' && now >= askedAt + receiptWithinMs;
