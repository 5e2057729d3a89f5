/** Answers that stay the same while an instance lives, such as the API's description. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { fromGateway } from './api-event.ts';

export type StaticAnswer = (event: APIGatewayProxyEvent) => APIGatewayProxyResult;

/**
 * A Lambda handler that answers `text` to anyone, compressed to whoever understands that, and 304 to whoever has it.
 * It may be kept for five minutes.
 */
export function staticAnswer(text: string, headers: Readonly<Record<string, string>>): StaticAnswer {
  // Weak, as it is that of the compressed form, too.
  const etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  const compressed = gzipSync(text).toString('base64');
  return (event) => {
    const { requestId, headers: sent } = fromGateway(event);
    const all = {
      ...headers,
      ...{ 'Cache-Control': 'public, max-age=300', ETag: etag, Vary: 'Accept-Encoding' },
      'X-Request-Id': requestId,
    };
    if (sent['if-none-match']?.split(/\s*,\s*/).includes(etag))
      return { statusCode: 304, headers: all, body: '' };
    if (!takesGzip(sent['accept-encoding'])) return { statusCode: 200, headers: all, body: text };
    return {
      ...{ statusCode: 200, headers: { ...all, 'Content-Encoding': 'gzip' } },
      ...{ body: compressed, isBase64Encoded: true },
    };
  };
}

/** Whether `Accept-Encoding` names gzip and does not rule it out (RFC 9110, 12.5.3). */
function takesGzip(accepted = ''): boolean {
  return /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted);
}
