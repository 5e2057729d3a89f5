/** Describes how mails are stored, and the items that name the mails of an invoice. */
import { modes } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import {
  defineItem,
  flag,
  instant,
  integer,
  MalformedItemError,
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

/** Returns the item that names a mail of an invoice. Each step of an invoice has one mail at most. */
export function toInvoiceMailItem(invoiceId: string, step: string, mailId: string): Item {
  return { ...tableKeys.invoiceMail(invoiceId, step), mail: mailId };
}

/** Returns the id of the mail that an item of an invoice names. @throws MalformedItemError */
export const toInvoiceMail: (item: Item) => { readonly mail: string } = defineItem<{ readonly mail: string }>(
  ({ pk, sk }) => `the mail ${sk} of ${pk}`,
  { mail: text },
);
