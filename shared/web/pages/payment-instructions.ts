/** Renders the payee's own payment instructions, with an optional QR code, for a page that takes no card payments. */
import { html } from 'hono/html';
import { formatAmount, toMajorUnits } from '../../base/money.ts';
import { blocksOf, type InstructionBlock } from './instruction-lines.ts';
import { renderLinkedText } from './linked-text.ts';
import { fillInPayee, type Markup, truncateToBytes } from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { InvoiceView, PaymentPageView, PaymentQr } from './payment-page-view.ts';
import { renderQrCode } from './qr-code.ts';

/** Enough for 2000 characters of any script. Only characters that HTML escapes need more. */
const instructionsMaxBytes = 8_500;

/** Renders the instructions as a section beside the bill. */
export function renderPaymentInstructions(
  view: Extract<PaymentPageView, { kind: 'instructions' }>,
  language: PageLanguage,
): Markup {
  const texts = language.texts.instructions;
  const { payee } = view.invoice;
  const shown = truncateToBytes(view.instructions ?? '', instructionsMaxBytes);
  return html`<section class="pay" aria-labelledby="how"><h2 id="how">${texts.title}</h2>
${blocksOf(shown).map((block) => renderBlock(block, language))}
<p>${fillInPayee(texts.reference, payee, language)}</p>
${renderOwnRows(view.invoice, language)}
${view.qr && renderQrFigure(view.qr, language)}
<p class="heard" role="status" data-copied="${texts.copied}" data-selected="${texts.selected}"></p>
<p class="note">${fillInPayee(texts.later, payee, language)}</p></section>`;
}

function renderBlock(block: InstructionBlock, language: PageLanguage): Markup {
  if (block.kind === 'text') return html`<p class="text" dir="auto">${renderLinkedText(block.text)}</p>`;
  const rows = block.rows.map(({ label, value }) => {
    const shown = html`<bdi class="value">${renderLinkedText(value)}</bdi>`;
    return renderRow(html`<bdi>${label}</bdi>`, shown, label, undefined, language);
  });
  return html`<dl class="copies">${rows}</dl>`;
}

/** Renders what the payer types at the bank. The reference is copied without its hyphen, which not every bank takes. */
function renderOwnRows(
  { id, reference, amountMinor, currency }: InvoiceView,
  language: PageLanguage,
): Markup {
  const { amount, reference: referenceLabel } = language.texts;
  const shownAmount = html`<span class="value">${formatAmount(amountMinor, currency)}</span>`;
  const plainReference = reference === id ? id : reference.replaceAll('-', '');
  const shownReference = html`<strong class="id value">${reference}</strong>`;
  return html`<dl class="copies">${renderRow(html`${amount}`, shownAmount, amount, toMajorUnits(amountMinor), language)}${renderRow(html`${referenceLabel}`, shownReference, referenceLabel, plainReference, language)}</dl>`;
}

/** The button is for scripts, which show it. @param copy what is copied if it is not the value as it is shown */
function renderRow(
  label: Markup,
  value: Markup,
  name: string,
  copy: string | undefined,
  { texts }: PageLanguage,
): Markup {
  const data = copy === undefined ? '' : html` data-copy="${copy}"`;
  const button = html`<button type="button" class="button copy" hidden${data} aria-label="${`${texts.instructions.copy}: ${name}`}">${texts.instructions.copy}</button>`;
  return html`<div><dt>${label}</dt><dd>${value}${button}</dd></div>`;
}

/** The text helps payers who cannot scan the code: those on the phone that shows it, and users of a screen reader. */
function renderQrFigure({ text, kind }: PaymentQr, { texts: { instructions: texts } }: PageLanguage): Markup {
  const { scan, openUpi } = texts;
  const image = renderQrCode(text, texts.qr);
  return html`<figure>${image}${image && html`<figcaption>${scan[kind]}</figcaption>`}
${kind === 'upi' && html`<p class="action"><a class="button" href="${text}">${openUpi}</a></p>`}
<details><summary>${texts.qrText}</summary><p class="id" dir="ltr">${text}</p></details></figure>`;
}
