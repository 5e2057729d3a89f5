/** Makes handlers whose answer stays the same while an instance lives, such as the API's description. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { env } from '../env.ts';
import type { Route } from '../routes.ts';
import { apiHandler, headerValue } from './api-handler.ts';
import { errorEnvelope } from './error-envelope.ts';
import { requestLog } from './request-log.ts';
import { transportSecurity } from './transport-security.ts';

interface Content {
  readonly text: string;
  /** In its base64 form. */
  readonly gzip: string;
  readonly etag: string;
}

/**
 * The handler of a route that anyone can read. It sends gzip to clients that accept it, and 304 to clients that have the
 * content already. Clients may keep the content for five minutes.
 * @param makeText is called once for each instance
 */
export function staticResponse(
  route: Route,
  makeText: () => string,
  headers: Readonly<Record<string, string>>,
) {
  let content: Content | undefined;
  return apiHandler()
    .use(httpHeaderNormalizer())
    .use(requestLog(route))
    .use(errorEnvelope())
    .handler(async (event): Promise<APIGatewayProxyResult> => {
      content ??= contentOf(makeText());
      const all = {
        ...headers,
        ...transportSecurity,
        'Cache-Control': 'public, max-age=300',
        ETag: content.etag,
        Vary: 'Accept-Encoding',
        'X-Request-Id': event.requestContext.requestId,
        'X-Remit-Version': env.version(),
      };
      const known = headerValue(event, 'if-none-match')?.split(/\s*,\s*/) ?? [];
      if (known.includes(content.etag)) return { statusCode: 304, headers: all, body: '' };
      if (!acceptsGzip(headerValue(event, 'accept-encoding'))) {
        return { statusCode: 200, headers: all, body: content.text };
      }
      return {
        statusCode: 200,
        headers: { ...all, 'Content-Encoding': 'gzip' },
        body: content.gzip,
        isBase64Encoded: true,
      };
    });
}

function contentOf(text: string): Content {
  return {
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
