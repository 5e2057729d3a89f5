/** Renders the page on which the payer of a provider double pays. */
import { html } from 'hono/html';
import { type Currency, currencies, formatAmount } from '../../../../shared/money.ts';
import type { DoubleResponse } from './double-messages.ts';

export interface CheckoutPage {
  readonly providerName: string;
  readonly description: string;
  readonly amountMinor: number;
  /** In upper case. */
  readonly currency: string;
  /** Undefined if the payer cannot pay any more, or has done so. */
  readonly buttons: readonly { readonly action: string; readonly label: string }[] | undefined;
  readonly message?: string | undefined;
  /** Where the payer goes if there is nothing more to do. */
  readonly backUrl?: string | undefined;
}

/** Renders the page. It works without script. */
export function renderCheckoutPage(page: CheckoutPage): DoubleResponse {
  const currency = currencies.find((each) => each === page.currency) as Currency | undefined;
  const amount = currency ? formatAmount(page.amountMinor, currency) : `${page.amountMinor} ${page.currency}`;
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Double of ${page.providerName}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem}button{font:inherit;width:100%;padding:.625rem;margin:.25rem 0;cursor:pointer}strong{font-size:1.5rem}.mark{border:2px dashed;padding:.5rem 1rem}</style></head>
<body><main><h1>Pay</h1>
<p class="mark">This is a double of ${page.providerName}. It moves no money. Do not enter card data.</p>
<p>${page.description}</p><p><strong>${amount}</strong></p>
${page.message ? html`<p role="status">${page.message}</p>` : ''}
${page.buttons ? html`<form method="post">${page.buttons.map(({ action, label }) => html`<button name="action" value="${action}">${label}</button>`)}</form>` : ''}
${page.backUrl ? html`<p><a href="${page.backUrl}">Return to the merchant</a></p>` : ''}
</main></body></html>
`.toString();
  return { status: 200, headers: { ...pageHeaders }, body };
}

const pageHeaders = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };

/** Sends the payer to another page. */
export function redirectTo(url: string): DoubleResponse {
  return { status: 303, headers: { Location: url }, body: '' };
}
