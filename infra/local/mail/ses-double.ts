/**
 * Runs a double of Amazon SES on the loopback address: the operation SendEmail of its API v2, with raw content. It delivers nothing,
 * keeps each message that it accepts, also as a file, and shows them on a page.
 *
 * - The operation: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 * - SES replaces the headers `Message-ID` and `Date`: https://docs.aws.amazon.com/ses/latest/dg/header-fields.html
 * - SES accepts a message to an address of the suppression list, and does not send it:
 *   https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list.html
 * - It reports what comes of a message with a configuration set, see `ses-events.ts`. Nobody delivers anything here, so a test, or an
 *   address of the mailbox simulator, decides what comes of it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Instant, now as readClock } from '../../../shared/base/time.ts';
import type { DoubleRequest, DoubleResponse } from '../provider-doubles/common/double-messages.ts';
import { type DoubleServer, startDoubleServer } from '../provider-doubles/common/http-server.ts';
import { MailFiles } from './mail-files.ts';
import { serveMailPage } from './mail-page.ts';
import { requireSigned, SesError } from './ses-error.ts';
import { type SesReport, sesRecord, simulatedReports } from './ses-events.ts';
import { readSendEmail } from './ses-request.ts';
import { newSesBehavior, requireAllowed, type SesBehavior, type SesUsage } from './ses-rules.ts';

/** A message that the double has accepted. */
export interface AcceptedMail {
  /** SES's id of the message. */
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** The configuration set that reports what comes of it. Undefined: nothing is reported. */
  readonly configurationSet: string | undefined;
  /** An address is on the suppression list, so SES sends nothing. */
  readonly isSuppressed: boolean;
  readonly acceptedAt: Instant;
  /** The message as its receiver gets it. */
  readonly source: Buffer;
}

export interface SesDouble extends DoubleServer {
  readonly behavior: SesBehavior;
  /** The messages since the start of the double, oldest first. */
  readonly accepted: readonly AcceptedMail[];
  /** Sets where the records of reports go. Without it, nothing is reported. */
  readonly publishTo: (publish: (record: string) => Promise<void>) => void;
  /**
   * Reports what came of a message.
   * @throws Error if the double has not accepted such a message, or if it has no configuration set
   */
  readonly report: (messageId: string, report: SesReport) => Promise<void>;
}

export interface SesDoubleOptions {
  /** 0 or undefined selects any free port. */
  readonly port?: number;
  /** Where each accepted message is stored as an `.eml` file. Undefined: nowhere. */
  readonly directory?: string | undefined;
  readonly now?: () => Instant;
}

const sendPath = '/v2/email/outbound-emails';
/** SES accepts 40 MB, in base64: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const maxBodyBytes = 40 * 1024 * 1024;

/** Starts the double. */
export async function startSesDouble({
  port = 0,
  directory,
  now = readClock,
}: SesDoubleOptions = {}): Promise<SesDouble> {
  const behavior = newSesBehavior();
  const accepted: AcceptedMail[] = [];
  const files = new MailFiles(directory);
  const usage: SesUsage = { sentAt: [] };
  const running = new Set<Promise<void>>();
  let publish: ((record: string) => Promise<void>) | undefined;

  const report = async (messageId: string, outcome: SesReport): Promise<void> => {
    const mail = accepted.find((each) => each.messageId === messageId);
    const configurationSet = mail?.configurationSet;
    if (!mail || configurationSet === undefined) throw new Error(`Nothing is reported of ${messageId}.`);
    await publish?.(sesRecord({ ...mail, configurationSet }, outcome, now()));
  };
  /** Reports by itself what comes of a message. The answer does not wait for it. */
  const reportAll = (mail: AcceptedMail): void => {
    if (mail.configurationSet === undefined || !publish) return;
    const reports = mail.isSuppressed
      ? (['suppressed'] as const)
      : (simulatedReports(mail.to[0] ?? '') ?? (behavior.reportsDeliveries ? ['delivery'] : []));
    const done = (async () => {
      for (const each of reports) await report(mail.messageId, each);
    })().catch((error: unknown) => process.emitWarning(String(error)));
    running.add(done);
    done.finally(() => running.delete(done));
  };

  const send = async (request: DoubleRequest, hold: () => Promise<void>): Promise<DoubleResponse> => {
    requireSigned(request.headers);
    const mail = readSendEmail(request.body);
    await hold();
    const at = now();
    const { isSuppressed } = requireAllowed(mail, behavior, usage, at);
    const messageId = newMessageId();
    const source = toDelivered(mail.source, messageId, at);
    const acceptedMail = { ...mail, messageId, isSuppressed, acceptedAt: at, source };
    accepted.push(acceptedMail);
    await files.add({ messageId, at, source, isSuppressed });
    reportAll(acceptedMail);
    return json(200, { MessageId: messageId });
  };

  const handle = async (request: DoubleRequest, hold: () => Promise<void>): Promise<DoubleResponse> => {
    if (!request.path.startsWith('/v2/')) return serveMailPage(request, files);
    try {
      if (request.method === 'POST' && request.path === sendPath) return await send(request, hold);
      throw new SesError('NotFoundException', 'The double knows only the operation SendEmail.');
    } catch (error) {
      if (!(error instanceof SesError)) throw error;
      return json(error.status, { message: error.message }, { 'x-amzn-ErrorType': error.code });
    }
  };
  const server = await startDoubleServer(port, handle, undefined, { apiPath: '/v2/', maxBodyBytes });
  return {
    ...server,
    behavior,
    accepted,
    report,
    publishTo: (to) => {
      publish = to;
    },
    close: async () => {
      await server.close();
      await Promise.all(running);
    },
  };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): DoubleResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Returns an id like those of SES, such as `0100018f2d3a4b5c-6f1c0e9a-…-000000`. */
const newMessageId = (): string => `0100${randomBytes(6).toString('hex')}-${randomUUID()}-000000`;

/** Replaces the two headers that SES replaces. */
function toDelivered(source: Buffer, messageId: string, at: Instant): Buffer {
  const end = source.indexOf('\r\n\r\n');
  const head = source.subarray(0, end).toString('latin1');
  const kept = head
    .replaceAll(/\r\n[ \t]+/g, (fold) => fold.replace('\r\n', '\u0000'))
    .split('\r\n')
    .filter((line) => !/^(message-id|date):/i.test(line))
    .map((line) => line.replaceAll('\u0000', '\r\n'));
  const own = [`Message-ID: <${messageId}@email.amazonses.com>`, `Date: ${formatDate(at)}`];
  return Buffer.concat([Buffer.from([...own, ...kept].join('\r\n'), 'latin1'), source.subarray(end)]);
}

/** RFC 5322: `Sat, 28 Nov 2026 05:00:00 +0000`. */
const formatDate = (at: Instant): string => new Date(at).toUTCString().replace('GMT', '+0000');
