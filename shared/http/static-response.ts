/** Makes handlers whose answer stays the same while an instance lives, such as the API's description. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { env } from '../env.ts';
import type { Route } from '../routes.ts';
import { apiHandler, headerValue, paramsOf } from './api-handler.ts';
import { errorEnvelope } from './error-envelope.ts';
import { requestLog } from './request-log.ts';
import { transportSecurity } from './transport-security.ts';

/** Texts that stay the same while an instance lives. */
export interface StaticPages {
  /** Renders each page once. The key is the parameter `page` of the path, or empty for a path without it. */
  readonly pages: ReadonlyMap<string, () => string>;
  /** Renders the page with status 404 for all other keys. */
  readonly notFound?: () => string;
}

interface Content {
  readonly status: 200 | 404;
  readonly text: string;
  /** In its base64 form. */
  readonly gzip: string;
  readonly etag: string;
}

/**
 * The handler of routes that anyone can read. It sends gzip to clients that accept it, and 304 to clients that have the
 * content already. Clients may keep the content for five minutes.
 * @param route names the route in the log
 * @param makePages is called once for each instance
 */
export function staticResponse(
  route: Route,
  makePages: () => StaticPages,
  headers: Readonly<Record<string, string>>,
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
    const made = contentOf(render ? 200 : 404, (render ?? pages.notFound ?? missing)());
    contents.set(entry, made);
    return made;
  };
  return apiHandler()
    .use(httpHeaderNormalizer())
    .use(requestLog(route))
    .use(errorEnvelope())
    .handler(async (event): Promise<APIGatewayProxyResult> => {
      const { status, text, gzip, etag } = contentFor(pageOf(event));
      const all = {
        ...headers,
        ...transportSecurity,
        'Cache-Control': 'public, max-age=300',
        ETag: etag,
        Vary: headers.Vary ? `${headers.Vary}, Accept-Encoding` : 'Accept-Encoding',
        'X-Request-Id': event.requestContext.requestId,
        'X-Remit-Version': env.version(),
      };
      const known = headerValue(event, 'if-none-match')?.split(/\s*,\s*/) ?? [];
      if (status === 200 && known.includes(etag)) return { statusCode: 304, headers: all, body: '' };
      if (!acceptsGzip(headerValue(event, 'accept-encoding'))) {
        return { statusCode: status, headers: all, body: text };
      }
      return {
        statusCode: status,
        headers: { ...all, 'Content-Encoding': 'gzip' },
        body: gzip,
        isBase64Encoded: true,
      };
    });
}

/** No page has this key, because a path parameter is not empty after its slashes are removed. */
const notFoundEntry = '/';

function missing(): never {
  throw new Error('The route has no page for unknown paths. Add one, or remove the parameter from the path.');
}

/** Returns the key of the requested page: the parameter `page` without slashes at its end. */
function pageOf(event: APIGatewayProxyEvent): string {
  return (paramsOf(event).page ?? '').replace(/\/+$/, '');
}

function contentOf(status: Content['status'], text: string): Content {
  return {
    status,
    text,
    gzip: gzipSync(text).toString('base64'),
    // Weak, because the compressed form has the same tag.
    etag: `W/"${createHash('sha256').update(text).digest('base64url')}"`,
  };
}

/** Whether `Accept-Encoding` names gzip and does not rule it out (RFC 9110, 12.5.3). */
function acceptsGzip(accepted = ''): boolean {
  return /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted);
}
