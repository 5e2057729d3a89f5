/**
 * Renders the page at `/docs/changes`, also as Markdown: what each version of the API adds. The lists come from the tables that
 * the service uses, and the texts from the document of the newest version.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { versionChanges } from '../../domain/versions/changes.ts';
import {
  type VersionChange,
  type VersionedResource,
  versionedResources,
} from '../../domain/versions/version-change.ts';
import { apiVersions, firstApiVersion, newestApiVersion } from '../../domain/versions/versions.ts';
import { addressOfPart } from './addresses.ts';
import { fieldBlock } from './fields.ts';
import { renderLayout } from './layout.ts';
import { type Block, fenced, htmlOf, inline, markdownOf } from './prose.ts';
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

const title = 'Versions of the API';

/**
 * Returns the page for the API at `baseUrl`.
 * @param newest the document of the newest version
 */
export function renderChanges(newest: OpenApiDocument, baseUrl: string): string {
  const links = apiVersions
    .map((version) => html`<li><a href="#${version}">${version}</a></li>`)
    .toReversed();
  const sections = sectionsOf(newest).map(
    ([version, text]) =>
      html`<section class="guide" id="${version}"><h2>${inline(versionLink(version, baseUrl))}</h2><div class="prose">${htmlOf(text, { deeper: 1, id: version })}</div></section>`,
  );
  return renderLayout({
    baseUrl,
    title: 'Versions · Remit API',
    navigation: html`<h2>Versions</h2><ul>${links}</ul>`,
    main: html`<h1>${title}</h1><div class="prose lead">${htmlOf(introduction(newest, baseUrl))}</div>${sections}`,
  });
}

/**
 * Returns the page as Markdown.
 * @param newest the document of the newest version
 */
export function changesMarkdown(newest: OpenApiDocument, baseUrl: string): string {
  const sections = sectionsOf(newest).flatMap(([version, text]) => [
    `## ${versionLink(version, baseUrl)}`,
    ...text,
  ]);
  return markdownOf([`# ${title}`, ...introduction(newest, baseUrl), ...sections]);
}

const introduction = (newest: OpenApiDocument, baseUrl: string) => [
  `A version is a date. The header \`X-API-Version\` of a request selects one. Without it, the version of your API key applies. A key from the dashboard or the command line has version \`${newestApiVersion}\`, unless you choose another one. A key that a program creates has the version of the key that creates it. A key changes its version only if you change it, in the dashboard or with [\`PATCH /api/keys/{id}\`](${addressOfPart(newest, baseUrl, 'updateApiKey')}).`,
  `Each response names its version in the same header. A webhook endpoint gets events in the version of the request that created it. One from the dashboard has version \`${newestApiVersion}\`, unless you choose another one. [\`PATCH /api/webhooks/{id}\`](${addressOfPart(newest, baseUrl, 'updateWebhook')}) changes it. In a version, the fields and parameters of later versions are unknown. An idempotency key does not depend on the version: a repeated request takes effect once, and is answered in its own version.`,
];

const versionLink = (version: string, baseUrl: string) => `[${version}](${baseUrl}/docs?version=${version})`;

/** Returns the versions with their texts, newest first. */
function sectionsOf(newest: OpenApiDocument): (readonly [version: string, text: readonly Block[]])[] {
  const later = versionChanges.map((change) => {
    const story = versionStories[change.version as keyof typeof versionStories];
    const entries = versionedResources.flatMap((resource) => changesOf(newest, change, resource));
    return [
      change.version,
      [...storyOf(story, change.version), '## All fields and parameters', ...entries],
    ] as const;
  });
  return [...later.toReversed(), [firstApiVersion, ['The first version. It never gets another field.']]];
}

/** Tells what changed and why, and how to move to the version. */
function storyOf({ summary, changes, steps }: VersionStory, version: string): readonly string[] {
  return [
    summary,
    '## How to move to this version',
    steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    ...changes.flatMap(({ title, what, why, how, before, after }) => [
      `## ${title}`,
      what,
      `**Why:** ${why}`,
      `**How to move:** ${how}`,
      '**Before:**',
      fenced(before, 'text', `${version}, before: ${title}`),
      '**After:**',
      fenced(after, 'text', `${version}, after: ${title}`),
    ]),
  ];
}

function changesOf(
  { components, paths }: OpenApiDocument,
  { fields, parameters }: VersionChange,
  resource: VersionedResource,
): Block[] {
  const { title, schema, path } = resources[resource];
  const texts = components.schemas[schema]?.properties ?? {};
  const described = paths[path]?.get?.parameters ?? [];
  const textOf = (name: string) =>
    described.flatMap((each) =>
      'name' in each && each.name === name ? parameterText(each.description, each.explode) : [],
    )[0] ?? '';
  const rows = [
    ...Object.keys(fields[resource]).map((name) => ({
      name,
      type: 'field',
      description: texts[name]?.description ?? '',
    })),
    ...Object.entries(parameters[resource]).map(([name, added]) => ({
      name,
      type: added === true ? 'query parameter' : 'more values of a query parameter',
      description: textOf(name),
    })),
  ];
  return rows.length === 0 ? [] : [`### ${title}`, fieldBlock(rows)];
}
