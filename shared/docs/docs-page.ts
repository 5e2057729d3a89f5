/**
 * Renders the reference page as an HTML document, from the OpenAPI document and the guides.
 * - The page has no script and loads nothing else, so one request shows all of it.
 * - A separate function serves it, so its texts are in no other function's bundle.
 */
import { html, raw } from 'hono/html';
import { pagePolicy } from '../http/page-headers.ts';
import type { OpenApiDocument } from '../openapi/document-types.ts';
import { favicon, type Markup } from '../pages/markup.ts';
import { docsStylesheet } from './docs-style.ts';
import { objectsByTag } from './fields.ts';
import { type Guide, guides } from './guides.ts';
import { prose } from './prose.ts';
import { endpointSection, endpointsOf, objectSection } from './reference.ts';

/** The Content-Security-Policy of the page. It allows no form, because the page has none. */
export const docsCsp = pagePolicy(docsStylesheet, "'none'");

/** Returns the page for the API at `baseUrl`, which has no trailing slash. */
export function renderDocs(document: OpenApiDocument, baseUrl: string): string {
  const { title, version, description } = document.info;
  // The guides explain the rest in more detail.
  const [opening = ''] = description.split('\n\n');
  const chapters = guides(document, baseUrl);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${raw(favicon)}"><style>${raw(docsStylesheet)}</style></head>
<body><a class="skip" href="#main">Skip to content</a>
${navigation(document, chapters)}
<main id="main"><h1>${title} API</h1><p class="version">Version ${version} · <a href="${baseUrl}/openapi.json">OpenAPI document</a></p>
<div class="prose lead">${prose(opening)}</div>
<section class="group" aria-label="Guides">${chapters.map(guideSection)}</section>
${document.tags.map((tag) => tagSection(document, tag))}
</main></body></html>
`.toString();
}

function navigation(document: OpenApiDocument, chapters: readonly Guide[]): Markup {
  return html`<nav aria-label="Contents"><p class="brand">${document.info.title}</p>
<fieldset><legend>Language of the samples</legend>
<label><input type="radio" name="samples" id="curl" checked> curl</label>
<label><input type="radio" name="samples" id="typescript"> TypeScript</label></fieldset>
<h2>Guides</h2><ul>${chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
<h2>Reference</h2><ul>${document.tags.map(({ name }) => {
    const entries = endpointsOf(document, name).map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    );
    return html`<li><a href="#${name}"><strong>${name}</strong></a><ul class="entries">${entries}</ul></li>`;
  })}</ul></nav>`;
}

function guideSection({ id, title, text }: Guide): Markup {
  return html`<section class="guide" id="${id}"><h2>${title}</h2><div class="prose">${text}</div></section>`;
}

function tagSection(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Markup {
  return html`<section class="group" id="${name}"><h2>${name}</h2><div class="prose lead">${prose(description)}</div>
${endpointsOf(document, name).map((endpoint) => endpointSection(document, endpoint))}
${(objectsByTag[name] ?? []).map((object) => objectSection(document.components.schemas, object))}</section>`;
}
