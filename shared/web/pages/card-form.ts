/** Renders the card form of the payment page, with the errors of the last attempt and the list of test cards. */
import { html } from 'hono/html';
import { formatAmount, toMajorUnits } from '../../base/money.ts';
import { type FailureCode, failures } from '../../domain/payments/provider/failures.ts';
import { testCards } from '../../domain/payments/provider/test-cards.ts';
import { type IconName, type Markup, renderIcon } from './markup.ts';
import { keepLanguage, type PageLanguage } from './page-language.ts';
import type { InvoiceView, PaymentForm } from './payment-page-view.ts';
import { describeTestCard } from './test-card-texts.ts';

/** In the order of the page. Errors are listed in the same order. */
const fields = [
  { name: 'number', autocomplete: 'cc-number' },
  { name: 'expiry', autocomplete: 'cc-exp' },
  { name: 'cvc', autocomplete: 'cc-csc' },
] as const;

type Field = (typeof fields)[number];

/**
 * Renders the form.
 * - The browser sends it to the page's own path, without the query: the query describes an earlier attempt.
 * - The server alone validates it (`novalidate`), because its messages say more than the browser's.
 */
export function renderCardForm(invoice: InvoiceView, form: PaymentForm, language: PageLanguage): Markup {
  const { texts, chosen } = language;
  const [firstInvalid] = fieldsWithErrors(form);
  return html`<section class="pay" aria-labelledby="by-card"><h2 id="by-card">${texts.form.title}</h2>
${invoice.testMode && renderTestCards(language)}
<form method="post" action="${keepLanguage('?', chosen)}" novalidate>
${renderHiddenField('attempt', form.attempt)}${renderHiddenField('visit', form.visit)}${renderHiddenField('version', form.contentVersion)}${renderHiddenField('amount', invoice.amountMinor)}
<div class="fields">${fields.map((field) => renderField(field, form, field === firstInvalid, language))}</div>
${renderPayButton(invoice, language)}
</form>
<p class="note">${texts.form.privacy}</p></section>`;
}

/** Renders the reason why the form is shown again. Returns undefined if the form is shown for the first time. */
export function renderFormAlert(
  invoice: InvoiceView,
  form: PaymentForm,
  language: PageLanguage,
): Markup | undefined {
  const { texts } = language;
  const { errors, notice } = form;
  const links = fieldsWithErrors(form).map(
    ({ name }) => html`<li><a href="#${name}">${texts.form.errors[errors?.[name] ?? name]}</a></li>`,
  );
  if (links.length > 0)
    return renderAlert(texts.errors.title, html`<ul>${links}</ul><p>${texts.errors.again}</p>`);
  if (notice === undefined) return undefined;
  if (notice.kind === 'part') return renderPartAlert(invoice, language);
  const explanation =
    notice.kind === 'declined' ? declinedReason(notice.code, texts) : texts.changed.explanation;
  return renderAlert(texts[notice.kind].title, html`<p>${explanation}</p>`);
}

/** Payers see no other reasons than those that have a text. */
const declinedReason = (code: FailureCode, { declined: { reasons } }: PageLanguage['texts']): string =>
  code in reasons ? reasons[code as keyof typeof reasons] : failures[code];

/** Renders the button that pays. Before it, the payer can choose an amount if the invoice takes parts. */
export function renderPayButton(
  { amountMinor, currency, smallestPartMinor }: InvoiceView,
  { texts }: PageLanguage,
): Markup {
  if (smallestPartMinor === undefined)
    return html`<button>${texts.payAmount(formatAmount(amountMinor, currency))}</button>`;
  return html`<div class="field"><label for="part">${texts.amount} (${currency})</label>
<input id="part" name="part" value="${toMajorUnits(amountMinor)}" inputmode="decimal" autocomplete="off" dir="ltr" aria-describedby="part-hint">
<p class="hint" id="part-hint">${texts.part.hint(formatAmount(smallestPartMinor, currency))}</p></div>
<button>${texts.unnamedPayee.pay}</button>`;
}

/** Renders that the invoice does not take the amount that the payer typed. */
export function renderPartAlert(
  { amountMinor, currency, smallestPartMinor = amountMinor }: InvoiceView,
  { texts }: PageLanguage,
): Markup {
  const [smallest, due] = [smallestPartMinor, amountMinor].map((minor) => formatAmount(minor, currency));
  return renderAlert(texts.part.title, html`<p>${texts.part.wrong(smallest ?? '', due ?? '')}</p>`);
}

function fieldsWithErrors({ errors }: PaymentForm): Field[] {
  return fields.filter(({ name }) => errors?.[name] !== undefined);
}

/**
 * Renders a message above the page's content. Screen readers announce it.
 * @param icon not that of an error: a calm message, about something that the payer need not mend
 */
export function renderAlert(title: string, content: Markup, icon: IconName = 'alert'): Markup {
  return html`<div class="alert${icon !== 'alert' && ' calm'}" role="alert">${renderIcon(icon)}<div><p><strong>${title}</strong></p>${content}</div></div>`;
}

/** Renders a hidden input. `autocomplete="off"`: after a reload, some browsers otherwise restore old values even in hidden inputs. */
export function renderHiddenField(name: string, value: string | number): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`;
}

/**
 * Renders one field with its label, hint and error.
 * - Only the expiry date is filled in again. The card number and the security code never return to the browser.
 * - There is no `maxlength`: it would truncate a number that is pasted with spaces.
 */
function renderField(
  { name, autocomplete }: Field,
  form: PaymentForm,
  hasFocus: boolean,
  { texts }: PageLanguage,
): Markup {
  const code = form.errors?.[name];
  const error = code && texts.form.errors[code];
  const value = name === 'expiry' && form.expiry ? html` value="${form.expiry}"` : '';
  const describedBy = error === undefined ? `${name}-hint` : `${name}-error ${name}-hint`;
  const invalid = error === undefined ? '' : html` aria-invalid="true"`;
  const autofocus = hasFocus ? html` autofocus` : '';
  return html`<div class="field ${name}"><label for="${name}">${texts.form.labels[name]}</label>
<input id="${name}" name="${name}"${value} inputmode="numeric" autocomplete="${autocomplete}" dir="ltr" required aria-describedby="${describedBy}"${invalid}${autofocus}>
${error && html`<p class="wrong" id="${name}-error">${error}</p>`}<p class="hint" id="${name}-hint">${texts.form.hints[name]}</p></div>`;
}

function renderTestCards({ texts }: PageLanguage): Markup {
  const { title, explanation, number, result } = texts.testCards;
  const rows = testCards.map(
    (card) =>
      html`<tr><td class="id">${groupDigits(card.number)}</td><td lang="en">${describeTestCard(card)}</td></tr>`,
  );
  return html`<details class="test-cards"><summary>${title}</summary><p>${explanation}</p>
<table><thead><tr><th scope="col">${number}</th><th scope="col">${result}</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** Groups the digits by four, as on a card. */
function groupDigits(number: string): string {
  return number.replace(/\d{4}(?=\d)/g, '$& ');
}
