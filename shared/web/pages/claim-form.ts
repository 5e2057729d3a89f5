/**
 * Renders what payers say about a transfer that the service does not see: the form with which they claim to have paid, and what became
 * of the last claim. All texts of a claim are escaped, and none of them is a link.
 */
import { html } from 'hono/html';
import { toMajorUnits } from '../../base/money.ts';
import { renderAlert, renderHiddenField } from './card-form.ts';
import { formatAmountInSentence } from './invoice-summary.ts';
import { fillInPayee, isolateDirection, type Markup } from './markup.ts';
import { keepLanguage, type PageLanguage } from './page-language.ts';
import type { ClaimForm, InvoiceView } from './payment-page-view.ts';

/** In the order of the page. */
const fields = ['bank', 'reference', 'paidOn', 'amount'] as const;

/** Renders the form. The server alone validates it (`novalidate`), because its messages say more than those of the browser. */
export function renderClaimForm(invoice: InvoiceView, form: ClaimForm, language: PageLanguage): Markup {
  const { texts, chosen } = language;
  const { title, explanation, submit } = texts.claim;
  return html`<section class="pay" aria-labelledby="claim"><h2 id="claim">${title}</h2>
<p>${fillInPayee(explanation, invoice.payee, language)}</p>
<form method="post" action="${keepLanguage('?', chosen)}" novalidate>
${renderHiddenField('claim', '1')}${renderHiddenField('visit', form.visit)}<div class="fields">
${fields.map((name) => renderField(name, invoice, form, language))}</div>
<button>${submit}</button>
</form><p class="note"><a href="${keepLanguage('?', chosen)}">${texts.claim.back}</a></p></section>`;
}

/** Renders the link to the form. Undefined: the page offers none, or a claim is open. */
export function renderClaimLink(
  { claim, offersClaim }: InvoiceView,
  { texts, chosen }: PageLanguage,
): Markup | undefined {
  if (!offersClaim || claim?.status === 'open') return undefined;
  return html`<p class="note screen"><a href="${keepLanguage('?claim', chosen)}">${texts.claim.link}</a></p>`;
}

/** Renders the ways to pay folded up while a claim is open, so that nobody pays twice by mistake. */
export function foldPayment(
  { claim }: InvoiceView,
  payment: Markup,
  isShown: boolean,
  { texts }: PageLanguage,
): Markup {
  if (claim?.status !== 'open') return payment;
  return html`<div class="pay"><details${isShown && ' open'}><summary>${texts.claim.open.otherWay}</summary>${payment}</details></div>`;
}

/** Renders what became of the last claim. Undefined: no payer has claimed, or the claim is confirmed. */
export function renderClaimAlert(invoice: InvoiceView, language: PageLanguage): Markup | undefined {
  const { claim, currency, payee } = invoice;
  if (!claim || claim.status === 'confirmed') return undefined;
  const { open, rejected, labels } = language.texts.claim;
  const texts = claim.status === 'open' ? open : rejected;
  const amount = formatAmountInSentence(claim.amount, currency);
  const sentence = fillInPayee(texts.explanation(amount), payee, language);
  const reference = claim.reference && html`<p>${labels.reference}: ${isolateDirection(claim.reference)}</p>`;
  const reason = claim.reason && html`<p class="text" dir="auto">${claim.reason}</p>`;
  const icon = claim.status === 'open' ? 'clock' : 'alert';
  return renderAlert(texts.title, html`<p>${sentence}</p>${reference}${reason}`, icon);
}

function renderField(
  name: (typeof fields)[number],
  { amountMinor, currency }: InvoiceView,
  { values, errors }: ClaimForm,
  { texts }: PageLanguage,
): Markup {
  const label = texts.claim.labels[name];
  const isWrong = errors?.includes(name);
  const value = values?.[name] ?? (name === 'amount' ? toMajorUnits(amountMinor) : '');
  const kind = name === 'paidOn' ? 'date' : 'text';
  const mode = name === 'amount' ? html` inputmode="decimal" dir="ltr"` : '';
  const due = formatAmountInSentence(amountMinor, currency);
  const error = name === 'amount' ? texts.claim.errors.amount(due) : texts.claim.errors[name];
  const invalid = isWrong ? html` aria-invalid="true" aria-describedby="${name}-error"` : '';
  const isWide = name === 'bank' || name === 'reference';
  return html`<div class="field${isWide && ' number'}"><label for="${name}">${label}${name === 'amount' && ` (${currency})`}</label>
<input id="${name}" name="${name}" type="${kind}" value="${value}" autocomplete="off" maxlength="100" required${mode}${invalid}>
${isWrong && html`<p class="wrong" id="${name}-error">${error}</p>`}</div>`;
}
