/** Compresses the bodies of pages. API Gateway gets them as base64, and sends the bytes. */
import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** The answer of a function with a text as its body. */
type TextResult = Pick<APIGatewayProxyResult, 'statusCode' | 'multiValueHeaders' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** A shorter body is in the first packet of the connection in both forms. */
const leastBytes = 1_024;

/**
 * Compresses a page with gzip if the client accepts that. Returns a short one as it is.
 * @param accepted the header `Accept-Encoding` of the request
 */
export function compressPage(result: TextResult, accepted: string | undefined): APIGatewayProxyResult {
  if (Buffer.byteLength(result.body) < leastBytes) return result;
  const headers = { ...result.headers, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(accepted)) return { ...result, headers };
  return compressedResult({ ...result, headers }, gzipBase64(result.body));
}

/** Returns the compressed form of an answer. @param gzip its body in the form of `gzipBase64` */
export function compressedResult(result: TextResult, gzip: string): APIGatewayProxyResult {
  return {
    ...result,
    headers: { ...result.headers, 'Content-Encoding': 'gzip' },
    body: gzip,
    isBase64Encoded: true,
  };
}

export const gzipBase64 = (text: string): string => gzipSync(text).toString('base64');

/** Whether `Accept-Encoding` names gzip and does not rule it out (RFC 9110, 12.5.3). */
export function acceptsGzip(accepted = ''): boolean {
  return /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted);
}
