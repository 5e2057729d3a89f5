/** Defines the mails to payers and to the merchant: what they are about, and what came of each. */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { idPatternOf, type Owner } from '../../base/ids.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import { type AccountTime, type RealTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import { type MailKind, mailKinds } from '../accounts/mail-settings.ts';
import { isNoticeKind, type NoticeKind, noticeKinds } from '../accounts/notice-settings.ts';

/**
 * - `queued`: it waits for its turn. `reason` says why if it takes longer.
 * - `sending`: the call to SES is being made.
 * - `sent`: SES has accepted it.
 * - `delivered`: the server of its reader has accepted it.
 * - `bounced`: it did not reach its reader. `reason` says whether it was for good.
 * - `complained`: its reader has marked it as spam.
 * - `skipped`: nothing was sent, because the state of the invoice or of the address did not allow it.
 * - `failed`: SES refuses it for good.
 * - `unknown`: SES may or may not have it. It is never sent again by itself.
 */
export const mailStates = [
  'queued',
  'sending',
  'sent',
  'skipped',
  'failed',
  'unknown',
  'delivered',
  'bounced',
  'complained',
] as const;
export type MailState = (typeof mailStates)[number];

/** Why a mail waits, was not sent, or has no known outcome. */
export const mailReasons = [
  'no_document_yet',
  'limit_reached',
  'throttled',
  'sending_paused',
  'not_verified',
  'service_error',
  'invoice_paid',
  'invoice_not_paid',
  'invoice_cancelled',
  'payment_in_progress',
  'claim_open',
  'payment_disputed',
  'superseded',
  'rescheduled',
  'not_planned',
  'reminders_paused',
  'payment_returned',
  'payment_voided',
  'refund_failed',
  'account_closed',
  'switched_off',
  'mail_off',
  'no_recipient',
  'unsubscribed',
  'test_mode',
  'no_link',
  'rejected',
  'expired',
  'no_answer',
  'bounced_permanently',
  'bounced_temporarily',
  'address_bounced',
  'address_complained',
] as const;
export type MailReason = (typeof mailReasons)[number];

/** The address of a mail that somebody asked for, and whose invoice has lost its address before the mail went out. */
export const noAddress = '';

interface AnyMail extends Owner {
  readonly id: string;
  readonly to: string;
  readonly state: MailState;
  readonly reason?: MailReason | undefined;
  /** In the time of the account. */
  readonly createdAt: AccountTime;
  /** When it was asked for. */
  readonly askedAt: RealTime;
  /** When the last call to SES began. */
  readonly triedAt?: RealTime | undefined;
  /** In the time of the account. */
  readonly sentAt?: AccountTime | undefined;
  /** When SES reported what came of it. In the time of the account. */
  readonly outcomeAt?: AccountTime | undefined;
  /** It does not count against the limits of mails yet. */
  readonly isUncounted?: boolean | undefined;
  /** SES's id of the mail. Its notifications name it. */
  readonly sesId?: string | undefined;
  /** Each change raises it by one. 0: the mail is not stored yet. */
  readonly version: number;
}

/** A mail to a payer. */
export interface InvoiceMail extends AnyMail {
  readonly invoiceId: string;
  readonly kind: MailKind;
  /** Only of a reminder of the plan: its day, from the due date. A reminder that somebody asked for has none. */
  readonly reminderDay?: number | undefined;
  /** The id of the refund or of the payment. Only of a mail about one. */
  readonly about?: string | undefined;
  /** What the sender of an invoice adds. Lines end with a line feed. */
  readonly message?: string | undefined;
}

/** A mail to the merchant. `notice.ts` says what its fields hold. */
export interface Notice extends AnyMail {
  readonly kind: NoticeKind;
  readonly about: string;
  readonly detail?: string | undefined;
  readonly by?: string | undefined;
  readonly invoiceId?: undefined;
  readonly reminderDay?: undefined;
  readonly message?: undefined;
}

export type Mail = InvoiceMail | Notice;

export const isNotice = (mail: Mail): mail is Notice => isNoticeKind(mail.kind);

const mailId = v.pipe(v.string(), v.regex(idPatternOf('mail')));

/** The id of a refund or of a payment. */
const aboutPattern = /^(ref|pay)_[0-9a-z]{26}$/;

/** A mail in responses. */
export const mailSchema = /* @__PURE__ */ v.strictObject({
  id: mailId,
  invoiceId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('invoice')))),
  kind: v.picklist([...mailKinds, ...noticeKinds]),
  to: v.string(),
  reminderDay: v.nullable(v.pipe(v.number(), v.integer())),
  about: v.nullable(v.pipe(v.string(), v.regex(aboutPattern))),
  state: v.picklist(mailStates),
  reason: v.nullable(v.picklist(mailReasons)),
  createdAt: timestampSchema,
  sentAt: v.nullable(timestampSchema),
  outcomeAt: v.nullable(timestampSchema),
});

export const mailListSchema = /* @__PURE__ */ v.strictObject({
  data: /* @__PURE__ */ v.array(mailSchema),
  cursor: cursorSchema,
});

export type ShownMail = v.InferOutput<typeof mailSchema>;

/** Returns a mail as the API shows it. */
export function showMail(mail: Mail): ShownMail {
  const { id, invoiceId, kind, to, reminderDay, about, state, reason, createdAt, sentAt, outcomeAt } = mail;
  return {
    id,
    invoiceId: invoiceId ?? null,
    kind,
    to,
    reminderDay: reminderDay ?? null,
    // A notice can be about something else, such as an API key.
    about: about !== undefined && aboutPattern.test(about) ? about : null,
    state,
    reason: reason ?? null,
    createdAt: toTimestamp(createdAt),
    sentAt: sentAt === undefined ? null : toTimestamp(sentAt),
    outcomeAt: outcomeAt === undefined ? null : toTimestamp(outcomeAt),
  };
}

const toMessage = `to must be one email address of at most ${maxEmailLength} characters, such as dorji@example.bt.`;
/** More is no message to an invoice. */
const maxMessage = 1_000;
const linkMessage =
  'message must not contain links, email addresses or names of websites. Remove them, and put a space after each full stop.';

/** What mail programs turn into a link: an address of a page, of a mailbox, or the name of a host, also with the dots of other scripts. */
const link = /:\/\/|\bwww[.．。․]|[@＠]|[\p{L}\p{M}\p{N}][.．。․｡][\p{L}\p{M}]{2}/iu;

/** Whether a mail program would make a link of a part of a text. Somebody with a stolen key could lead payers elsewhere. */
export const hasLink = (text: string): boolean => link.test(text);

const kindMessage = `kind must be one of ${mailKinds.join(', ')}. Leave it out to send the invoice, or its receipt if it is paid.`;
const aboutMessage = 'about must be the ID of a refund or of a payment, such as pay_….';

export const sendInvoiceBody = /* @__PURE__ */ createSendBody();

export type SendInvoice = v.InferOutput<typeof sendInvoiceBody>;

function createSendBody() {
  return v.pipe(
    v.strictObject({
      to: v.nullish(v.pipe(v.string(toMessage), v.check(isEmail, toMessage))),
      message: v.nullish(
        v.pipe(
          typedText('message', maxMessage),
          refuseHiddenCharacters('message', 'lines'),
          v.check((text) => !hasLink(text), linkMessage),
        ),
      ),
      kind: v.nullish(v.picklist(mailKinds, kindMessage)),
      about: v.nullish(v.pipe(v.string(aboutMessage), v.regex(aboutPattern, aboutMessage))),
    }),
    // The clock of test mode has a field of the same name.
    v.metadata({ errorCodes: { to: 'invalid_to' } }),
  );
}

const beforeMessage =
  'before must be the ID of a mail, such as the value of next. Leave it out to begin with the newest.';

/** The query of the lists of mails: newest first. */
export const listMailsQuery = /* @__PURE__ */ createListQuery();

export type ListMails = v.InferOutput<typeof listMailsQuery>;

function createListQuery() {
  return v.strictObject({
    limit: paginationQuery.limit,
    before: v.optional(v.pipe(v.string(beforeMessage), v.regex(/^mail_[0-9a-z]{26}$/, beforeMessage))),
  });
}
