/** Shows an invoice with its payments, refunds and events as a timeline. */
import { html } from 'hono/html';
import { showMetadata } from '../../../base/metadata.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { reminderPlanOf } from '../../../domain/accounts/reminder-plan.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { type Invoice, showInvoice } from '../../../domain/invoices/invoice.ts';
import { amountDueOf, amountPaidOf, hasParts } from '../../../domain/invoices/received-money.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { amountReturnedOf } from '../../../domain/journal/chart.ts';
import { type MailReason, noAddress } from '../../../domain/mails/mail.ts';
import { renderChargesTable } from '../../pages/charges.ts';
import { formatDate } from '../../pages/dates.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderId, renderScrolled } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { readPaymentWays } from '../payment-warning.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { listLink } from '../records/list-query.ts';
import {
  renderAmount,
  renderButtonLink,
  renderCopy,
  renderIdLink,
  renderInvoiceStatus,
  renderText,
} from '../records/record-elements.ts';
import { fieldNames, textFor } from '../records/record-texts.ts';
import { renderDueDate, renderTime } from '../times.ts';
import { renderClaim } from './claim-view.ts';
import { type InvoiceDetail, readInvoiceDetail } from './invoice-queries.ts';
import { acceptPartialField, invoiceTexts, lineTexts, momentTexts } from './invoice-texts.ts';
import { renderInvoiceWarning } from './invoice-warning.ts';
import {
  allowAddressText,
  mailKindTexts,
  mailWithoutAddress,
  reminderDayText,
  sendTexts,
} from './mail-texts.ts';
import { buyerRows } from './party-rows.ts';
import { reminderRow } from './pause-reminders.ts';
import { reasonTextOf } from './suppressed-addresses.ts';
import type { Moment } from './timeline.ts';

export const invoicePage: DashboardPage = {
  path: '/invoices/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const owner = requestOwnerOf(request);
    const [detail, ways, account] = await Promise.all([
      readInvoiceDetail(owner, params.id ?? '', context.now),
      readPaymentWays(context),
      readAccount(owner.account),
    ]);
    if (!detail) return undefined;
    return {
      title: detail.documents ? `${invoiceTexts.one} ${detail.documents.number}` : invoiceTexts.one,
      section: 'invoices',
      aside: renderInvoiceActions(context, detail.invoice),
      content: html`${renderInvoiceWarning(context, ways, detail.invoice)}<section class="card">${renderInvoiceSummary(context, detail.invoice, detail.names)}
${renderDefinitions([
  ...documentRows(detail),
  [fieldNames.id, renderId(detail.invoice.id)],
  [invoiceTexts.paymentLink, renderCopy(detail.invoice.paymentUrl, invoiceTexts.paymentLink)],
  [fieldNames.created, renderTime(context, detail.invoice.createdAt)],
  [fieldNames.changed, renderTime(context, detail.invoice.updatedAt)],
  reminderRow(context, detail.invoice, account && reminderPlanOf(account), context.moment.account),
  detail.invoice.reference === undefined
    ? undefined
    : [fieldNames.ownReference, renderText(detail.invoice.reference)],
  relatedRow(context, invoiceTexts.replaces, detail.invoice.replaces),
  relatedRow(context, invoiceTexts.replacedBy, detail.invoice.replacedBy),
  ...scheduleRows(context, detail.invoice),
  ...Object.entries(showMetadata(detail.invoice.metadata)).map(
    ([key, text]) => [html`${fieldNames.metadata}: ${isolateDirection(key)}`, renderText(text)] as const,
  ),
])}</section>
${await renderClaim(context, detail.invoice)}<section class="card"><h2>${invoiceTexts.timeline}</h2>${renderTimeline(context, detail)}</section>`,
    };
  },
};

/** Returns the rows with the number of the invoice and its credit notes, each with a link to its PDF. Payers open the same addresses. */
function documentRows({ invoice, documents }: InvoiceDetail): (readonly [string, Markup])[] {
  if (!documents) return [];
  const pdf = `${invoice.paymentUrl}/pdf`;
  const row = (title: string, number: string, link: string) =>
    [title, html`${isolateDirection(number)} <a href="${link}">${invoiceTexts.pdf}</a>`] as const;
  return [
    row(invoiceTexts.number, documents.number, pdf),
    ...documents.creditNotes.map(({ id, number }) =>
      row(invoiceTexts.creditNote, number, `${pdf}?document=${id}`),
    ),
  ];
}

/** Returns the row with a link to another invoice, if there is one. */
const relatedRow = (context: DashboardContext, name: string, id: string | undefined) =>
  id === undefined ? undefined : ([name, renderIdLink(context, '/invoices', id)] as const);

/** Returns the rows with the schedule of an invoice or a draft, and the days that it is for. */
export const scheduleRows = (
  context: DashboardContext,
  { scheduleId, period }: Pick<Invoice, 'scheduleId' | 'period'>,
): (readonly [string, Markup])[] =>
  scheduleId === undefined || period === undefined
    ? []
    : [
        [invoiceTexts.schedule, renderIdLink(context, '/schedules', scheduleId)],
        [
          invoiceTexts.period,
          html`${formatDate(Date.parse(period.start))} – ${formatDate(Date.parse(period.end))}`,
        ],
      ];

/** Reads the name of the customer of an invoice, and renders what the invoice asks for. One call, or none. */
export async function showInvoiceSummary(context: DashboardContext, invoice: Invoice): Promise<Markup> {
  const names = await readCustomerNames(requestOwnerOf({ context }), [invoice]);
  return renderInvoiceSummary(context, invoice, names);
}

/** Renders what an invoice asks for: the amount, the status, the customer, the due date and the description. */
function renderInvoiceSummary(context: DashboardContext, invoice: Invoice, names: CustomerNames): Markup {
  const { charges, amount, currency } = invoice;
  // Nobody owes what a cancelled invoice charges, so all that it received counts.
  const refunded = invoice.status === 'cancelled' ? (invoice.refundedMinor ?? 0) : amountReturnedOf(invoice);
  return html`<p class="sum">${renderAmount(invoice.amount, invoice.currency)} ${renderInvoiceStatus(invoice)}</p>
${renderDefinitions([
  [fieldNames.customer, renderCustomerName(context, names, invoice)],
  ...buyerRows(invoice),
  [fieldNames.due, renderDueDate(context, showInvoice(invoice).dueDate)],
  ...(hasParts(invoice)
    ? ([
        [invoiceTexts.amountPaid, renderAmount(amountPaidOf(invoice), currency)],
        [invoiceTexts.amountDue, renderAmount(amountDueOf(invoice), currency)],
      ] as const)
    : []),
  invoice.acceptPartial ? [acceptPartialField.label, acceptPartialField.choices[1][1]] : undefined,
  refunded > 0 ? [fieldNames.refunded, renderAmount(refunded, currency)] : undefined,
  [fieldNames.description, renderText(invoice.description)],
])}${charges && renderScrolled(lineTexts.table, renderChargesTable({ charges, currency, amount }, lineTexts.table))}`;
}

function renderInvoiceActions({ can, url }: DashboardContext, invoice: Invoice): Markup | undefined {
  const path = `/invoices/${invoice.id}`;
  const sendText = invoice.status === 'paid' ? sendTexts.sendReceipt : sendTexts.send;
  const isOwed = invoice.status !== 'cancelled' && invoice.replacedBy === undefined;
  const isSendable = isOwed && can('invoices:write');
  const duplicate = listLink(url('/invoices/new'), { from: invoice.id });
  const repeat = listLink(url('/schedules/new'), { from: invoice.id });
  const send = html`${isSendable && renderButtonLink(url(`${path}/send`), sendText)}${can('invoices:write') && renderButtonLink(duplicate, invoiceTexts.duplicate)}${can('invoices:write') && renderButtonLink(repeat, invoiceTexts.repeat)}`;
  if (!isPayable(invoice)) {
    const takesMore = invoice.status === 'paid' && isOwed && can('payments:record');
    const more = takesMore && renderButtonLink(url(`${path}/payment`), invoiceTexts.recordMore);
    return takesMore || can('invoices:write') ? html`<div class="buttons">${send}${more}</div>` : undefined;
  }
  return html`<div class="buttons">${send}${can('payments:record') ? renderButtonLink(url(`${path}/payment`), invoiceTexts.markPaid) : ''}${
    can('invoices:write')
      ? html`${invoice.status === 'pending' ? renderButtonLink(url(`${path}/edit`), invoiceTexts.edit) : ''}${renderButtonLink(url(`${path}/replace`), invoiceTexts.replace)}${renderButtonLink(url(`${path}/cancel`), invoiceTexts.cancel)}`
      : ''
  }</div>`;
}

function renderTimeline(context: DashboardContext, detail: InvoiceDetail): Markup {
  const { moments, unlisted, hidden } = detail;
  return html`<ol class="timeline">${moments.map((moment) => renderMoment(context, detail, moment))}</ol>
${unlisted > 0 ? html`<p class="hint">${invoiceTexts.unlisted(unlisted)}</p>` : ''}${hidden > 0 ? html`<p class="hint">${invoiceTexts.hidden(hidden)}</p>` : ''}`;
}

function renderMoment(
  context: DashboardContext,
  detail: InvoiceDetail,
  { kind, at, record, event, mail }: Moment,
): Markup {
  const { currency } = detail.invoice;
  const amount = record.amount === undefined ? '' : html` ${renderAmount(record.amount, currency)}`;
  const over = record.amountOver
    ? html`<p class="soft">${invoiceTexts.amountOver}: ${renderAmount(record.amountOver, currency)}</p>`
    : '';
  const link = record.id.startsWith('pay_') ? renderIdLink(context, '/payments', record.id) : '';
  const eventLink =
    event !== undefined && detail.events.has(event)
      ? html`<a href="${context.url(`/events/${event}`)}">${invoiceTexts.eventLink}<span class="hidden"> ${momentTexts[kind]}</span></a>`
      : '';
  return html`<li class="${kind.split('.')[1] ?? ''}"><p><strong>${momentTexts[kind]}</strong>${amount}</p>${over}<p class="soft">${renderTime(context, at)} ${eventLink}</p>${link && html`<p>${link}</p>`}${mail && renderMail(mail, detail)}${mail && isSentAgain(kind, mail) && renderSendAgain(context, detail, mail)}${mail && renderAllow(context, detail, record.id, mail.to)}</li>`;
}

/** Why a mail that somebody asked for was not sent, until a setting or the address changes. */
const mendable: readonly MailReason[] = ['switched_off', 'mail_off', 'no_recipient'];

/** Whether a mail can be needed still: nobody knows its outcome, or it was not sent for a reason that somebody can mend. */
const isSentAgain = (kind: Moment['kind'], { reason }: NonNullable<Moment['mail']>): boolean =>
  kind === 'mail.unknown' || (kind === 'mail.skipped' && reason !== undefined && mendable.includes(reason));

/** Returns the button that sends a mail again. */
function renderSendAgain(
  { can, url }: DashboardContext,
  { invoice }: InvoiceDetail,
  { kind, about }: NonNullable<Moment['mail']>,
): Markup | '' {
  if (!can('invoices:write')) return '';
  const path = listLink(url(`/invoices/${invoice.id}/send`), { kind, ...(about !== undefined && { about }) });
  return html`<div class="buttons">${renderButtonLink(path, sendTexts.again)}</div>`;
}

/** Returns the button that allows mails to an address again. */
function renderAllow(
  context: DashboardContext,
  { invoice, suppressed }: InvoiceDetail,
  mail: string,
  to: string,
): Markup | '' {
  if (!suppressed.has(to) || !context.can('invoices:write')) return '';
  const action = context.url(`/invoices/${invoice.id}/mails/${mail}/allow-address`);
  return renderForm(context, { action, submit: allowAddressText, content: html`` });
}

function renderMail(mail: NonNullable<Moment['mail']>, { suppressed }: InvoiceDetail): Markup {
  const { kind, to, reminderDay } = mail;
  const reason = reasonTextOf(mail, suppressed);
  const why = reason && html`<p class="soft">${reason}</p>`;
  const when = reminderDay === undefined ? '' : ` ${reminderDayText(reminderDay)}`;
  const address = to === noAddress ? mailWithoutAddress : isolateDirection(to);
  return html`<p>${textFor(mailKindTexts, kind)}${when}: ${address}</p>${why}`;
}
