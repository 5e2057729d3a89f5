/**
 * Decides a request to send a mail about an invoice to its buyer. The request stores the mail and its timer in one transaction. The
 * worker makes the call to SES, so a request never waits for it.
 */
import type { Clock } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { isRecordId, newMailId, type Owner } from '../../base/ids.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { MailKind } from '../accounts/mail-settings.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { isPaidBy } from '../invoices/received-money.ts';
import { requireFoundInvoice } from '../invoices/transitions.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';
import { type InvoiceMail, type SendInvoice, type ShownMail, showMail } from './mail.ts';
import { toInvoiceMailItem, toMailItem } from './mail-item.ts';
import { countMail } from './mail-limits-store.ts';
import { aboutOf, mailTimer } from './mail-timer.ts';
import { recipientOf } from './recipient.ts';
import { type MailSources, requireMailOn } from './sendable.ts';

/** How what a mail is about is found. */
interface AboutSources {
  readonly findPayment: (id: string) => Promise<Payment | undefined>;
  readonly findRefund: (id: string) => Promise<Refund | undefined>;
}

/**
 * Creates the command that stores a mail. A paid invoice gets its receipt. A reminder that somebody asks for depends on no plan: neither
 * on its days nor on a pause. The worker checks the state of the invoice again before it sends the mail.
 * @param clock the moment of the request
 * @throws ApiError `mail_off`, `mail_kind_off`, `invoice_not_found`, `no_recipient`, `mail_limit_reached`, or as `kindFor` and `requireAbout`
 */
export async function sendInvoiceCommand(
  owner: Owner,
  loaded: LoadedRecord<Invoice>,
  { to, message, kind: asked, about }: SendInvoice,
  { settings, findCustomer, ...found }: MailSources & AboutSources,
  clock: Clock,
): Promise<Command<[Invoice], ShownMail>> {
  if (env.mailFrom() === undefined) throw new ApiError('mail_off');
  const invoice = requireFoundInvoice(loaded.record);
  const kind = kindFor(invoice, asked);
  requireMailOn(settings, kind);
  await requireAbout(invoice, kind, about ?? undefined, found);
  const recipient = to ?? (await recipientOf(invoice, findCustomer));
  if (recipient === undefined) throw new ApiError('no_recipient', { field: 'to' });
  await countMail(owner, recipient, clock.account);
  const mail: InvoiceMail = {
    id: newMailId(owner.account, clock.account),
    account: owner.account,
    mode: owner.mode,
    invoiceId: invoice.id,
    kind,
    to: recipient,
    ...(about != null && { about }),
    ...(message != null && { message }),
    state: 'queued',
    createdAt: clock.account,
    askedAt: clock.real,
    version: 1,
  };
  const items = [toMailItem(mail), toInvoiceMailItem(invoice.id, `send/${mail.id}`, { mail: mail.id })];
  return new Command([loaded], (record) => {
    if (kindFor(requireFoundInvoice(record), asked) !== kind) throw new ApiError('invoice_already_paid');
    return {
      changes: [undefined],
      answer: showMail(mail),
      hasOtherEffect: true,
      timers: [mailTimer(mail, clock.account)],
      reserves: items.map((item) => ({ item, refuse: taken })),
    };
  });
}

/**
 * @throws ApiError `invoice_already_cancelled`, `payment_in_progress`, `invoice_already_paid`, `claim_open`, or `invalid_kind` for the receipt
 *   of an invoice that is not paid
 */
function kindFor(invoice: Invoice, asked: SendInvoice['kind']): InvoiceMail['kind'] {
  const { status, paymentInProgress, openCheckout, replacedBy } = invoice;
  // The money went back, whatever became of the invoice.
  if (asked === 'refund' || asked === 'credit_note') return asked;
  if (replacedBy !== undefined)
    throw new ApiError('invoice_already_cancelled', {
      message: `The invoice ${replacedBy} replaces this one. Send that one.`,
    });
  if (status === 'paid' && asked != null && asked !== 'receipt' && asked !== 'part_receipt')
    throw new ApiError('invoice_already_paid', {
      message: `The invoice is already paid, so it gets no mail of the kind ${asked}. Leave out kind to send its receipt.`,
    });
  if (status === 'paid') return asked ?? 'receipt';
  if (status === 'cancelled') throw new ApiError('invoice_already_cancelled');
  if (asked === 'part_receipt') return asked;
  if (asked === 'receipt')
    throw new ApiError('invalid_kind', {
      field: 'kind',
      message: 'The invoice is not paid, so it has no receipt. Leave out kind to send the invoice.',
    });
  if (paymentInProgress !== undefined || openCheckout !== undefined)
    throw new ApiError('payment_in_progress');
  if (asked === 'reminder' && openClaimOf(invoice)) throw new ApiError('claim_open');
  return asked ?? 'invoice';
}

/** What a mail of a kind must be about, as an error names it. */
const wantedOf: Readonly<Partial<Record<MailKind, string>>> = {
  part_receipt: 'a payment that the invoice counts',
  refund: 'a processed refund of the invoice',
  credit_note: 'a voided payment for which the invoice has a credit note',
  failure: 'a failed payment of the invoice',
};

/**
 * Checks what a mail is about. One call if its kind needs it.
 * @throws ApiError `invalid_about`
 */
async function requireAbout(
  invoice: Invoice,
  kind: MailKind,
  about: string | undefined,
  found: AboutSources,
): Promise<void> {
  const wanted = wantedOf[kind];
  const isRight =
    wanted === undefined ? about === undefined : await isAbout(invoice, kind, about ?? '', found);
  if (isRight) return;
  const message =
    wanted === undefined
      ? `A mail of the kind ${kind} is about the invoice. Leave out about.`
      : `about must be the ID of ${wanted}.`;
  throw new ApiError('invalid_about', { field: 'about', message });
}

async function isAbout(
  invoice: Invoice,
  kind: MailKind,
  about: string,
  { findPayment, findRefund }: AboutSources,
): Promise<boolean> {
  if (!isRecordId(aboutOf[kind] ?? 'payment', about)) return false;
  if (kind === 'refund') {
    const record = await findRefund(about);
    return record?.invoiceId === invoice.id && record.status === 'processed';
  }
  const record = await findPayment(about);
  if (record?.invoiceId !== invoice.id) return false;
  if (kind === 'failure') return record.status === 'failed';
  if (kind === 'part_receipt') return isPaidBy(invoice, record.id);
  return record.voidedAt !== undefined && invoice.isDocumented === true && invoice.replacedBy !== undefined;
}

const taken = (): never => {
  throw new Error('The id of a mail was made twice.');
};
