/**
 * Reads what a function returned to the gateway; what API Gateway would refuse is refused here as well.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { GatewayAnswer } from './gateway-error.ts';

/** Headers that belong to the connection: the gateway sets them itself. */
const ownHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** The HTTP answer of a function's result. Throws if it is not an `APIGatewayProxyResult`. */
export function readLambdaAnswer(result: unknown): GatewayAnswer {
  if (typeof result !== 'object' || result === null) throw new TypeError('The function returned no object.');
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`The function returned the status ${String(statusCode)}.`);
  }
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw new TypeError('The function returned a body that is no string.');
  }
  return {
    status,
    headers: readHeaders(headers, multiValueHeaders),
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Multi-value headers win over single ones of the same name. */
function readHeaders(single: unknown, multi: unknown): readonly (readonly [string, string])[] {
  const merged = new Map<string, readonly (readonly [string, string])[]>();
  for (const [name, value] of entriesOf(single)) merged.set(name.toLowerCase(), [[name, String(value)]]);
  for (const [name, values] of entriesOf(multi)) {
    if (!Array.isArray(values)) throw new TypeError(`The function returned no list for the header ${name}.`);
    merged.set(
      name.toLowerCase(),
      values.map((value) => [name, String(value)] as const),
    );
  }
  const pairs = [...merged].filter(([name]) => !ownHeaders.has(name)).flatMap(([, values]) => values);
  for (const [name, value] of pairs) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return pairs;
}

function entriesOf(headers: unknown): [string, unknown][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== 'object') throw new TypeError('The function returned headers that are no object.');
  return Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
}
