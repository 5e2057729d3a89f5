/** Serves the page on which the payer of a provider double pays. */
import { html } from 'hono/html';
import { type Currency, currencies, formatAmount } from '../../../../shared/base/money.ts';
import type { DoubleRequest, DoubleResponse } from './double-messages.ts';
import { type PayerAction, payerActions } from './provider-double.ts';

export interface CheckoutPage {
  readonly providerName: string;
  readonly description: string;
  readonly amountMinor: number;
  /** In upper case. */
  readonly currency: string;
  /** The payer can still pay. */
  readonly isOpen: boolean;
  /** What the button says that leaves the outcome to the bank. */
  readonly laterLabel: string;
  /** What the button says after which the bank does not answer. Undefined if the provider has no such attempts. */
  readonly unansweredLabel?: string | undefined;
  /** Why the payer cannot pay any more. */
  readonly message: string | undefined;
  /** Where the payer goes after a payment. */
  readonly successUrl: () => string;
  /** Where the payer goes without a payment. Undefined if the page has no button for it. */
  readonly cancelUrl: string | undefined;
  /** Where the link of the page leads. Undefined if there is none. */
  readonly backUrl: string | undefined;
}

/**
 * Answers the payer who opens the page or presses one of its buttons.
 * @param act does what the payer does. Returns false if the checkout cannot be paid any more.
 */
export function serveCheckoutPage(
  { method, body }: DoubleRequest,
  page: CheckoutPage,
  act: (action: PayerAction) => boolean,
): DoubleResponse {
  const action = method === 'POST' ? new URLSearchParams(body).get('action') : null;
  if (action === 'cancel' && page.cancelUrl !== undefined) return redirectTo(page.cancelUrl);
  const chosen = payerActions.find((each) => each === action);
  const retry = chosen && retryMessages[chosen];
  if (chosen && act(chosen) && retry === undefined) return redirectTo(page.successUrl());
  return renderCheckoutPage(retry === undefined ? page : { ...page, message: retry });
}

/** What the page says after an attempt that took nothing. */
const retryMessages: Partial<Record<PayerAction, string>> = {
  decline: 'The card was declined. You can try again.',
  unanswered: 'Your bank does not answer. You can try again.',
};

/** Renders the page. It works without script. */
function renderCheckoutPage(page: CheckoutPage): DoubleResponse {
  const buttons: readonly (readonly [string, string])[] = [
    ['pay', 'Pay'],
    ['decline', 'Pay with a card that is declined'],
    ['later', page.laterLabel],
    ...(page.unansweredLabel === undefined ? [] : ([['unanswered', page.unansweredLabel]] as const)),
    ...(page.cancelUrl === undefined ? [] : ([['cancel', 'Cancel']] as const)),
  ];
  const currency = currencies.find((each) => each === page.currency) as Currency | undefined;
  const amount = currency ? formatAmount(page.amountMinor, currency) : `${page.amountMinor} ${page.currency}`;
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Double of ${page.providerName}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem}button{font:inherit;width:100%;padding:.625rem;margin:.25rem 0;cursor:pointer}strong{font-size:1.5rem}.mark{border:2px dashed;padding:.5rem 1rem}</style></head>
<body><main><h1>Pay</h1>
<p class="mark">This is a double of ${page.providerName}. It moves no money. Do not enter card data.</p>
<p>${page.description}</p><p><strong>${amount}</strong></p>
${page.message ? html`<p role="status">${page.message}</p>` : ''}
${page.isOpen ? html`<form method="post">${buttons.map(([action, label]) => html`<button name="action" value="${action}">${label}</button>`)}</form>` : ''}
${page.backUrl ? html`<p><a href="${page.backUrl}">Return to the merchant</a></p>` : ''}
</main></body></html>
`.toString();
  return { status: 200, headers: { ...pageHeaders }, body };
}

const pageHeaders = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };

/** Sends the payer to another page. */
function redirectTo(url: string): DoubleResponse {
  return { status: 303, headers: { Location: url }, body: '' };
}
