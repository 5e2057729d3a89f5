/** Renders the page at the addresses `/` and `/pay`, where people arrive who shortened the link of an invoice. */
import { html, raw } from 'hono/html';
import { pagePolicy } from '../../api/http/page-headers.ts';
import { favicon, renderIcon } from './markup.ts';
import { paymentPageStylesheet } from './payment-page-style.ts';
import { englishPageTexts, startTexts } from './payment-page-texts.ts';

/** The Content-Security-Policy of the page, which has no form. */
export const startPageCsp = pagePolicy(paymentPageStylesheet, "'none'");

/** Returns the page as an HTML document. @param baseUrl the base URL of the service, without a trailing slash */
export function renderStartPage(baseUrl: string): string {
  const { title, explanation, link } = startTexts;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} – ${englishPageTexts.product}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<link rel="icon" href="${raw(favicon)}"><style>${raw(paymentPageStylesheet)}</style></head>
<body><main><div class="card"><section class="state">${renderIcon('link')}<h1>${title}</h1>
<p>${explanation}</p>
<p class="action"><a class="button" href="${baseUrl}/docs">${link}</a></p></section></div></main>
<footer>${englishPageTexts.product}</footer>
</body></html>
`.toString();
}
