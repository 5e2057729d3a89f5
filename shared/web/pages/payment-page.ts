/**
 * Renders the hosted payment page as a complete HTML document, in each of its states (`payment-page-view.ts`).
 * - The page loads nothing but the logo of its seller, so it works with one request in every browser.
 * - Only payment instructions have a script, which makes their copy buttons work.
 */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { pagePolicy } from '../../api/http/page-headers.ts';
import { formatAmount } from '../../base/money.ts';
import { brandRules } from './brand-color.ts';
import { renderCardForm, renderFormAlert } from './card-form.ts';
import { checkoutWindowStateOf, renderCheckoutAlert, renderCheckoutForm } from './checkout-form.ts';
import { waitingQueryOf } from './checkout-return.ts';
import { foldPayment, renderClaimAlert, renderClaimForm, renderClaimLink } from './claim-form.ts';
import { copyScript } from './copy-script.ts';
import {
  formatAmountInSentence,
  invoiceDetailRows,
  moneyRows,
  renderBill,
  renderDetails,
} from './invoice-summary.ts';
import { renderLanguages } from './language-links.ts';
import { favicon, fillInPayee, type IconName, type Markup, renderIcon } from './markup.ts';
import { english, keepLanguage, type PageLanguage } from './page-language.ts';
import { renderPaymentInstructions } from './payment-instructions.ts';
import { paymentPageStylesheet } from './payment-page-style.ts';
import type { InvoiceView, PaymentForm, PaymentPageView } from './payment-page-view.ts';
import { receiptStateOf, renderReceipt } from './receipt.ts';

/**
 * Returns the Content-Security-Policy of a view. Browsers apply `form-action` to each redirect of a form. The page of a
 * provider can be on a domain of the merchant, or behind a short address. So the page with the pay button has no
 * `form-action`: its only form has no field that a person fills in.
 */
export function paymentPageCsp(view: PaymentPageView | undefined): string {
  const document = documentOf(view);
  const formAction = view?.kind === 'checkout' ? undefined : "'self'";
  const policy = pagePolicy(stylesheetOf(view), formAction, document?.seller.logo ? "'self' data:" : 'data:');
  return hasScript(view) ? `${policy}; script-src 'sha256-${scriptHash}'` : policy;
}

const scriptHash = createHash('sha256').update(copyScript).digest('base64');

const hasScript = (view: PaymentPageView | undefined): boolean => view?.kind === 'instructions';

/** Returns the document of the invoice of a view. */
const documentOf = (view: PaymentPageView | undefined) =>
  view && 'invoice' in view ? view.invoice?.document : undefined;

/** Returns the stylesheet of a view, with the color of the seller if the invoice has a document. */
function stylesheetOf(view: PaymentPageView | undefined): string {
  return paymentPageStylesheet + brandRules(documentOf(view)?.seller.color);
}

/**
 * Renders `view` as a complete HTML document in which all values are escaped.
 * @param preview what a preview says about itself. It has no script and no links to other languages.
 */
export function renderPaymentPage(
  view: PaymentPageView,
  language: PageLanguage = english,
  preview?: string,
): string {
  const { texts } = language;
  const invoice = 'invoice' in view ? view.invoice : undefined;
  const title = [windowStateOf(view, language), invoice?.payee]
    .filter((part) => part !== undefined)
    .join(' – ');
  return html`<!doctype html>
<html lang="${language.locale}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">
<link rel="icon" href="${raw(favicon)}"><style>${raw(stylesheetOf(view))}</style></head>
<body>${preview !== undefined && html`<header class="test"><p><strong>${preview}</strong></p></header>`}${invoice?.testMode && renderTestBanner(language)}
<main>${renderContent(view, language)}</main>
<footer>${preview === undefined && renderLanguages(view, language)}<p>${texts.product}</p></footer>${hasScript(view) && preview === undefined && html`<script>${raw(copyScript)}</script>`}
</body></html>
`.toString();
}

/** Returns the first part of the window's title: the first words that a screen reader reads. */
function windowStateOf(view: PaymentPageView, language: PageLanguage): string {
  const { texts } = language;
  if (view.kind === 'form') return formWindowStateOf(view.invoice, view.form, language);
  if (view.kind === 'checkout')
    return checkoutWindowStateOf(view.checkout, language) ?? payAmountText(view.invoice, language);
  if (view.kind === 'instructions') return payAmountText(view.invoice, language);
  if (view.kind === 'claim')
    return view.claim.errors ? `${texts.errors.label}: ${texts.claim.title}` : texts.claim.title;
  if (view.kind === 'paid')
    return `${texts.paid.receipt}: ${texts.paid[receiptStateOf(view.invoice, view.receipt)].state}`;
  const { title } = texts.states[view.kind];
  return view.kind === 'error' ? `${texts.errors.label}: ${title}` : title;
}

function formWindowStateOf(
  invoice: InvoiceView,
  { errors, notice }: PaymentForm,
  language: PageLanguage,
): string {
  const { texts } = language;
  if (errors && Object.keys(errors).length > 0)
    return `${texts.errors.label}: ${payAmountText(invoice, language)}`;
  return notice ? texts[notice.kind].state : payAmountText(invoice, language);
}

function payAmountText({ amountMinor, currency }: InvoiceView, { texts }: PageLanguage): string {
  return texts.payAmount(formatAmount(amountMinor, currency));
}

function renderTestBanner({ texts }: PageLanguage): Markup {
  return html`<header class="test"><p><strong>${texts.testMode.label}:</strong> ${texts.testMode.explanation}</p></header>`;
}

function renderContent(view: PaymentPageView, language: PageLanguage): Markup {
  switch (view.kind) {
    case 'form':
      return renderBillAndPayment(
        view.invoice,
        language,
        renderCardForm(view.invoice, view.form, language),
        renderFormAlert(view.invoice, view.form, language),
      );
    case 'checkout':
      return renderBillAndPayment(
        view.invoice,
        language,
        renderCheckoutForm(view.invoice, view.checkout, language),
        renderCheckoutAlert(view.invoice, view.checkout, language),
      );
    case 'instructions':
      return renderBillAndPayment(view.invoice, language, renderPaymentInstructions(view, language));
    case 'claim':
      return renderBillAndPayment(
        view.invoice,
        language,
        renderClaimForm(view.invoice, view.claim, language),
        undefined,
        html``,
      );
    case 'paid':
      return html`<div class="card">${renderReceipt(view.invoice, view.receipt, language)}</div>`;
    default:
      return html`<div class="card">${renderMessage(view, language)}</div>`;
  }
}

/** Renders the bill beside the way to pay it. On a narrow screen the bill is above. */
function renderBillAndPayment(
  invoice: InvoiceView,
  language: PageLanguage,
  way: Markup,
  alert?: Markup,
  link = renderClaimLink(invoice, language),
): Markup {
  const claimed = renderClaimAlert(invoice, language);
  const payment = foldPayment(invoice, way, alert !== undefined, language);
  const besideBytes = Buffer.byteLength(`${payment}${claimed ?? ''}${link ?? ''}`);
  return html`<div class="card wide">${claimed}${alert}${renderBill(invoice, language, besideBytes)}${payment}${link}</div>`;
}

type MessageKind = keyof PageLanguage['texts']['states'];

const icons: Record<MessageKind, IconName> = {
  in_progress: 'clock',
  bank_processing: 'clock',
  amount_differs: 'clock',
  confirming: 'clock',
  provider_down: 'alert',
  not_taken: 'alert',
  cancelled: 'cross',
  no_provider: 'alert',
  closed: 'alert',
  maintenance: 'clock',
  reminders: 'alert',
  reminders_stopped: 'check',
  not_found: 'alert',
  expired: 'clock',
  too_many_attempts: 'clock',
  too_many_requests: 'clock',
  refused: 'alert',
  error: 'alert',
};

/** The states of invoices that the payer still owes, without a form on the page. */
const payableKinds: ReadonlySet<MessageKind> = new Set([
  'provider_down',
  'not_taken',
  'no_provider',
  'maintenance',
]);

/** Returns the texts of a state. A cancelled invoice says what became of the money of the payer. */
function messageOf(view: Extract<PaymentPageView, { kind: MessageKind }>, language: PageLanguage) {
  const texts = language.texts.states[view.kind];
  if (view.kind === 'amount_differs') {
    const amount = formatAmountInSentence(view.takenMinor, view.invoice.currency);
    return { ...texts, explanation: texts.explanation.replace('{amount}', amount) };
  }
  if (view.kind !== 'cancelled') return texts;
  const { title, explanation, link } = { ...texts, ...language.texts.cancelledMoney[view.money.kind] };
  const amountMinor = 'amountMinor' in view.money ? view.money.amountMinor : 0;
  const amount = formatAmountInSentence(amountMinor, view.invoice.currency);
  return { title, explanation: explanation.replace('{amount}', amount), link };
}

/** Renders a state that is mostly a message. Its link opens the page again. */
function renderMessage(
  view: Extract<PaymentPageView, { kind: MessageKind }>,
  language: PageLanguage,
): Markup {
  const { title, explanation, link } = messageOf(view, language);
  // The form is sent to the address of the page, which has the token.
  const action =
    view.kind === 'reminders'
      ? html`<form method="post"><button type="submit">${link}</button></form>`
      : link &&
        html`<a class="button" href="${keepLanguage(waitingQueryOf(view) ?? '?', language.chosen)}">${link}</a>`;
  const invoice = 'invoice' in view ? view.invoice : undefined;
  return html`<section class="state">${renderIcon(icons[view.kind])}<h1>${title}</h1>
<p>${fillInPayee(explanation, invoice?.payee, language)}</p>
${action && html`<div class="action">${action}</div>`}</section>
${invoice && renderDetails([...invoiceDetailRows(invoice, payableKinds.has(view.kind), language), ...(view.kind === 'cancelled' ? moneyRows(invoice, view.money, language) : [])])}${view.kind === 'error' && renderRequestId(view.requestId, language)}`;
}

function renderRequestId(requestId: string, { texts }: PageLanguage): Markup {
  return renderDetails([[texts.requestId, html`<span class="id">${requestId}</span>`]]);
}
