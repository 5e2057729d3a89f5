/** Renders the payee's own payment instructions, with an optional QR code, for a page that takes no card payments. */
import { html } from 'hono/html';
import { fillInPayee, type Markup, truncateToBytes } from './markup.ts';
import { pageTexts } from './payment-page-texts.ts';
import type { PaymentPageView, PaymentQr } from './payment-page-view.ts';
import { renderQrCode } from './qr-code.ts';

/** Enough for 2000 characters of any script. Only characters that HTML escapes need more. */
const instructionsMaxBytes = 8_500;

/** Renders the instructions as a section beside the bill. */
export function renderPaymentInstructions(view: Extract<PaymentPageView, { kind: 'instructions' }>): Markup {
  const { reference, payee } = view.invoice;
  return html`<section class="pay" aria-labelledby="how"><h2 id="how">${pageTexts.instructions.title}</h2>
${view.instructions && html`<p class="text" dir="auto">${truncateToBytes(view.instructions, instructionsMaxBytes)}</p>`}
${view.qr && renderQrFigure(view.qr)}
<p>${fillInPayee(pageTexts.instructions.reference, payee)} <strong class="id">${reference}</strong></p>
<p class="note">${fillInPayee(pageTexts.instructions.later, payee)}</p></section>`;
}

/** The text helps payers who cannot scan the code: those on the phone that shows it, and users of a screen reader. */
function renderQrFigure({ text, kind }: PaymentQr): Markup {
  const { scan, openUpi } = pageTexts.instructions;
  const image = renderQrCode(text, pageTexts.instructions.qr);
  return html`<figure>${image}${image && html`<figcaption>${scan[kind]}</figcaption>`}
${kind === 'upi' && html`<p class="action"><a class="button" href="${text}">${openUpi}</a></p>`}
<details><summary>${pageTexts.instructions.qrText}</summary><p class="id" dir="ltr">${text}</p></details></figure>`;
}
