/**
 * Renders the page at `/docs/changes`, and its text for `/docs/changes.md`: what each version of the API adds. The lists come from the tables that the service
 * uses, and the texts from the document of the newest version.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { versionChanges } from '../../domain/versions/changes.ts';
import {
  type VersionChange,
  type VersionedResource,
  versionedResources,
} from '../../domain/versions/version-change.ts';
import { apiVersions, currentApiVersion, firstApiVersion } from '../../domain/versions/versions.ts';
import type { Markup } from '../pages/markup.ts';
import { renderLayout } from './layout.ts';
import { codeBlock, inline } from './prose.ts';
import { parameterText } from './reference.ts';
import { type VersionStory, versionStories } from './version-stories.ts';

/** The schema and the list of each resource in the document. */
const resources: Readonly<Record<VersionedResource, { title: string; schema: string; path: string }>> = {
  invoices: { title: 'Invoices', schema: 'Invoice', path: '/api/invoices' },
  payments: { title: 'Payments', schema: 'Payment', path: '/api/payments' },
  refunds: { title: 'Refunds', schema: 'Refund', path: '/api/refunds' },
  webhooks: { title: 'Webhook endpoints', schema: 'Webhook', path: '/api/webhooks' },
  keys: { title: 'API keys', schema: 'ApiKey', path: '/api/keys' },
  events: { title: 'Events', schema: 'InvoiceUpdatedEvent', path: '/api/events' },
};

/**
 * Returns the page for the API at `baseUrl`.
 * @param newest the document of the newest version
 */
export function renderChanges(newest: OpenApiDocument, baseUrl: string): string {
  const links = apiVersions
    .map((version) => html`<li><a href="#${version}">${version}</a></li>`)
    .toReversed();
  return renderLayout({
    baseUrl,
    title: 'Versions · Remit API',
    navigation: html`<h2>Versions</h2><ul>${links}</ul>`,
    main: changesText(newest, baseUrl),
  });
}

/**
 * Renders what the page says.
 * @param newest the document of the newest version
 */
export function changesText(newest: OpenApiDocument, baseUrl: string): Markup {
  const sections = versionChanges.map((change) => versionSection(newest, change, baseUrl)).toReversed();
  return html`<h1>Versions of the API</h1><div class="prose lead"><p>A version is a date. The header
<code>X-API-Version</code> of a request selects one. Without it, the version of your API key applies. A new key has version
<code>${currentApiVersion}</code>, unless you create it for another one. A key keeps its version.</p>
<p>Each response names its version in the same header. A webhook endpoint gets events in the version of the request that created
it, and <a href="${baseUrl}/docs?version=${apiVersions.at(-1)}#updateWebhook"><code>PATCH /api/webhooks/{id}</code></a> changes
it. In a version, the fields and parameters of later versions are unknown. An idempotency key does not depend on the version: a
repeated request takes effect once, and is answered in its own version.</p></div>
${sections}<section class="guide" id="${firstApiVersion}"><h2>${versionLink(firstApiVersion, baseUrl)}</h2><div class="prose"><p>The
first version. It never gets another field.</p></div></section>`;
}

const versionLink = (version: string, baseUrl: string) =>
  html`<a href="${baseUrl}/docs?version=${version}">${version}</a>`;

function versionSection(newest: OpenApiDocument, change: VersionChange, baseUrl: string): Markup {
  const entries = versionedResources.flatMap((resource) => changesOf(newest, change, resource));
  const story = versionStories[change.version as keyof typeof versionStories];
  return html`<section class="guide" id="${change.version}"><h2>${versionLink(change.version, baseUrl)}</h2>${renderStory(story, change.version)}
<h3>All fields and parameters</h3>${entries}</section>`;
}

/** Renders what changed and why, and how to move to the version. */
function renderStory({ summary, changes, steps }: VersionStory, version: string): Markup {
  const items = changes.map(
    ({
      title,
      what,
      why,
      how,
      before,
      after,
    }) => html`<h3>${title}</h3><div class="prose"><p>${inline(what)}</p>
<p><strong>Why:</strong> ${inline(why)}</p><p><strong>How to move:</strong> ${inline(how)}</p><h4>Before</h4>${codeBlock(before, `${version}, before: ${title}`)}
<h4>After</h4>${codeBlock(after, `${version}, after: ${title}`)}</div>`,
  );
  return html`<div class="prose"><p>${inline(summary)}</p></div><h3>How to move to this version</h3>
<div class="prose"><ol>${steps.map((step) => html`<li>${inline(step)}</li>`)}</ol></div>${items}`;
}

function changesOf(
  { components, paths }: OpenApiDocument,
  { fields, parameters }: VersionChange,
  resource: VersionedResource,
): Markup[] {
  const { title, schema, path } = resources[resource];
  const texts = components.schemas[schema]?.properties ?? {};
  const described = paths[path]?.get?.parameters ?? [];
  const textOf = (name: string) =>
    described.flatMap((each) =>
      'name' in each && each.name === name ? parameterText(each.description, each.explode) : [],
    )[0] ?? '';
  const rows = [
    ...Object.keys(fields[resource]).map((name) => [name, 'field', texts[name]?.description ?? ''] as const),
    ...Object.entries(parameters[resource]).map(
      ([name, added]) =>
        [
          name,
          added === true ? 'query parameter' : 'more values of a query parameter',
          textOf(name),
        ] as const,
    ),
  ];
  if (rows.length === 0) return [];
  return [
    html`<h4>${title}</h4><dl class="fields">${rows.map(
      ([name, kind, text]) =>
        html`<div><dt><code>${name}</code> <span class="kind">${kind}</span></dt><dd><p>${inline(text)}</p></dd></div>`,
    )}</dl>`,
  ];
}
