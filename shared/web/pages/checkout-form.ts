/** Renders the pay button that leads to the page of a provider. It is a plain form, which works without a script. */
import { html } from 'hono/html';
import { renderAlert, renderHiddenField, renderPartAlert, renderPayButton } from './card-form.ts';
import { formatAmountInSentence } from './invoice-summary.ts';
import { fillInPayee, type Markup } from './markup.ts';
import { keepLanguage, type PageLanguage } from './page-language.ts';
import { providerNames } from './payment-page-texts.ts';
import type { CheckoutForm, InvoiceView } from './payment-page-view.ts';

/** Renders the form. Account, mode and provider let the server read everything at once. It trusts none of them. */
export function renderCheckoutForm(invoice: InvoiceView, form: CheckoutForm, language: PageLanguage): Markup {
  const { texts, chosen } = language;
  const { title, explanation } = texts.checkout;
  const { account, mode, provider, visit, contentVersion } = form;
  const hidden = { provider, account, mode, visit, version: contentVersion, amount: invoice.amountMinor };
  return html`<section class="pay" aria-labelledby="online"><h2 id="online">${title}</h2>
<p>${explanation(providerNames[provider])}</p>
<form method="post" action="${keepLanguage('?', chosen)}">
${Object.entries(hidden).map(([name, value]) => renderHiddenField(name, value))}
${renderPayButton(invoice, language)}
</form></section>`;
}

/**
 * Renders why the page is shown again, and what became of money that the payee has not accepted. Returns undefined if there is
 * neither.
 */
export function renderCheckoutAlert(
  invoice: InvoiceView,
  { notice, unneeded }: CheckoutForm,
  language: PageLanguage,
): Markup | undefined {
  const { texts } = language;
  if (notice === undefined && !unneeded) return undefined;
  const { payee, currency } = invoice;
  const explanation = notice === 'changed' ? texts.checkoutChanged : texts.not_paid.explanation;
  const again =
    notice === 'part'
      ? renderPartAlert(invoice, language)
      : notice && renderAlert(texts[notice].title, html`<p>${explanation}</p>`);
  if (!unneeded) return again;
  const { title, refunding, refused, refunded } = texts.earlierPayment;
  const isRefunded = unneeded.refundedMinor >= unneeded.receivedMinor;
  const sentence = isRefunded ? refunded : unneeded.isRefundRefused ? refused : refunding;
  const amount = formatAmountInSentence(unneeded.receivedMinor, currency);
  return html`${again}${renderAlert(title, html`<p>${fillInPayee(sentence(amount), payee, language)}</p>`)}`;
}

/** Returns the first words of the window's title if the page is shown again. */
export function checkoutWindowStateOf({ notice }: CheckoutForm, { texts }: PageLanguage): string | undefined {
  return notice && texts[notice].state;
}
