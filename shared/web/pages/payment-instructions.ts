/** Renders the payee's own payment instructions, with an optional QR code, for a page that takes no card payments. */
import { html } from 'hono/html';
import { fillInPayee, type Markup, truncateToBytes } from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { PaymentPageView, PaymentQr } from './payment-page-view.ts';
import { renderQrCode } from './qr-code.ts';

/** Enough for 2000 characters of any script. Only characters that HTML escapes need more. */
const instructionsMaxBytes = 8_500;

/** Renders the instructions as a section beside the bill. */
export function renderPaymentInstructions(
  view: Extract<PaymentPageView, { kind: 'instructions' }>,
  language: PageLanguage,
): Markup {
  const texts = language.texts.instructions;
  const { reference, payee } = view.invoice;
  return html`<section class="pay" aria-labelledby="how"><h2 id="how">${texts.title}</h2>
${view.instructions && html`<p class="text" dir="auto">${truncateToBytes(view.instructions, instructionsMaxBytes)}</p>`}
${view.qr && renderQrFigure(view.qr, language)}
<p>${fillInPayee(texts.reference, payee, language)} <strong class="id">${reference}</strong></p>
<p class="note">${fillInPayee(texts.later, payee, language)}</p></section>`;
}

/** The text helps payers who cannot scan the code: those on the phone that shows it, and users of a screen reader. */
function renderQrFigure({ text, kind }: PaymentQr, { texts: { instructions: texts } }: PageLanguage): Markup {
  const { scan, openUpi } = texts;
  const image = renderQrCode(text, texts.qr);
  return html`<figure>${image}${image && html`<figcaption>${scan[kind]}</figcaption>`}
${kind === 'upi' && html`<p class="action"><a class="button" href="${text}">${openUpi}</a></p>`}
<details><summary>${texts.qrText}</summary><p class="id" dir="ltr">${text}</p></details></figure>`;
}
