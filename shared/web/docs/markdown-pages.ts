/** Renders the pages for language models: `/llms.txt` (llmstxt.org), and each guide, each error code and the versions as Markdown. */

import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import { newestApiVersion } from '../../domain/versions/versions.ts';
import { changesText } from './changes-page.ts';
import { errorCodeText } from './error-pages.ts';
import { type Guide, guides } from './guides.ts';
import { markdownOf } from './markdown.ts';

/** The key of `/llms.txt` among the pages. The other keys are what follows `/docs/`. */
const llmsKey = '/llms.txt';

/**
 * Returns the renderers of the pages for the API at `baseUrl`, by the part of the path after `/docs/`.
 * @param newest returns the document of the newest version
 */
export function markdownPages(
  document: OpenApiDocument,
  newest: () => OpenApiDocument,
  baseUrl: string,
): Map<string, () => string> {
  const all = guides(document, baseUrl);
  const pages = all.map((guide) => [`${guide.id}.md`, () => renderGuide(guide, all, baseUrl)] as const);
  const codes = (Object.keys(errorCodes) as ErrorCode[]).map(
    (code) =>
      [
        `errors/${code}.md`,
        () => markdownOf(errorCodeText(document, code, baseUrl), (href) => href),
      ] as const,
  );
  const changes = () => markdownOf(changesText(newest(), baseUrl), (href) => href);
  return new Map([
    ...pages,
    ...codes,
    ['changes.md', changes],
    [llmsKey, () => renderIndex(document, all, baseUrl)],
  ]);
}

/** Returns the media type of a page. Undefined if it is an HTML page. */
export function textTypeOf(key: string): string | undefined {
  if (key === llmsKey) return 'text/plain; charset=utf-8';
  return key.endsWith('.md') ? 'text/markdown; charset=utf-8' : undefined;
}

function renderGuide({ title, text }: Guide, all: readonly Guide[], baseUrl: string): string {
  return `# ${title}\n\n${markdownOf(text, (href) => urlOf(href, all, baseUrl))}`;
}

/** Returns the address of what a link of the reference page leads to: a guide in Markdown, an error code, or a part of that page. */
function urlOf(href: string, all: readonly Guide[], baseUrl: string): string {
  if (!href.startsWith('#')) return href;
  const id = href.slice(1);
  if (all.some((guide) => guide.id === id)) return `${baseUrl}/docs/${id}.md`;
  return id.startsWith('error-') ? `${baseUrl}/docs/errors/${id.slice(6)}` : `${baseUrl}/docs${href}`;
}

function renderIndex(document: OpenApiDocument, all: readonly Guide[], baseUrl: string): string {
  const [summary = '', ...details] = document.info.description.split('\n\n');
  const links = all.map(
    (guide) => `- [${guide.title}](${baseUrl}/docs/${guide.id}.md): ${firstSentence(guide, all, baseUrl)}`,
  );
  return `# ${document.info.title} API

> ${summary}

${details.join('\n\n')}

## Guides

${links.join('\n')}

## Reference

- [OpenAPI 3.1 document](${baseUrl}/openapi.json): All operations with their parameters, bodies, responses and errors.
- [Versions](${baseUrl}/docs/changes.md): What each version of the API adds, and how a request selects one.
- [OpenAPI 3.1 document of the newest version](${baseUrl}/openapi.json?version=${newestApiVersion}): For requests with the header \`X-API-Version: ${newestApiVersion}\`.
- [Error codes](${baseUrl}/docs/errors): What each error code means, and how to fix it. The address of a code with \`.md\` at its end is its page as Markdown.

## Optional

- [Reference for people](${baseUrl}/docs): All guides and operations on one HTML page, with samples.
`;
}

/** Returns the beginning of a guide, up to the end of its first sentence. */
function firstSentence(guide: Guide, all: readonly Guide[], baseUrl: string): string {
  const [paragraph = ''] = markdownOf(guide.text, (href) => urlOf(href, all, baseUrl)).split('\n\n');
  // A period or a colon within code does not end the sentence.
  const [sentence = ''] = /^(?:`[^`]*`|[^`.:]|[.:](?! |$))*/.exec(paragraph) ?? [];
  return `${sentence}.`;
}
