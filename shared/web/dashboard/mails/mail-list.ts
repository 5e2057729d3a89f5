/** Shows all mails of an account, to its customers and to its members, and what came of each. */
import { html } from 'hono/html';
import { readInvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { listMailsQuery, noAddress, type ShownMail } from '../../../domain/mails/mail.ts';
import { listMailPage } from '../../../domain/mails/mail-store.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { renderInvoiceLink } from '../invoices/invoice-list.ts';
import {
  allowAddressText,
  mailKindTexts,
  mailStateTexts,
  mailWithoutAddress,
} from '../invoices/mail-texts.ts';
import { readSuppressed, reasonTextOf } from '../invoices/suppressed-addresses.ts';
import { parseListQuery } from '../records/list-query.ts';
import { renderButtonLink, renderStatus } from '../records/record-elements.ts';
import { renderCursorPages, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { mailListTexts } from './mail-list-texts.ts';

export const mailListPage: DashboardPage = {
  path: '/mails',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const owner = requestOwnerOf(request);
    const { query, errors } = parseListQuery(listMailsQuery, request, ['before']);
    const { data, cursor } = await listMailPage(owner, query);
    const invoices = [...new Set(data.flatMap(({ invoiceId }) => invoiceId ?? []))];
    const [numbers, suppressed] = await Promise.all([
      readInvoiceNumbers(owner, invoices),
      readSuppressed(owner, data),
    ]);
    const next = cursor.hasMore ? cursor.next : undefined;
    const isLaterPage = query.before !== undefined;
    return {
      title: mailListTexts.title,
      section: 'settings',
      aside: renderButtonLink(context.url('/mails/preview'), mailListTexts.preview),
      content: html`<p class="soft">${mailListTexts.explanation}</p>${renderList({
        link: context.url('/mails'),
        filters: {},
        errors,
        table: data.length > 0 ? renderMails(context, data, { numbers, suppressed }) : undefined,
        pages: (linkTo) => renderCursorPages(linkTo, { isLaterPage, next }, mailListTexts),
        isLaterPage,
        empty: mailListTexts.empty,
        noMatch: mailListTexts.empty,
      })}`,
    };
  },
};

/** What is known of the mails of a page beside their records. */
interface Known {
  /** By the ids of the invoices. */
  readonly numbers: ReadonlyMap<string, string>;
  /** The addresses to which the account sends nothing any more. */
  readonly suppressed: ReadonlySet<string>;
}

const columns = [
  { title: mailListTexts.kind },
  { title: mailListTexts.to },
  { title: fieldNames.status },
  { title: fieldNames.invoice },
  { title: fieldNames.time },
];

function renderMails(context: DashboardContext, mails: readonly ShownMail[], known: Known): Markup {
  const rows = mails.map((mail) => [
    mailKindTexts[mail.kind],
    html`<div>${mail.to === noAddress ? mailWithoutAddress : isolateDirection(mail.to)}${renderAllow(context, mail, known)}</div>`,
    renderState(mail, known),
    mail.invoiceId === null
      ? ''
      : renderInvoiceLink(context, {
          id: mail.invoiceId,
          number: known.numbers.get(mail.invoiceId) ?? null,
        }),
    renderShortTime(context, Date.parse(mail.outcomeAt ?? mail.sentAt ?? mail.createdAt)),
  ]);
  return renderTable(mailListTexts.table, columns, rows);
}

/** A mail of a newer release can have a state that this release does not know. */
function renderState(mail: ShownMail, { suppressed }: Known): Markup {
  const badge = renderStatus(mail.state, mailStateTexts);
  const reason = reasonTextOf(mail, suppressed);
  return reason === '' ? badge : html`<div>${badge}<p class="soft">${reason}</p></div>`;
}

/** Returns the button that allows mails to an address again. */
function renderAllow(context: DashboardContext, { id, to }: ShownMail, { suppressed }: Known): Markup | '' {
  if (!suppressed.has(to) || !context.can('invoices:write')) return '';
  const action = context.url(`/mails/${id}/allow-address`);
  return renderForm(context, { action, submit: allowAddressText, style: 'plain', content: html`` });
}
