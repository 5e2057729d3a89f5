/**
 * Decides whether SES accepts a message: https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas.html for the rate, and
 * https://docs.aws.amazon.com/ses/latest/dg/request-production-access.html for accounts in the sandbox.
 */
import type { Instant } from '../../../shared/base/time.ts';
import { SesError } from './ses-error.ts';
import type { SentMail } from './ses-request.ts';

/** How the account at SES is set up. Tests change it. */
export interface SesBehavior {
  /** The addresses and domains that can send. Undefined: all. */
  identities: readonly string[] | undefined;
  /** In the sandbox, mails go only to `verifiedRecipients`. */
  isInSandbox: boolean;
  verifiedRecipients: readonly string[];
  /** AWS, or the owner of the account, has paused sending. */
  isPaused: boolean;
  /** AWS has restricted the account for good. */
  isSuspended: boolean;
  /** Whether the MX record of the domain in MAIL FROM is there. */
  isMailFromVerified: boolean;
  /** Messages a second. A new account outside of the sandbox has 14, and 1 in it. */
  maxPerSecond: number;
  /** Messages in 24 hours. */
  maxPerDay: number;
  /** The addresses that got a bounce or complained. */
  suppressed: readonly string[];
  /** The configuration sets that exist. Undefined: all. */
  configurationSets: readonly string[] | undefined;
  /** Whether a delivery is reported of each message, unless its address is one of the mailbox simulator. */
  reportsDeliveries: boolean;
  /** Whether the content of a message is rejected, for example for a virus. */
  rejects: (mail: SentMail) => boolean;
}

export const newSesBehavior = (): SesBehavior => ({
  identities: undefined,
  isInSandbox: false,
  verifiedRecipients: [],
  isPaused: false,
  isSuspended: false,
  isMailFromVerified: true,
  maxPerSecond: 14,
  maxPerDay: 50_000,
  suppressed: [],
  configurationSets: undefined,
  reportsDeliveries: false,
  rejects: () => false,
});

/** The times of the accepted messages, oldest first. */
export interface SesUsage {
  sentAt: Instant[];
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Counts a message that is allowed.
 * @returns whether SES accepts it without sending it
 * @throws SesError if SES refuses it
 */
export function requireAllowed(
  mail: SentMail,
  behavior: SesBehavior,
  usage: SesUsage,
  at: Instant,
): { readonly isSuppressed: boolean } {
  if (behavior.isSuspended)
    throw new SesError('AccountSuspendedException', 'Your account has been permanently restricted.');
  if (behavior.isPaused) throw new SesError('SendingPausedException', 'Sending is paused for this account.');
  const { configurationSet } = mail;
  if (configurationSet !== undefined && behavior.configurationSets?.includes(configurationSet) === false)
    throw new SesError('NotFoundException', `Configuration set <${configurationSet}> does not exist.`);
  requireVerified([mail.from], behavior.identities);
  if (behavior.isInSandbox) requireVerified(mail.to, behavior.verifiedRecipients);
  if (!behavior.isMailFromVerified)
    throw new SesError('MailFromDomainNotVerifiedException', 'The MAIL FROM domain is not verified.');
  if (behavior.rejects(mail)) throw new SesError('MessageRejected', 'The message contains invalid content.');
  usage.sentAt = usage.sentAt.filter((sent) => sent > at - dayMs);
  // SES counts recipients.
  const count = mail.to.length;
  if (usage.sentAt.length + count > behavior.maxPerDay)
    throw new SesError('TooManyRequestsException', 'Daily message quota exceeded.');
  if (usage.sentAt.filter((sent) => sent > at - 1_000).length + count > behavior.maxPerSecond)
    throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.');
  usage.sentAt.push(...mail.to.map(() => at));
  return { isSuppressed: mail.to.some((address) => includes(behavior.suppressed, address)) };
}

function requireVerified(addresses: readonly string[], identities: readonly string[] | undefined): void {
  const failed = addresses.filter(
    (address) => identities && !includes(identities, address) && !includes(identities, domainOf(address)),
  );
  if (failed.length === 0) return;
  const names = failed.join(', ');
  throw new SesError(
    'MessageRejected',
    `Email address is not verified. The following identities failed the check in region US-EAST-1: ${names}`,
  );
}

const includes = (list: readonly string[], text: string): boolean =>
  list.some((each) => each.toLowerCase() === text.toLowerCase());
const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
