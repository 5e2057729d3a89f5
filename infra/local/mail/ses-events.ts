/**
 * Makes the records that Amazon SES publishes about a message, with the fields and values of its documentation:
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
import { randomUUID } from 'node:crypto';
import type { Instant } from '../../../shared/base/time.ts';

/** What can come of a message. A permanent bounce can be that of an address on the suppression list. */
export type SesReport =
  | 'delivery'
  | 'permanent bounce'
  | 'suppressed'
  | 'transient bounce'
  | 'complaint'
  | 'reject';

/** A message, as its records describe it. */
export interface ReportedMail {
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly configurationSet: string;
  readonly acceptedAt: Instant;
}

const simulator = 'simulator.amazonses.com';

/**
 * Returns what comes of a message to an address of the mailbox simulator, in its order. A label does not matter:
 * https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
 * @returns undefined if the address is none of the simulator
 */
export function simulatedReports(address: string): readonly SesReport[] | undefined {
  const [local = '', domain] = address.toLowerCase().split('@');
  if (domain !== simulator) return undefined;
  const reports: Readonly<Record<string, readonly SesReport[]>> = {
    success: ['delivery'],
    bounce: ['permanent bounce'],
    ooto: ['delivery', 'transient bounce'],
    complaint: ['delivery', 'complaint'],
    suppressionlist: ['suppressed'],
  };
  return reports[local.split('+')[0] ?? ''] ?? [];
}

/** Returns the record of a report, as JSON. */
export function sesRecord(mail: ReportedMail, report: SesReport, at: Instant): string {
  const timestamp = new Date(at).toISOString();
  const { messageId, from, to, tags, configurationSet, acceptedAt } = mail;
  const tagValues = Object.entries(tags).map(([name, value]) => [name, [value]]);
  return JSON.stringify({
    ...outcomeOf(mail, report, timestamp),
    mail: {
      timestamp: new Date(acceptedAt).toISOString(),
      source: from,
      sendingAccountId: '123456789012',
      messageId,
      destination: to,
      headersTruncated: false,
      headers: [{ name: 'From', value: from }],
      commonHeaders: { from: [from], to, messageId },
      tags: { 'ses:configuration-set': [configurationSet], ...Object.fromEntries(tagValues) },
    },
  });
}

const bounces = {
  'permanent bounce': {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    recipient: { action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
  },
  suppressed: { bounceType: 'Permanent', bounceSubType: 'Suppressed', recipient: { action: 'failed' } },
  'transient bounce': { bounceType: 'Transient', bounceSubType: 'General', recipient: {} },
} as const;

/** Returns the type of the event, and the object that describes it. */
function outcomeOf({ to }: ReportedMail, report: SesReport, timestamp: string): object {
  const feedbackId = `0100-${randomUUID()}-000000`;
  if (report === 'delivery') {
    const smtpResponse = '250 2.6.0 Message received';
    return {
      eventType: 'Delivery',
      delivery: { timestamp, processingTimeMillis: 11_893, recipients: to, smtpResponse },
    };
  }
  if (report === 'complaint') {
    const complainedRecipients = to.map((emailAddress) => ({ emailAddress }));
    return {
      eventType: 'Complaint',
      complaint: { complainedRecipients, timestamp, feedbackId, complaintFeedbackType: 'abuse' },
    };
  }
  if (report === 'reject') return { eventType: 'Reject', reject: { reason: 'Bad content' } };
  const { recipient, ...type } = bounces[report];
  const bouncedRecipients = to.map((emailAddress) => ({ emailAddress, ...recipient }));
  return { eventType: 'Bounce', bounce: { ...type, bouncedRecipients, timestamp, feedbackId } };
}
