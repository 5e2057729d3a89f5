/** Makes the message of a mail from its invoice as it is now, or says why nothing is sent. */
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { isMailOn, isMailSendable, localeOfMails } from '../../domain/accounts/mail-settings.ts';
import { type PageSettings, toPageSettings } from '../../domain/accounts/page-settings.ts';
import type { StoredDocument } from '../../domain/documents/document-item.ts';
import { creditNoteIdOf, creditNoteIdOfVoid } from '../../domain/documents/document-order.ts';
import { readDocument } from '../../domain/documents/document-store.ts';
import { type NumberedInvoice, readNumberedInvoice } from '../../domain/documents/invoice-number-store.ts';
import { openClaimOf } from '../../domain/invoices/claim.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { amountDueOf, amountPaidOf, isCredited, isPaidBy } from '../../domain/invoices/received-money.ts';
import { hasDefaultDueDate } from '../../domain/invoices/transitions.ts';
import { amountReturnedOf } from '../../domain/journal/chart.ts';
import { hasLink, type InvoiceMail, type MailReason, noAddress } from '../../domain/mails/mail.ts';
import { parseMailAddress, toHeaderText } from '../../domain/mails/mail-text.ts';
import { aboutOf } from '../../domain/mails/mail-timer.ts';
import { unsubscribeUrl } from '../../domain/mails/unsubscribe-token.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { readPayment } from '../../domain/payments/payment-store.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { readRefund } from '../../domain/refunds/refund-store.ts';
import { hasCreditNote } from '../../domain/refunds/transitions.ts';
import { documentPdf } from '../documents/document-file.ts';
import { reasonOfAddress } from './allowed-address.ts';
import { composeMail } from './compose-mail.ts';
import { readLogoPart } from './mail-logo.ts';
import { type MailView, renderMail } from './render-mail.ts';

/** The document of a payment or a refund follows within a second. One of before the account issued documents has none. */
const documentWithinMs = 60_000;

/** What a mail is made from. */
export interface Sources extends NumberedInvoice {
  /** That of a mail about a refund. */
  readonly refund: Refund | undefined;
  /** That of a mail about a payment. */
  readonly payment: Payment | undefined;
  readonly account: Account | undefined;
  /** Of a reminder: whether a dispute about a part of the invoice is open. */
  readonly isDisputed?: boolean;
}

/** Settings that are some seconds old could skip a mail that was just switched on, so they are read as they are now. */
export async function readMailSources(
  mail: Owner & Pick<InvoiceMail, 'invoiceId' | 'kind' | 'about'>,
): Promise<Sources> {
  const { kind, about } = mail;
  const reads = (resource: 'refund' | 'payment') => about !== undefined && aboutOf[kind] === resource;
  const [numbered, account, refund, payment] = await Promise.all([
    readNumberedInvoice(mail, mail.invoiceId),
    readAccount(mail.account),
    reads('refund') ? readRefund(mail, about ?? '') : undefined,
    reads('payment') ? readPayment(mail, about ?? '') : undefined,
  ]);
  const isDisputed =
    kind === 'reminder' && numbered.invoice && (await hasOpenDispute(mail, numbered.invoice));
  return {
    ...{ ...numbered, account, refund: refund?.record, payment: payment?.record },
    ...(isDisputed && { isDisputed }),
  };
}

/** Whether a payer disputes a part of an open invoice. A reminder would ask them for more money. */
async function hasOpenDispute(owner: Owner, { parts = [] }: Invoice): Promise<boolean> {
  const payments = await Promise.all(parts.map(({ paymentId }) => readPayment(owner, paymentId)));
  return payments.some(({ record }) => record?.dispute?.status === 'open');
}

interface Email {
  readonly from: string;
  readonly to: string;
  readonly source: Buffer;
}

/** The message to send, or why nothing is sent now or ever. */
export type Prepared =
  | { readonly email: Email }
  | { readonly skip: MailReason }
  | { readonly wait: MailReason };

/** Makes the message of a mail from what is known now. @throws MalformedItemError */
export async function prepareMail(mail: InvoiceMail, sources: Sources, now: RealTime): Promise<Prepared> {
  const from = parseMailAddress(env.mailFrom() ?? '');
  const to = parseMailAddress(mail.to);
  const { account, invoice, refund } = sources;
  if (!account) return { skip: 'account_closed' };
  const settings = toPageSettings(account);
  const skip = invoice && reasonToSkip(mail, { ...sources, invoice }, settings);
  if (skip !== undefined) return { skip };
  if (!from) return { skip: 'mail_off' };
  if (!invoice || !to) return { skip: mail.to === noAddress ? 'no_recipient' : 'rejected' };
  const refused = await reasonOfAddress(mail, mail.mode === 'test');
  if (refused) return { skip: refused };
  const document = await findDocument(mail, sources);
  if (!document && isDocumented(invoice, refund) && !isDocumentOverdue(mail, now))
    return { wait: 'no_document_yet' };
  const { payee = document?.content.seller.name, contact, timeZone, mailName, mailReplyTo } = settings;
  const locale = invoice.locale ?? localeOfMails(settings);
  const sender = mailName ?? payee;
  const stop = mail.kind === 'reminder' ? await unsubscribeUrl(invoice.paymentUrl, mail.id) : undefined;
  // No document is issued for a part: the document of its invoice has the name and the logo of the seller.
  const attached = mail.kind === 'part_receipt' ? undefined : document;
  const logo = document && (await readLogoPart(mail.account, document.content.seller));
  const rendered = renderMail({
    kind: mail.kind,
    locale,
    payee,
    number: refund || mail.kind === 'part_receipt' ? sources.number : document?.number,
    ...moneyOf(mail, sources, invoice, document),
    currency: invoice.currency,
    // Somebody with a stolen key could lead payers elsewhere. The page of the invoice shows it.
    description: hasLink(invoice.description) ? undefined : invoice.description,
    dueAt: Date.parse(invoice.dueDate),
    isDefaultDueDate: hasDefaultDueDate(invoice),
    isBankRefund: refund !== undefined && !refund.isOffline,
    timeZone,
    paymentUrl: invoice.paymentUrl,
    unsubscribeUrl: stop,
    message: mail.message,
    isTest: mail.mode === 'test',
    hasDocument: attached !== undefined,
    logo: logo?.picture,
  });
  const source = await composeMail({
    ...rendered,
    id: mail.id,
    from,
    fromName: sender === undefined ? undefined : toHeaderText(sender),
    to,
    replyTo: parseMailAddress(mailReplyTo ?? contact ?? ''),
    unsubscribeUrl: stop,
    logo,
    pdf: attached && (await pdfOf(mail.account, attached, locale)),
  });
  return { email: { from, to, source } };
}

/** Returns the amount that a mail is about, what is still due after it, and when the money moved. */
function moneyOf(
  { kind }: InvoiceMail,
  { refund, payment }: Sources,
  invoice: Invoice,
  document: StoredDocument | undefined,
): Pick<MailView, 'amountMinor' | 'dueMinor' | 'doneAt'> {
  if (refund) return { amountMinor: refund.amount, doneAt: refund.processedAt };
  if (kind === 'receipt') return { amountMinor: amountPaidOf(invoice), doneAt: invoice.updatedAt };
  if (kind === 'part_receipt' && payment)
    return { amountMinor: payment.amount, dueMinor: amountDueOf(invoice), doneAt: payment.updatedAt };
  const amountMinor =
    kind === 'credit_note' ? (document?.content.amount ?? invoice.amount) : amountDueOf(invoice);
  return { amountMinor, doneAt: undefined };
}

async function pdfOf(account: string, { content }: StoredDocument, locale: NonNullable<Invoice['locale']>) {
  const { name, bytes } = await documentPdf(account, content, { paper: 'a4', locale, isCancelled: false });
  return { name: toHeaderText(name), bytes };
}

/** Why the state of an invoice, or of its account, does not allow a mail. */
export function reasonToSkip(
  { kind, reminderDay }: Pick<InvoiceMail, 'kind' | 'reminderDay'>,
  {
    invoice,
    refund,
    payment,
    isDisputed,
  }: Pick<Partial<Sources>, 'refund' | 'payment' | 'isDisputed'> & { readonly invoice: Invoice },
  settings: PageSettings,
): MailReason | undefined {
  const { status, paymentInProgress, openCheckout } = invoice;
  if (settings.closed) return 'account_closed';
  // A reminder without a day is one that somebody asked for.
  const isOn = reminderDay === undefined ? isMailSendable : isMailOn;
  if (!isOn(settings, kind)) return 'switched_off';
  if (kind === 'refund') return refund?.status === 'processed' ? undefined : 'refund_failed';
  if (kind === 'credit_note') return payment?.voidedAt === undefined ? 'rejected' : undefined;
  if (status === 'cancelled') return 'invoice_cancelled';
  // A void credits the invoice that its payment has paid, and moves the other payments to the one that replaces it.
  const isReceipt = kind === 'receipt' || kind === 'part_receipt';
  if (isReceipt && (isCredited(invoice) || payment?.voidedAt !== undefined)) return 'payment_voided';
  if (kind === 'part_receipt')
    return payment && countsPart(invoice, payment) ? undefined : 'payment_returned';
  if (kind === 'receipt') {
    if (status !== 'paid') return 'invoice_not_paid';
    return amountReturnedOf(invoice) >= amountPaidOf(invoice) ? 'payment_returned' : undefined;
  }
  if (status === 'paid') return 'invoice_paid';
  if (kind === 'reminder' && openClaimOf(invoice)) return 'claim_open';
  if (isDisputed) return 'payment_disputed';
  return paymentInProgress === undefined && openCheckout === undefined ? undefined : 'payment_in_progress';
}

/** Whether an invoice still counts money of a payment. */
const countsPart = (invoice: Invoice, { id, amount, amountRefunded }: Payment): boolean =>
  isPaidBy(invoice, id) && amountRefunded < amount;

/** Returns the document that a mail is about. Undefined: it is not issued yet, or the account issues none. */
async function findDocument(
  { kind }: InvoiceMail,
  { invoice, issued, refund, payment }: Sources,
): Promise<StoredDocument | undefined> {
  if (!invoice || !issued) return undefined;
  if (refund) return readDocument(invoice, creditNoteIdOf(refund) ?? '');
  if (kind === 'credit_note') return readDocument(invoice, creditNoteIdOfVoid(payment) ?? '');
  if (kind !== 'receipt') return readDocument(invoice, issued.lastIssue);
  // The receipt is the first document after the last issue, before credit notes. Of several payments, the last one has paid it.
  const after = issued.documents.slice(issued.documents.indexOf(issued.lastIssue) + 1);
  for (const id of invoice.parts ? after.reverse() : after) {
    const document = await readDocument(invoice, id);
    if (document?.kind === 'receipt') return document;
  }
  return undefined;
}

/** Whether a document belongs to a mail. Not every refund has a credit note. */
const isDocumented = (invoice: Invoice, refund: Refund | undefined): boolean =>
  refund ? hasCreditNote(invoice, refund) : invoice.isDocumented === true;

const isDocumentOverdue = ({ kind, askedAt }: InvoiceMail, now: RealTime): boolean =>
  (kind === 'receipt' || kind === 'part_receipt' || kind === 'refund') && now >= askedAt + documentWithinMs;
