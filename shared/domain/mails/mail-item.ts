/** Describes how mails are stored, and the items that name the mails of an invoice. */
import { modes } from '../../base/ids.ts';
import type { AccountTime, RealTime } from '../../base/time.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import {
  defineItem,
  flag,
  instant,
  integer,
  MalformedItemError,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { isNoticeKind } from '../accounts/notice-settings.ts';
import type { InvoiceMail, Mail } from './mail.ts';

/** The attributes of mails of both kinds. */
type StoredMail = Omit<InvoiceMail, 'id' | 'kind' | 'invoiceId'> & {
  readonly kind: Mail['kind'];
  readonly invoiceId?: string | undefined;
  readonly detail?: string | undefined;
  readonly by?: string | undefined;
};

const parseMail = defineItem<StoredMail>(({ sk }) => String(sk), {
  account: text,
  mode: oneOf(...modes),
  invoiceId: optional(text),
  kind: textOf<Mail['kind']>(),
  to: text,
  reminderDay: optional(integer),
  about: optional(text),
  message: optional(text),
  detail: optional(text),
  by: optional(text),
  state: textOf<Mail['state']>(),
  reason: optional(textOf<NonNullable<Mail['reason']>>()),
  createdAt: instant,
  askedAt: instant,
  triedAt: optional(instant),
  sentAt: optional(instant),
  outcomeAt: optional(instant),
  isUncounted: optional(flag),
  sesId: optional(text),
  version: positive,
});

/** Returns the mail in an item, with the attributes that only another release knows. @throws MalformedItemError */
export function toMail(item: Item): Mail {
  const mail = { id: String(item.sk), ...parseMail(item) };
  const needed = isNoticeKind(mail.kind) ? 'about' : 'invoiceId';
  if (mail[needed] === undefined)
    throw new MalformedItemError(mail.id, `its attribute ${needed} must be a text`);
  return mail as Mail;
}

/** Returns the item that stores a mail. */
export function toMailItem({ id, ...attributes }: Mail): Item {
  const stored = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(stored), ...tableKeys.mail(attributes, id) };
}

/** The attempt to send a mail of a step whose record follows with its outcome. */
export interface StepAttempt {
  /** In the time of the account. */
  readonly createdAt: AccountTime;
  readonly triedAt: RealTime;
}

/** What an item says about the mail of a step. */
export interface StepMark {
  readonly mail: string;
  /** Undefined: the record of the mail says what is done about it. */
  readonly attempt?: StepAttempt | undefined;
}

/** Returns the item that names a mail of an invoice. Each step of an invoice has one mail at most. */
export function toInvoiceMailItem(invoiceId: string, step: string, { mail, attempt }: StepMark): Item {
  return { ...tableKeys.invoiceMail(invoiceId, step), mail, ...(attempt && { attempt }) };
}

/** Returns what an item of an invoice says about a mail. @throws MalformedItemError */
export const toInvoiceMail: (item: Item) => StepMark = defineItem<StepMark>(
  ({ pk, sk }) => `the mail ${sk} of ${pk}`,
  { mail: text, attempt: optional(objectOf<StepAttempt>({ createdAt: instant, triedAt: instant })) },
);
