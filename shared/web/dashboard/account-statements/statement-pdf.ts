/** Makes the PDF of a statement of account in one currency, with the template of documents. In English. */
import { html } from 'hono/html';
import { logger } from '../../../base/log.ts';
import { type Currency, currencies, formatAmount } from '../../../base/money.ts';
import type { AccountStatement } from '../../../domain/account-statements/statement.ts';
import { dayIn } from '../../../domain/accounts/fiscal-year.ts';
import { readLogo } from '../../../domain/accounts/logo-store.ts';
import type { Seller } from '../../../domain/accounts/seller.ts';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import { customerNameOf } from '../../../domain/invoices/customer-names.ts';
import { formatSigned } from '../../charge-rows.ts';
import type { DocumentData } from '../../documents/document-data.ts';
import { formatAddress, formatDay, formatTaxId } from '../../documents/formats.ts';
import { languages } from '../../documents/languages.ts';
import { renderData } from '../../documents/render-document.ts';
import { formatShortDate } from '../../pages/dates.ts';
import type { DashboardContext } from '../context.ts';
import { type CustomerStatement, readAccountStatement } from '../customers/read-statement.ts';
import { statementTexts as texts } from '../customers/statement-texts.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';

/** More rows take longer than a request may. */
const maxRows = 2000;
const { tag, document: documentTexts } = languages.en;

export const statementPdf: DashboardPage = {
  path: '/account-statements/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, query } = request;
    const currency = currencies.find((each) => each === query.get('currency'));
    const [found, seller] = await Promise.all([readAccountStatement(request), readSeller(context.account)]);
    if (!found || !currency) return undefined;
    if (found.error !== undefined) return refuse(context, found, found.error);
    const statement = found.statements?.find((each) => each.currency === currency) ?? empty(currency);
    if (!found.statements || statement.rows.length > maxRows)
      return refuse(context, found, texts.tooLong(maxRows));
    const logo = seller?.logo ?? null;
    const rendered = await renderData(toData(context, found, statement, seller), {
      ...{ paper: 'a4', locale: 'en', paymentUrl: null, qr: undefined },
      color: seller?.color,
      day: dayIn(context.timeZone, context.moment.account),
      logo,
      logoBytes: logo ? await readLogo(context.account, logo) : undefined,
    });
    if (rendered.lacksLogo) logger.error('logo missing', { account: context.account, logo: logo?.sha256 });
    const { from, to } = found.range;
    return {
      file: { name: `statement-${found.customer.id}-${currency}-${from}-${to}.pdf`, pdf: rendered.pdf },
    };
  },
};

const empty = (currency: Currency): AccountStatement => ({ currency, opening: 0, rows: [], closing: 0 });

function refuse({ url }: DashboardContext, { customer }: CustomerStatement, message: string): DashboardView {
  return {
    title: texts.title,
    section: 'customers',
    status: 400,
    content: html`<section class="card"><p>${message}</p><p><a href="${url(`/customers/${customer.id}/statement`)}">${texts.title}</a></p></section>`,
  };
}

/** Returns what the template shows. */
function toData(
  { accountName, mode, timeZone, moment }: DashboardContext,
  { customer, range, numbers }: CustomerStatement,
  { currency, opening, rows, closing }: AccountStatement,
  seller: Seller | undefined,
): DocumentData {
  const signed = (value: number) => formatSigned(value, currency);
  const entry = (first: string, charged: string, credited: string, balance: number) => [
    first,
    charged,
    credited,
    signed(balance),
  ];
  const nameOf = (day: string, text: string) => `${formatShortDate(Date.parse(day))}  ${text}`;
  const lines = rows.map(({ at, kind, amount, invoiceId, balance }) =>
    entry(
      `${formatShortDate(at, timeZone)}  ${texts.kinds[kind]} ${numbers.get(invoiceId) ?? invoiceId}`,
      amount > 0 ? formatAmount(amount, currency) : '',
      amount < 0 ? formatAmount(-amount, currency) : '',
      balance,
    ),
  );
  const table = [
    entry(nameOf(range.from, texts.opening), '', '', opening),
    ...lines,
    entry(nameOf(range.to, texts.closing), '', '', closing),
  ];
  return {
    title: texts.title,
    mark: mode === 'test' ? documentTexts.test : null,
    copy: [],
    seller: {
      name: seller?.legalName ?? accountName,
      lines: seller ? [...formatAddress(seller.address, tag), ...seller.taxIds.map(formatTaxId)] : [],
    },
    facts: [
      [texts.day, formatDay(dayIn(timeZone, moment.account), tag)],
      [texts.from, formatDay(range.from, tag)],
      [texts.to, formatDay(range.to, tag)],
      [texts.currency, currency],
    ],
    buyer: {
      label: texts.customer,
      name: customerNameOf(customer),
      lines: [...formatAddress(customer.address, tag), ...customer.taxIds.map(formatTaxId)],
    },
    delivery: null,
    notes: [],
    lines: { heads: [texts.entry, texts.charged, texts.credited, texts.balance], rows: table },
    lineNotes: table.map(() => ''),
    totals: [[texts.closingOn(formatDay(range.to, tag)), signed(closing)]],
    taxes: null,
    words: null,
    payment: null,
    terms: null,
    signature: null,
    footer: seller?.footer ?? null,
    page: `${texts.title}  ·  ${documentTexts.page('{page}', '{pages}')}`,
  };
}
