/**
 * Decides a request to send an invoice, its receipt, or a reminder of it to its buyer. The request stores the mail and its timer in one transaction. The
 * worker makes the call to SES, so a request never waits for it.
 */
import type { Clock } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { newMailId, type Owner } from '../../base/ids.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type InvoiceMail, type SendInvoice, type ShownMail, showMail } from './mail.ts';
import { toInvoiceMailItem, toMailItem } from './mail-item.ts';
import { countMail } from './mail-limits-store.ts';
import { mailTimer } from './mail-timer.ts';
import { recipientOf } from './recipient.ts';
import { type MailSources, requireMailOn } from './sendable.ts';

/**
 * Creates the command that stores a mail. A paid invoice gets its receipt. A reminder that somebody asks for depends on no plan: neither
 * on its days nor on a pause. The worker checks the state of the invoice again before it sends the mail.
 * @param clock the moment of the request
 * @throws ApiError `mail_off`, `mail_kind_off`, `invoice_not_found`, `invoice_already_cancelled`, `payment_in_progress`, `no_recipient` or
 *   `mail_limit_reached`. For a reminder also `invoice_already_paid` or `claim_open`
 */
export async function sendInvoiceCommand(
  owner: Owner,
  loaded: LoadedRecord<Invoice>,
  { to, message, kind: asked }: SendInvoice,
  { settings, findCustomer }: MailSources,
  clock: Clock,
): Promise<Command<[Invoice], ShownMail>> {
  if (env.mailFrom() === undefined) throw new ApiError('mail_off');
  const invoice = requirePresent(loaded.record);
  const kind = kindFor(invoice, asked);
  requireMailOn(settings, kind);
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
    ...(message != null && { message }),
    state: 'queued',
    createdAt: clock.account,
    askedAt: clock.real,
    version: 1,
  };
  const items = [toMailItem(mail), toInvoiceMailItem(invoice.id, `send/${mail.id}`, { mail: mail.id })];
  return new Command([loaded], (record) => {
    if (kindFor(requirePresent(record), asked) !== kind) throw new ApiError('invoice_already_paid');
    return {
      changes: [undefined],
      answer: showMail(mail),
      hasOtherEffect: true,
      timers: [mailTimer(mail, clock.account)],
      reserves: items.map((item) => ({ item, refuse: taken })),
    };
  });
}

/** @throws ApiError `invoice_already_cancelled` or `payment_in_progress`, for a reminder also `invoice_already_paid` or `claim_open` */
function kindFor(invoice: Invoice, asked: SendInvoice['kind']): InvoiceMail['kind'] {
  const { status, paymentInProgress, openCheckout, replacedBy } = invoice;
  if (replacedBy !== undefined)
    throw new ApiError('invoice_already_cancelled', {
      message: `The invoice ${replacedBy} replaces this one. Send that one.`,
    });
  if (status === 'paid' && asked === 'reminder')
    throw new ApiError('invoice_already_paid', {
      message: 'The invoice is already paid, so it gets no reminder. Leave out kind to send its receipt.',
    });
  if (status === 'paid') return 'receipt';
  if (status === 'cancelled') throw new ApiError('invoice_already_cancelled');
  if (paymentInProgress !== undefined || openCheckout !== undefined)
    throw new ApiError('payment_in_progress');
  if (asked === 'reminder' && openClaimOf(invoice)) throw new ApiError('claim_open');
  return asked ?? 'invoice';
}

function requirePresent(invoice: Invoice | undefined): Invoice {
  if (!invoice) throw new ApiError('invoice_not_found');
  return invoice;
}

const taken = (): never => {
  throw new Error('The id of a mail was made twice.');
};
