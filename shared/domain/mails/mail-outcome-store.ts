/**
 * Stores what came of a mail.
 *
 * - SES can report the same more than once, and in any order. So outcomes have an order of their own: a later one in it replaces an
 *   earlier one, and nothing else does.
 * - One transaction stores the mail, its event, and that nothing goes to its address any more. So a report that is repeated after
 *   somebody allowed mails to the address again does not stop them again.
 * - A report can be faster than the answer to the call that sent the mail. Then it stores what the answer would have, or waits for the
 *   record, if that is stored with the answer.
 */
import { randomUUID } from 'node:crypto';
import { isEmail } from '../../base/email.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { retryDelayMs } from '../../store/client.ts';
import { put } from '../../store/commit/change-items.ts';
import { toOutboxItem } from '../../store/commit/outbox-item.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { draftEvent } from '../events/event.ts';
import { isNotice, type Mail, type ShownMail, showMail } from './mail.ts';
import { suppressAddress } from './mail-address-store.ts';
import { putMail, readMail } from './mail-store.ts';
import type { MailOutcome } from './ses-event.ts';

/** Another writer changes a mail a few times at most. */
const maxAttempts = 10;

/** The record of a mail is stored by then, also if its worker has crashed. */
const recordWithinMs = 6 * 60_000;

type Reported = Pick<Mail, 'state' | 'reason'>;

/** The order of the outcomes. 0: none is reported. */
function orderOf({ state, reason }: Reported): number {
  if (state === 'complained') return 4;
  if (state === 'bounced') return reason === 'bounced_permanently' ? 3 : 1;
  return state === 'delivered' ? 2 : 0;
}

/** Whether a report changes a mail. Pure. */
export function isNews(mail: Pick<Mail, 'state' | 'reason' | 'sesId'>, outcome: MailOutcome): boolean {
  if (mail.sesId !== undefined && mail.sesId !== outcome.sesId) return false;
  if (outcome.state === 'failed') return orderOf(mail) === 0 && mail.state !== 'failed';
  return orderOf(outcome) > orderOf(mail);
}

/**
 * Stores a report. One about a mail that does not exist any more, or that tells nothing new, changes nothing.
 * @param outcome undefined: there is nothing to store
 * @throws MalformedItemError if the mail cannot be read
 * @throws Error after ten conflicts with other writers, or if the mail is new and has no record yet, so that the message comes again
 */
export async function recordMailOutcome(outcome: MailOutcome | undefined, now: RealTime): Promise<void> {
  if (!outcome) return;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    const mail = await readMail(outcome, outcome.id);
    if (!mail && now < outcome.acceptedAt + recordWithinMs) continue;
    if (!mail) logger.warn('SES reports a mail that does not exist', { mail: outcome.id });
    if (!mail || !isNews(mail, outcome)) return;
    if (await writeOutcome(mail, outcome, now)) return;
  }
  throw new Error(`The mail ${outcome.id} is not stored yet, or other writers keep changing it.`);
}

async function writeOutcome(
  mail: Mail,
  { state, reason, sesId, to }: MailOutcome,
  now: RealTime,
): Promise<boolean> {
  const { account: at } = await clockOfRecord(mail, mail.createdAt, now);
  const sentAt = mail.sentAt ?? at;
  const changed = { ...mail, state, reason, sesId, sentAt, outcomeAt: at, version: mail.version + 1 };
  const actions: TransactionItem[] = [putMail(mail, changed)];
  const suppression =
    state === 'complained' || reason === 'bounced_permanently' ? suppressionOf(state) : undefined;
  // The record of an erased mail has no address. What is stored of the address names nobody.
  const address = [mail.to, to].find((each) => each !== undefined && isEmail(each));
  if (suppression && address) actions.push(await suppressAddress(mail, address, suppression, now));
  const event =
    state === 'bounced'
      ? draftEvent('mail.bounced', { ...changed, objectVersion: changed.version }, at, inEvent(changed))
      : undefined;
  const followUps = { indexEntries: [], events: event ? [event] : [], timers: [] };
  const outbox = toOutboxItem(mail, randomUUID(), now, followUps);
  if (outbox) actions.push(put(outbox));
  const { written } = await writeTransaction(actions);
  const { account, mode, id } = mail;
  if (written && suppression) logger.info('address stopped', { account, mode, mail: id, suppression });
  if (written && event) {
    const fields = metricFields({ Events: 1 }, { mode, type: event.type });
    logger.info('event', { event: event.id, account, ...fields });
  }
  return written;
}

/** Events go to endpoints and keys that may not see the addresses of members. */
const inEvent = (mail: Mail): ShownMail => ({ ...showMail(mail), ...(isNotice(mail) && { to: '[member]' }) });

const suppressionOf = (state: Mail['state']) => (state === 'complained' ? 'complained' : 'bounced');
