/**
 * Renders the pages of the reference as HTML documents, from the OpenAPI document and the guides: one with all guides, and one
 * for each tag with its operations and objects.
 * - All pages have the same menu. A page is complete without its script, and loads nothing until the reader searches.
 * - A separate function serves them, so their texts are in no other function's bundle.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { operationTags } from '../../api/openapi/tags.ts';
import { apiVersions } from '../../domain/versions/versions.ts';
import type { Markup } from '../pages/markup.ts';
import { pageAddress, slugOf, withAddresses } from './addresses.ts';
import { objectsByTag } from './fields.ts';
import { type Guide, guides } from './guides.ts';
import { renderLayout } from './layout.ts';
import { headingId, headingsOf, htmlOf, inline, prose } from './prose.ts';
import { endpointSection, endpointsOf, objectSection } from './reference.ts';
import { sampleLanguages } from './samples.ts';

type Tag = (typeof operationTags)[number];

/** The reference of one version of the API at `baseUrl`, which has no trailing slash. */
interface Reference {
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
}

/**
 * Returns the renderers of the pages, by the part of the path after `/docs/`. It is empty for the page of the guides.
 * @param documentOf returns the document of the version that the pages describe
 * @param baseUrl the base URL of the service, without a trailing slash
 */
export function referencePages(
  documentOf: () => OpenApiDocument,
  baseUrl: string,
): Map<string, () => string> {
  const tagPages = operationTags.map(
    (tag) => [slugOf(tag.name), () => renderTag({ document: documentOf(), baseUrl }, tag)] as const,
  );
  return new Map([['', () => renderGuides({ document: documentOf(), baseUrl })], ...tagPages]);
}

function renderGuides(reference: Reference): string {
  const { document, baseUrl } = reference;
  const { title, description } = document.info;
  // The guides explain the rest in more detail.
  const [opening = ''] = description.split('\n\n');
  const tags = operationTags.map(
    ({ name, description: text }) =>
      html`<li><a href="${pageAddress(document, baseUrl, slugOf(name))}">${name}</a>: ${inline(firstSentence(text))}</li>`,
  );
  const main = html`<h1>${title} API</h1>${versionLine(reference, '')}
<div class="prose lead">${prose(opening)}</div>
<section class="group" aria-label="Guides">${guides(document, baseUrl).map(guideSection)}</section>
<section class="guide" id="reference"><h2>Operations and objects</h2><div class="prose"><ul>${tags}</ul></div></section>
`;
  return renderPage(reference, { page: '', title: `${title} API reference`, main });
}

function renderTag(reference: Reference, { name, description }: Tag): string {
  const { document } = reference;
  const page = slugOf(name);
  const objects = (objectsByTag[name] ?? []).map(
    (object) => objectSection(document.components.schemas, object).html,
  );
  const main = html`<section id="${page}"><h1>${name}</h1>${versionLine(reference, page)}
<div class="prose lead">${prose(description)}</div></section>
<section class="group"><h2>Operations</h2>${endpointsOf(document, name).map((endpoint) => endpointSection(document, endpoint))}</section>
${objects.length > 0 && html`<section class="group"><h2>Objects</h2>${objects}</section>`}`;
  return renderPage(reference, { page, title: `${name} · ${document.info.title} API reference`, main });
}

function renderPage(
  { document, baseUrl }: Reference,
  { page, title, main }: { readonly page: string; readonly title: string; readonly main: Markup },
): string {
  const navigation = menu({ document, baseUrl }, page);
  const text = renderLayout({ baseUrl, title, navigation, options: languageChoice, main });
  return withAddresses(text, document, baseUrl, page);
}

/** Returns links to the page in the other versions, and to what is about versions. */
function versionLine({ document, baseUrl }: Reference, page: string): Markup {
  const shown = document.info['x-api-version'];
  const links = apiVersions.map((version) =>
    version === shown
      ? html`<strong>${version}</strong> `
      : html`<a href="${baseUrl}/docs${page && `/${page}`}?version=${version}">${version}</a> `,
  );
  return html`<p class="version">Version ${links} · <a href="${baseUrl}/docs/changes">Changes</a> ·
<a href="${baseUrl}/openapi.json?version=${shown}">OpenAPI document</a></p>`;
}

const languageChoice = html`<fieldset><legend>Language of the samples</legend>
${sampleLanguages.map(
  ({ id, name }, index) =>
    html`<label><input type="radio" name="samples" id="${id}"${index === 0 && html` checked`}> ${name}</label> `,
)}</fieldset>`;

/** Returns the menu of all pages. The script searches the pages whose links have the class `page`. */
function menu({ document, baseUrl }: Reference, page: string): Markup {
  const entry = (id: string, text: string | undefined) => html`<li><a href="#${id}">${text}</a></li>`;
  const pageLink = (target: string, text: string) =>
    html`<a class="page" href="${pageAddress(document, baseUrl, target)}"${target === page && html` aria-current="page"`}>${text}</a>`;
  return html`<h2>Guides</h2><ul><li>${pageLink('', 'All guides')}</li>${guides(document, baseUrl).map(guideEntry)}</ul>
<h2>Reference</h2><ul>${operationTags.map(({ name }) => {
    const operations = endpointsOf(document, name).map(({ operation }) =>
      entry(operation.operationId, operation.summary),
    );
    const objects = (objectsByTag[name] ?? []).map((object) => entry(object, `The ${object} object`));
    return html`<li>${pageLink(slugOf(name), name)}<ul class="entries">${operations}${objects}</ul></li>`;
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

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
