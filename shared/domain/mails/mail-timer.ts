/** Converts between a mail and its timer, and between a step of an invoice and its timer. */
import { isRecordId, type Mode, modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { type MailKind, mailKinds } from '../accounts/mail-settings.ts';
import type { Invoice } from '../invoices/invoice.ts';

/** Returns the timer that leads to a mail. The mails of one account form one group, so a long backlog holds up no other account. */
export function mailTimer({ account, mode, id }: Owner & { readonly id: string }, due: Instant): Timer {
  return { due, kind: 'mail', reference: [account, mode, id].join('/'), group: account };
}

/** Returns the owner and the id of the mail that a timer names. Undefined: its reference does not have that form. */
export function mailReferenceOf({
  reference,
}: Pick<Timer, 'reference'>): (Owner & { readonly id: string }) | undefined {
  const [account = '', mode, id = '', ...more] = reference.split('/');
  const isMode = modes.some((each) => each === mode);
  return isMode && isRecordId('mail', id) && more.length === 0
    ? { account, mode: mode as Mode, id }
    : undefined;
}

/** A mail of an invoice that goes by itself. Each step has one mail at most. */
export interface StepReference extends Owner {
  readonly invoiceId: string;
  readonly kind: MailKind;
  /** Only of a reminder: its day, from the due date. */
  readonly reminderDay?: number | undefined;
  /** The id of the refund or of the payment. Only of a mail about one. */
  readonly about?: string | undefined;
}

/** Returns the name of a step, unique within its invoice. */
export const mailStepName = ({
  kind,
  reminderDay,
  about,
}: Pick<StepReference, 'kind' | 'reminderDay' | 'about'>): string =>
  [kind, reminderDay ?? about].filter((part) => part !== undefined).join('/');

/** Returns the timer that leads to the mail of a step. Its mail may not be stored yet, and may never be. */
export function stepTimer(step: StepReference, due: Instant): Timer {
  const { account, mode, invoiceId } = step;
  const reference = [account, mode, invoiceId, mailStepName(step)].join('/');
  return { due, kind: 'mail', reference, group: account };
}

/** The document of a change is issued by then, mostly. A mail that waits for it costs three more writes. In milliseconds. */
export const documentMs = 1_000;

/** Returns the timer of the mail with a new invoice. @param now in the time that the caller sets timers in */
export function newInvoiceTimer({ account, mode, id, isDocumented }: Invoice, now: Instant): Timer {
  const step = { account, mode, invoiceId: id, kind: 'invoice' } as const;
  return stepTimer(step, isDocumented ? now + documentMs : now);
}

/** What a mail is about, if an invoice can have more than one of the kind. */
export const aboutOf: Readonly<Partial<Record<MailKind, 'refund' | 'payment'>>> = {
  part_receipt: 'payment',
  refund: 'refund',
  credit_note: 'payment',
  failure: 'payment',
};

/** Returns the step that a timer names. Undefined: its reference does not have that form, or another release knows the step. */
export function stepReferenceOf({ reference }: Pick<Timer, 'reference'>): StepReference | undefined {
  const [account = '', mode, invoiceId = '', kind, detail, ...more] = reference.split('/');
  const ownMode = modes.find((each) => each === mode);
  const ownKind = mailKinds.find((each) => each === kind);
  if (!ownMode || !ownKind || !isRecordId('invoice', invoiceId) || more.length > 0) return undefined;
  const step = { account, mode: ownMode, invoiceId, kind: ownKind };
  if (ownKind === 'reminder')
    return detail !== undefined && /^-?\d+$/.test(detail)
      ? { ...step, reminderDay: Number(detail) }
      : undefined;
  const resource = aboutOf[ownKind];
  if (resource)
    return detail !== undefined && isRecordId(resource, detail) ? { ...step, about: detail } : undefined;
  return detail === undefined ? step : undefined;
}
