/**
 * Renders the reference page as an HTML document, from the OpenAPI document and the guides.
 * - The page loads nothing else, so one request shows all of it. It is complete without its script.
 * - A separate function serves it, so its texts are in no other function's bundle.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { operationTags } from '../../api/openapi/tags.ts';
import { apiVersions } from '../../domain/versions/versions.ts';
import type { Markup } from '../pages/markup.ts';
import { objectsByTag } from './fields.ts';
import { type Guide, guides } from './guides.ts';
import { renderLayout } from './layout.ts';
import { headingId, headingsOf, htmlOf, inline, prose } from './prose.ts';
import { endpointSection, endpointsOf, objectSection } from './reference.ts';
import { sampleLanguages } from './samples.ts';

/** Returns the page for the API at `baseUrl`, which has no trailing slash. */
export function renderDocs(document: OpenApiDocument, baseUrl: string): string {
  const { title, description, 'x-api-version': version } = document.info;
  // The guides explain the rest in more detail.
  const [opening = ''] = description.split('\n\n');
  const chapters = guides(document, baseUrl);
  const main = html`<h1>${title} API</h1><p class="version">Version ${versionLinks(version, baseUrl)} · <a href="${baseUrl}/docs/changes">Changes</a> ·
<a href="${baseUrl}/openapi.json?version=${version}">OpenAPI document</a></p>
<div class="prose lead">${prose(opening)}</div>
<section class="group" aria-label="Guides">${chapters.map(guideSection)}</section>
${operationTags.map((tag) => tagSection(document, tag))}
`;
  return renderLayout({
    baseUrl,
    title: `${title} API reference`,
    navigation: navigation(document, chapters),
    options: languageChoice,
    main,
  });
}

/** Returns links to the page in the other versions. */
function versionLinks(shown: string, baseUrl: string): Markup[] {
  return apiVersions.map((version) =>
    version === shown
      ? html`<strong>${version}</strong> `
      : html`<a href="${baseUrl}/docs?version=${version}">${version}</a> `,
  );
}

const languageChoice = html`<fieldset><legend>Language of the samples</legend>
${sampleLanguages.map(
  ({ id, name }, index) =>
    html`<label><input type="radio" name="samples" id="${id}"${index === 0 && html` checked`}> ${name}</label> `,
)}</fieldset>`;

function navigation(document: OpenApiDocument, chapters: readonly Guide[]): Markup {
  return html`<h2>Guides</h2><ul>${chapters.map(guideEntry)}</ul>
<h2>Reference</h2><ul>${operationTags.map(({ name }) => {
    const entries = endpointsOf(document, name).map(
      ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    );
    return html`<li><a href="#${name}"><strong>${name}</strong></a><ul class="entries">${entries}</ul></li>`;
  })}</ul>`;
}

function guideSection({ id, title, text }: Guide): Markup {
  return html`<section class="guide" id="${id}"><h2>${title}</h2><div class="prose">${htmlOf(text, { deeper: 1, id })}</div></section>`;
}

function guideEntry({ id, title, text }: Guide): Markup {
  const headings = headingsOf(text).map(
    (heading) => html`<li><a href="#${headingId(id, heading)}">${inline(heading)}</a></li>`,
  );
  return html`<li><a href="#${id}">${title}</a>${headings.length > 0 && html`<ul class="entries">${headings}</ul>`}</li>`;
}

function tagSection(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Markup {
  return html`<section class="group" id="${name}"><h2>${name}</h2><div class="prose lead">${prose(description)}</div>
${endpointsOf(document, name).map((endpoint) => endpointSection(document, endpoint))}
${(objectsByTag[name] ?? []).map((object) => objectSection(document.components.schemas, object).html)}</section>`;
}
