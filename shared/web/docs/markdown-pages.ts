/** Renders the pages for language models: `/llms.txt` (llmstxt.org), and each guide, each error code and the versions as Markdown. */

import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import { firstApiVersion, newestApiVersion } from '../../domain/versions/versions.ts';
import { addressOfPart } from './addresses.ts';
import { changesMarkdown } from './changes-page.ts';
import { errorCodeTexts } from './error-pages.ts';
import { type Guide, guides } from './guides.ts';
import { markdownOf } from './prose.ts';

/** The key of `/llms.txt` among the pages. The other keys are what follows `/docs/`. */
const llmsKey = '/llms.txt';

/**
 * Returns the renderers of the pages for the API at `baseUrl`, by the part of the path after `/docs/`.
 */
export function markdownPages(document: OpenApiDocument, baseUrl: string): Map<string, () => string> {
  const all = guides(document, baseUrl);
  const pages = all.map(
    (guide) => [`${guide.id}.md`, () => markdownOf([`# ${guide.title}`, ...guide.text])] as const,
  );
  const codes = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const render = () => {
      const { head, text, example } = errorCodeTexts(document, code, baseUrl);
      return markdownOf([head, ...text, ...example]);
    };
    return [`errors/${code}.md`, render] as const;
  });
  const texts: (readonly [string, () => string])[] = [
    ...pages,
    ...codes,
    ['changes.md', () => changesMarkdown(document, baseUrl)],
    [llmsKey, () => renderIndex(document, all, baseUrl)],
  ];
  return new Map(
    texts.map(([key, render]) => [key, () => `${withMarkdownAddresses(render(), document, all, baseUrl)}\n`]),
  );
}

/** Returns the media type of a page. Undefined if it is an HTML page. */
export function textTypeOf(key: string): string | undefined {
  if (key === llmsKey) return 'text/plain; charset=utf-8';
  return key.endsWith('.md') ? 'text/markdown; charset=utf-8' : undefined;
}

/** Links to a part of the reference page get their address: a guide in Markdown, an error code, or that part. */
function withMarkdownAddresses(
  text: string,
  document: OpenApiDocument,
  all: readonly Guide[],
  baseUrl: string,
): string {
  const target = (id: string) => {
    if (all.some((guide) => guide.id === id)) return `${baseUrl}/docs/${id}.md`;
    return id.startsWith('error-')
      ? `${baseUrl}/docs/errors/${id.slice(6)}`
      : addressOfPart(document, baseUrl, id);
  };
  return text.replace(/\]\(#([^)]+)\)/g, (_, id) => `](${target(id)})`);
}

function renderIndex(document: OpenApiDocument, all: readonly Guide[], baseUrl: string): string {
  const [summary = '', ...details] = document.info.description.split('\n\n');
  const links = all.map(
    (guide) => `- [${guide.title}](${baseUrl}/docs/${guide.id}.md): ${firstSentence(guide)}`,
  );
  return `# ${document.info.title} API

> ${summary}

${details.join('\n\n')}

## Guides

${links.join('\n')}

## Reference

- [OpenAPI 3.1 document](${baseUrl}/openapi.json): All operations of the newest version, with their parameters, bodies, responses and errors. Send the header \`X-API-Version: ${newestApiVersion}\`.
- [Versions](${baseUrl}/docs/changes.md): What each version of the API adds, and how a request selects one.
- [OpenAPI 3.1 document of the first version](${baseUrl}/openapi.json?version=${firstApiVersion}): For API keys of version ${firstApiVersion}.
- [Error codes](${baseUrl}/docs/errors): What each error code means, and how to fix it. The address of a code with \`.md\` at its end is its page as Markdown.

## Optional

- [Reference for people](${baseUrl}/docs): All guides on one HTML page, and a page with samples for each group of operations.`;
}

/** Returns the beginning of a guide, up to the end of its first sentence. */
function firstSentence({ text: [opening] }: Guide): string {
  // A period or a colon within code does not end the sentence.
  const [sentence = ''] = /^(?:`[^`]*`|[^`.:]|[.:](?! |$))*/.exec(String(opening)) ?? [];
  return `${sentence}.`;
}
