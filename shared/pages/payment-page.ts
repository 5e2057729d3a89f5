/**
 * The hosted payment page as a whole HTML document, in each of its states: one request, no script, nothing fetched.
 * What there is to show is decided elsewhere (`payment-page-view.ts`); here it gets its form.
 */
import { html, raw } from 'hono/html';
import { pagePolicy } from '../http/page-headers.ts';
import { formatAmount } from '../money.ts';
import { cardForm, formAlert } from './card-form.ts';
import { bill, factList, invoiceFacts, refundFact } from './invoice-summary.ts';
import { favicon, type IconName, icon, type Markup, withPayee } from './markup.ts';
import { paymentInstructions } from './payment-instructions.ts';
import { stylesheet } from './payment-page-style.ts';
import { texts } from './payment-page-texts.ts';
import type { InvoiceView, PaymentForm, PaymentPageView } from './payment-page-view.ts';
import { receipt } from './receipt.ts';

/** The Content-Security-Policy under which the page works. */
export const paymentPageCsp = pagePolicy(stylesheet, "'self'");

/** The page that shows `view`: a whole document. Nothing in it is left to be escaped. */
export function renderPaymentPage(view: PaymentPageView): string {
  const invoice = 'invoice' in view ? view.invoice : undefined;
  const title = invoice === undefined ? stateOf(view) : `${stateOf(view)} – ${invoice.payee}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">
<link rel="icon" href="${raw(favicon)}"><style>${raw(stylesheet)}</style></head>
<body>${invoice?.testMode && testBanner()}
<main>${contentOf(view)}</main>
<footer>${texts.product}</footer>
</body></html>
`.toString();
}

/** What stands first in the window's title, and is the first thing that a screen reader says. */
function stateOf(view: PaymentPageView): string {
  if (view.kind === 'form') return formStateOf(view.invoice, view.form);
  if (view.kind === 'instructions') return payAmount(view.invoice);
  if (view.kind === 'paid') return texts.paid.state;
  const { title } = texts.states[view.kind];
  return view.kind === 'error' ? `${texts.errors.mark}: ${title}` : title;
}

function formStateOf(invoice: InvoiceView, { errors, notice }: PaymentForm): string {
  if (errors && Object.keys(errors).length > 0) return `${texts.errors.mark}: ${payAmount(invoice)}`;
  return notice ? texts[notice.kind].state : payAmount(invoice);
}

function payAmount({ amountMinor, currency }: InvoiceView): string {
  return texts.payAmount(formatAmount(amountMinor, currency));
}

function testBanner(): Markup {
  return html`<header class="test"><p><strong>${texts.testMode.mark}:</strong> ${texts.testMode.more}</p></header>`;
}

function contentOf(view: PaymentPageView): Markup {
  switch (view.kind) {
    case 'form':
      return besideBill(view.invoice, cardForm(view.invoice, view.form), formAlert(view.form));
    case 'instructions':
      return besideBill(view.invoice, paymentInstructions(view));
    case 'paid':
      return html`<div class="card">${receipt(view.invoice, view.receipt)}</div>`;
    default:
      return html`<div class="card">${message(view)}</div>`;
  }
}

/** What is to be paid next to how; one above the other where it is narrow. */
function besideBill(invoice: InvoiceView, how: Markup, alert?: Markup): Markup {
  return html`<div class="card wide">${alert}${bill(invoice, Buffer.byteLength(how.toString()))}${how}</div>`;
}

type MessageKind = keyof typeof texts.states;

const icons: Record<MessageKind, IconName> = {
  in_progress: 'clock',
  cancelled: 'cross',
  no_provider: 'alert',
  closed: 'alert',
  not_found: 'alert',
  too_many_attempts: 'clock',
  refused: 'alert',
  error: 'alert',
};

/** A state that is mostly a message. Its link asks for the page anew, without whatever the address carried. */
function message(view: Extract<PaymentPageView, { kind: MessageKind }>): Markup {
  const { title, more, link } = texts.states[view.kind];
  const invoice = 'invoice' in view ? view.invoice : undefined;
  return html`<section class="state">${icon(icons[view.kind])}<h1>${title}</h1>
<p>${withPayee(more, invoice?.payee ?? '')}</p>
${link && html`<p class="action"><a class="button" href="?">${link}</a></p>`}</section>
${invoice && factList([...invoiceFacts(invoice), view.kind === 'cancelled' ? refundFact(invoice, view.refundedMinor) : undefined])}${view.kind === 'error' && requestFact(view.requestId)}`;
}

function requestFact(requestId: string): Markup {
  return factList([[texts.request, html`<span class="id">${requestId}</span>`]]);
}
