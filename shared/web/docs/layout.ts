/** Renders what all pages of the reference have in common: head, menu and main part. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { pagePolicy } from '../../api/http/page-headers.ts';
import { favicon, type Markup } from '../pages/markup.ts';
import { docsScript } from './docs-script.ts';
import { docsStylesheet } from './docs-style.ts';

const scriptHash = createHash('sha256').update(docsScript).digest('base64');

/** The Content-Security-Policy of the pages. It allows their own script only, which reads the other pages for the search, and no form, because the pages have none. */
export const docsCsp = `${pagePolicy(docsStylesheet, "'none'")}; connect-src 'self'; script-src 'sha256-${scriptHash}'`;

interface PageParts {
  readonly baseUrl: string;
  readonly title: string;
  /** The content of the menu: links to the parts of the page, or to other pages. */
  readonly navigation: Markup;
  /** What is above the links, such as the choice of a language. */
  readonly options?: Markup;
  readonly main: Markup;
}

/** Returns a page as an HTML document. */
export function renderLayout({ title, navigation, options, main, baseUrl }: PageParts): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${raw(favicon)}"><style>${raw(docsStylesheet)}</style></head>
<body><a class="skip" href="#main">Skip to content</a>
<nav aria-label="Contents"><p class="brand"><a href="${baseUrl}/docs">Remit</a></p>
<label class="toggle"><input type="checkbox" id="menu"> Menu</label>
<div class="menu"><div id="find" role="search" hidden><label for="searched">Search <kbd>/</kbd></label>
<input type="search" id="searched" autocomplete="off" spellcheck="false" aria-controls="results"></div>
<p id="status" role="status"></p><ul id="results"></ul>
${options}<div id="contents">${navigation}</div></div></nav>
<main id="main">${main}</main><script>${raw(docsScript)}</script></body></html>
`.toString();
}
