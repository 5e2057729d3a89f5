/**
 * Renders the pages at `/docs/errors`: an index of all error codes, a page for each code, and a page for unknown codes.
 * - Statuses, types, messages, fields and operations come from the tables of the service, so the pages are always current.
 */
import { html } from 'hono/html';
import type { OpenApiDocument } from '../../api/openapi/document-types.ts';
import { messagesOfCode } from '../../api/openapi/error-messages.ts';
import { errorTextOf } from '../../api/openapi/error-texts.ts';
import { errorCodesOf, fieldCodesOf, type OperationName } from '../../api/openapi/operation-errors.ts';
import { errorBodyExample } from '../../api/openapi/responses.ts';
import { type Route, routes } from '../../api/routes.ts';
import { type ErrorCode, type ErrorType, errorCodes } from '../../base/errors.ts';
import { apiVersions } from '../../domain/versions/versions.ts';
import type { Markup } from '../pages/markup.ts';
import { addressOfPart } from './addresses.ts';
import { renderLayout } from './layout.ts';
import { type Block, fenced, folded, htmlOf, list, plain } from './prose.ts';
import { type DocumentedOperation, endpointsOf } from './reference.ts';

const allCodes = Object.keys(errorCodes) as ErrorCode[];

const statusTexts: Readonly<Record<(typeof errorCodes)[ErrorCode]['status'], string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Returns the renderers of the pages for the API at `baseUrl`, by the part of the path after `/docs/`. */
export function errorPages(document: OpenApiDocument, baseUrl: string): Map<string, () => string> {
  const pages = new Map([['errors', () => renderIndex('Error codes', opening, baseUrl)]]);
  for (const code of allCodes) pages.set(`errors/${code}`, () => renderCode(document, code, baseUrl));
  return pages;
}

const opening = html`<p>Each error response contains one of these codes in <code>error.code</code>. Select a code to see what it
means and how to fix it.</p>`;

/**
 * Returns the page for a path under `/docs/` or a version of the reference that does not exist. It shows the versions and all
 * error codes.
 */
export function renderUnknownPage(baseUrl: string): string {
  const versions = apiVersions.map(
    (version) => html`<li><a href="${baseUrl}/docs?version=${version}">${version}</a></li>`,
  );
  const text = html`<p>This page does not exist. The <a href="${baseUrl}/docs">API reference</a> describes all operations. These are
its versions:</p><ul>${versions}</ul><p>These are all error codes:</p>`;
  return renderIndex('Page not found', text, baseUrl);
}

function renderIndex(title: string, text: Markup, baseUrl: string): string {
  const groups = codesByType().map(
    ([type, codes]) => html`<section class="guide"><h2><code>${type}</code></h2>
<dl class="fields">${codes.map((code) => indexEntry(code, baseUrl))}</dl></section>`,
  );
  return renderLayout({
    baseUrl,
    title: `${title} · Remit API`,
    navigation: navigation(baseUrl),
    main: html`<h1>${title}</h1><div class="prose lead">${text}</div>${groups}`,
  });
}

function indexEntry(code: ErrorCode, baseUrl: string): Markup {
  return html`<div><dt><a href="${baseUrl}/docs/errors/${code}"><code>${code}</code></a> <span class="kind">${errorCodes[code].status}</span></dt>
<dd><p>${messagesOfCode(code)[0]}</p></dd></div>`;
}

function codesByType(): (readonly [ErrorType, readonly ErrorCode[]])[] {
  return [...Map.groupBy(allCodes, (code) => errorCodes[code].type)];
}

function navigation(baseUrl: string, current?: ErrorCode): Markup {
  const groups = codesByType().map(([type, codes]) => {
    const links = codes.map((code) => {
      const here = code === current && html` aria-current="page"`;
      return html`<li><a href="${baseUrl}/docs/errors/${code}"${here}>${code}</a></li>`;
    });
    return html`<li><strong>${type}</strong><ul class="entries">${links}</ul></li>`;
  });
  return html`<ul><li><a href="${baseUrl}/docs">API reference</a></li><li><a href="${baseUrl}/docs/errors">All error codes</a></li></ul>
<h2>Error codes</h2><ul>${groups}</ul>`;
}

/** Lets a narrow screen break a code between its words. */
const breakable = (code: ErrorCode) =>
  code.split('_').map((word, index) => (index === 0 ? word : html`_<wbr>${word}`));

function renderCode(document: OpenApiDocument, code: ErrorCode, baseUrl: string): string {
  const { head, text, example } = errorCodeTexts(document, code, baseUrl);
  return renderLayout({
    baseUrl,
    title: `${code} · Remit API`,
    navigation: navigation(baseUrl, code),
    main: html`${head.html}
<div class="columns"><div class="prose">${htmlOf(text, { id: code })}</div><div class="samples">${htmlOf(example, { id: code })}</div></div>`,
  });
}

/** Returns what the page of an error code says, by its place on the page. */
export function errorCodeTexts(document: OpenApiDocument, code: ErrorCode, baseUrl: string) {
  const { status, type } = errorCodes[code];
  const { meaning, remedy, retry } = errorTextOf(code);
  const [firstField] = fieldsOf(code);
  const example = JSON.stringify(errorBodyExample(code, firstField), null, 2);
  const head = {
    markdown: `[Error codes](${baseUrl}/docs/errors)\n\n# ${code}\n\n*${status}* ${statusTexts[status]} · \`${type}\``,
    html: html`<p class="kind"><a href="${baseUrl}/docs/errors">Error codes</a></p>
<h1 class="code">${breakable(code)}</h1><p class="endpoint"><span class="method refused">${status}</span> ${statusTexts[status]} · <code>${type}</code></p>`,
  };
  const text = [
    '## What it means',
    meaning,
    list(messagesOfCode(code).map(plain)),
    '## How to fix it',
    remedy,
    '## Does a retry help?',
    retry,
    '## Where it occurs',
    ...(fieldRows(document, code, baseUrl) ?? operationList(document, code, baseUrl)),
  ];
  return {
    head,
    text,
    example: [`## Example response: ${status}`, fenced(example, 'json', 'Example response')],
  };
}

const allOperations = (document: OpenApiDocument): readonly DocumentedOperation[] =>
  document.tags.flatMap(({ name }) => endpointsOf(document, name));

const routeOf = ({ operation }: DocumentedOperation): Route => routes[operation.operationId as OperationName];

/** Returns the fields that can have the code, each once. */
function fieldsOf(code: ErrorCode): string[] {
  const found = Object.values<Route>(routes).flatMap((route) =>
    [...fieldCodesOf(route)].filter(([, each]) => each === code).map(([path]) => path),
  );
  return [...new Set(found)];
}

/** Lists the operations with the fields that can have the code. Undefined if the code is not about a field. */
function fieldRows(document: OpenApiDocument, code: ErrorCode, baseUrl: string): Block[] | undefined {
  const rows = allOperations(document).flatMap((endpoint) => {
    const paths = [...fieldCodesOf(routeOf(endpoint))].filter(([, each]) => each === code);
    if (paths.length === 0) return [];
    return [
      `${operationLink(document, endpoint, baseUrl)}: ${paths.map(([path]) => `\`${path}\``).join(', ')}`,
    ];
  });
  return rows.length === 0 ? undefined : [list(rows)];
}

function operationList(document: OpenApiDocument, code: ErrorCode, baseUrl: string): Block[] {
  const all = allOperations(document);
  const matching = all.filter((endpoint) =>
    [...errorCodesOf(endpoint.operation.operationId as OperationName, routeOf(endpoint)).values()].some(
      (codes) => codes.includes(code),
    ),
  );
  if (matching.length === 0) return ['Requests to a path or with a method that no operation has.'];
  const links = list(matching.map((endpoint) => operationLink(document, endpoint, baseUrl)));
  if (matching.length < all.length) return [links];
  return ['All operations can return it.', folded('All operations', [links])];
}

const operationLink = (
  document: OpenApiDocument,
  { method, path, operation }: DocumentedOperation,
  baseUrl: string,
): string =>
  `[${operation.summary}](${addressOfPart(document, baseUrl, operation.operationId)}) *${method} ${path}*`;
