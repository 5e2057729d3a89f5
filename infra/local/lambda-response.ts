/**
 * Validates and converts the result of a function. It rejects the same results as API Gateway.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { GatewayResponse } from './gateway-error.ts';

/** Headers of the connection, which only the gateway sets. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the HTTP response of a function result. @throws TypeError if it is not an `APIGatewayProxyResult` */
export function readLambdaResponse(result: unknown): GatewayResponse {
  if (typeof result !== 'object' || result === null)
    throw new TypeError('The function did not return an object.');
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`The function returned the invalid status ${String(statusCode)}.`);
  }
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw new TypeError('The function returned a body that is not a string.');
  }
  return {
    status,
    headers: readHeaders(headers, multiValueHeaders),
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

/** Merges the headers. A multi-value header overrides a single header of the same name. */
function readHeaders(single: unknown, multi: unknown): readonly (readonly [string, string])[] {
  const merged = new Map<string, readonly [name: string, values: readonly unknown[]]>();
  for (const [name, value] of entriesOf(single)) merged.set(name.toLowerCase(), [name, [value]]);
  for (const [name, values] of entriesOf(multi)) {
    if (!Array.isArray(values))
      throw new TypeError(`The function returned a multi-value header ${name} that is not a list.`);
    merged.set(name.toLowerCase(), [name, values]);
  }
  const pairs: [string, string][] = [];
  for (const [lowerCase, [name, values]] of merged) {
    if (connectionHeaders.has(lowerCase)) continue;
    validateHeaderName(name);
    for (const value of values) {
      validateHeaderValue(name, String(value));
      pairs.push([name, String(value)]);
    }
  }
  return pairs;
}

function entriesOf(headers: unknown): [string, unknown][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== 'object')
    throw new TypeError('The function returned headers that are not an object.');
  return Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
}
