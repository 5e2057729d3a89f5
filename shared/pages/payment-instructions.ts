/** How to pay where the page takes no payment itself: the payee's own words, and perhaps a QR code. */
import { html } from 'hono/html';
import { bounded, type Markup, withPayee } from './markup.ts';
import { texts } from './payment-page-texts.ts';
import type { PaymentPageView } from './payment-page-view.ts';
import { qrCode } from './qr-code.ts';

/** 2000 characters of any script; only marks that must be escaped take more. */
const instructionsMaxBytes = 8_500;

/** The instructions as a section beside the bill. */
export function paymentInstructions(view: Extract<PaymentPageView, { kind: 'instructions' }>): Markup {
  const { id, payee } = view.invoice;
  return html`<section class="pay" aria-labelledby="how"><h2 id="how">${texts.instructions.title}</h2>
<p class="text" dir="auto">${bounded(view.instructions, instructionsMaxBytes)}</p>
${view.qr && qrFigure(view.qr)}
<p>${withPayee(texts.instructions.reference, payee)} <strong class="id">${id}</strong></p>
<p class="note">${withPayee(texts.instructions.later, payee)}</p></section>`;
}

/** The text is there for whoever cannot scan: on the phone that shows the code, or with a screen reader. */
function qrFigure(text: string): Markup {
  const image = qrCode(text, texts.instructions.qr);
  return html`<figure>${image}${image && html`<figcaption>${texts.instructions.scan}</figcaption>`}
<details><summary>${texts.instructions.qrText}</summary><p class="id" dir="ltr">${text}</p></details></figure>`;
}
