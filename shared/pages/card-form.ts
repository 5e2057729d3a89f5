/** The card form of the payment page, with what went wrong the last time and the test cards. */
import { html } from 'hono/html';
import { formatAmount } from '../money.ts';
import { failures } from '../payments/failures.ts';
import { testCards } from '../payments/test-cards.ts';
import { icon, type Markup } from './markup.ts';
import { effectOf, texts } from './payment-page-texts.ts';
import type { InvoiceView, PaymentForm } from './payment-page-view.ts';

/** In the order in which they stand and are put right. */
const fields = [
  { name: 'number', autocomplete: 'cc-number' },
  { name: 'expiry', autocomplete: 'cc-exp' },
  { name: 'cvc', autocomplete: 'cc-csc' },
] as const;

type Field = (typeof fields)[number];

/**
 * The form itself. It is sent to the page's own path, without a query, and is judged by the server alone, whose
 * messages say more than the browser's.
 */
export function cardForm(invoice: InvoiceView, form: PaymentForm): Markup {
  const [firstWrong] = wrongFields(form);
  return html`<section class="pay" aria-labelledby="by-card"><h2 id="by-card">${texts.form.title}</h2>
${invoice.testMode && testCardTable()}
<form method="post" action="?" novalidate>
${hidden('attempt', form.attempt)}${hidden('version', form.contentVersion)}${hidden('amount', invoice.amountMinor)}
<div class="fields">${fields.map((field) => input(field, form, field === firstWrong))}</div>
<button>${texts.payAmount(formatAmount(invoice.amountMinor, invoice.currency))}</button>
</form>
<p class="note">${texts.form.privacy}</p></section>`;
}

/** Why the form is shown again, for the top of the page; nothing the first time. */
export function formAlert(form: PaymentForm): Markup | undefined {
  const { errors, notice } = form;
  const links = wrongFields(form).map(({ name }) => html`<li><a href="#${name}">${errors?.[name]}</a></li>`);
  if (links.length > 0) return alert(texts.errors.title, html`<ul>${links}</ul><p>${texts.errors.again}</p>`);
  if (notice === undefined) return undefined;
  const more = notice.kind === 'declined' ? failures[notice.code] : texts.changed.more;
  return alert(texts[notice.kind].title, html`<p>${more}</p>`);
}

function wrongFields({ errors }: PaymentForm): Field[] {
  return fields.filter(({ name }) => errors?.[name] !== undefined);
}

function alert(title: string, more: Markup): Markup {
  return html`<div class="alert" role="alert">${icon('alert')}<div><p><strong>${title}</strong></p>${more}</div></div>`;
}

/** Some browsers put back the values that a page had before it was reloaded, even those: hence `off`. */
function hidden(name: string, value: string | number): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`;
}

/** Only the expiry is ever filled in again. There is no `maxlength`: it would cut what is pasted with spaces. */
function input({ name, autocomplete }: Field, form: PaymentForm, isFirstWrong: boolean): Markup {
  const error = form.errors?.[name];
  const filled = name === 'expiry' && form.expiry ? html` value="${form.expiry}"` : '';
  const describedBy = error === undefined ? `${name}-hint` : `${name}-error ${name}-hint`;
  const invalid = error === undefined ? '' : html` aria-invalid="true"`;
  const focused = isFirstWrong ? html` autofocus` : '';
  return html`<div class="field ${name}"><label for="${name}">${texts.form.labels[name]}</label>
<input id="${name}" name="${name}"${filled} inputmode="numeric" autocomplete="${autocomplete}" dir="ltr" required aria-describedby="${describedBy}"${invalid}${focused}>
${error && html`<p class="wrong" id="${name}-error">${error}</p>`}<p class="hint" id="${name}-hint">${texts.form.hints[name]}</p></div>`;
}

function testCardTable(): Markup {
  const { title, more, number, effect } = texts.testCards;
  const rows = testCards.map(
    (card) => html`<tr><td class="id">${grouped(card.number)}</td><td>${effectOf(card)}</td></tr>`,
  );
  return html`<details class="test-cards"><summary>${title}</summary><p>${more}</p>
<table><thead><tr><th scope="col">${number}</th><th scope="col">${effect}</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** In fours, as on a card. */
function grouped(number: string): string {
  return number.replace(/\d{4}(?=\d)/g, '$& ');
}
