/** Makes handlers whose answer stays the same while an instance lives, such as the API's description. */
import { createHash } from 'node:crypto';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { env } from '../../base/env.ts';
import type { Route } from '../routes.ts';
import { apiHandler, headerValue, paramsOf, queryOf } from './api-handler.ts';
import { acceptsGzip, compressedResult, gzipBase64 } from './compression.ts';
import { errorEnvelope } from './error-envelope.ts';
import { requestLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';

/**
 * The header of public documents: a page of any other site, such as an editor of API descriptions, may read them. Answers of
 * the API do not have it, because a browser must hold no API key.
 */
export const readableByAnySite = { 'Access-Control-Allow-Origin': '*' } as const;

/** Texts that stay the same while an instance lives. */
export interface StaticPages {
  /**
   * Renders each page once. The key is the parameter `page` of the path. Without it, the key is empty for the route that names
   * the handler, and the path for others. `keyOfVersion` returns the end of the keys of variants for versions of the API.
   */
  readonly pages: ReadonlyMap<string, () => string>;
  /** Renders the page for all other keys. Its status is 404, or `notFoundStatus`. */
  readonly notFound?: () => string;
  readonly notFoundStatus?: 400;
}

interface Content {
  readonly status: 200 | 400 | 404;
  readonly text: string;
  /** In its base64 form. */
  readonly gzip: string;
  readonly etag: string;
  readonly contentType: string | undefined;
}

/**
 * The handler of routes that anyone can read. It sends gzip to clients that accept it, and 304 to clients that have the
 * content already. Clients may keep the content for five minutes.
 * @param route names the route in the log
 * @param makePages is called once for each instance
 * @param contentTypeOf returns the `Content-Type` of a page, if it is another one than that of \`headers\`
 */
export function staticResponse(
  route: Route,
  makePages: () => StaticPages,
  headers: Readonly<Record<string, string>>,
  contentTypeOf: (key: string) => string | undefined = () => undefined,
) {
  let pages: StaticPages | undefined;
  const contents = new Map<string, Content>();
  const contentFor = (key: string): Content => {
    pages ??= makePages();
    const render = pages.pages.get(key);
    // All unknown pages share one entry, so strangers cannot fill the memory.
    const entry = render ? key : notFoundEntry;
    const known = contents.get(entry);
    if (known) return known;
    const made = contentOf(
      render ? 200 : (pages.notFoundStatus ?? 404),
      (render ?? pages.notFound ?? missing)(),
      render && contentTypeOf(key),
    );
    contents.set(entry, made);
    return made;
  };
  return apiHandler()
    .use(httpHeaderNormalizer())
    .use(requestLog(route))
    .use(errorEnvelope())
    .handler(async (event): Promise<APIGatewayProxyResult> => {
      const { status, text, gzip, etag, contentType } = contentFor(keyOf(event, route.path));
      const all = {
        ...headers,
        ...(contentType !== undefined && { 'Content-Type': contentType }),
        ...securityHeaders,
        'Cache-Control': 'public, max-age=300',
        ETag: etag,
        Vary: headers.Vary ? `${headers.Vary}, Accept-Encoding` : 'Accept-Encoding',
        'X-Request-Id': event.requestContext.requestId,
        'X-Remit-Version': env.version(),
      };
      const known =
        headerValue(event, 'if-none-match')
          ?.split(',')
          .map((each) => each.trim()) ?? [];
      if (status === 200 && known.includes(etag)) return { statusCode: 304, headers: all, body: '' };
      const result = { statusCode: status, headers: all, body: text };
      return acceptsGzip(headerValue(event, 'accept-encoding')) ? compressedResult(result, gzip) : result;
    });
}

/** No page has this key: a path parameter has no slash at its end, and a version has no slash. */
const notFoundEntry = '/';

function missing(): never {
  throw new Error('The route has no page for unknown paths. Add one, or remove the parameter from the path.');
}

/** Returns the key of the requested page. The path of a page is without slashes at its end. */
function keyOf(event: APIGatewayProxyEvent, ownPath: string): string {
  const { page } = paramsOf(event);
  if (page === undefined && event.resource !== ownPath) return event.resource;
  const { version } = queryOf(event);
  const own = page?.replace(/\/+$/, '') ?? '';
  return version === undefined ? own : `${own}${keyOfVersion(String(version))}`;
}

/** Returns the end of the key of a page's variant for a version of the API, which the query parameter `version` names. */
export const keyOfVersion = (version: string): string => `?version=${version}`;

function contentOf(status: Content['status'], text: string, contentType: string | undefined): Content {
  return {
    status,
    text,
    contentType,
    gzip: gzipBase64(text),
    // Weak, because the compressed form has the same tag.
    etag: `W/"${createHash('sha256').update(text).digest('base64url')}"`,
  };
}
