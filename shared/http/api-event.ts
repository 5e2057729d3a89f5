/** The only file that knows the gateway's shape: API Gateway REST events (v1) in, proxy results out. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { now } from '../time.ts';
import type { ApiResponse, Exchange } from './exchange.ts';

/** The exchange that an event begins. */
export function fromGateway(event: APIGatewayProxyEvent): Exchange {
  const allHeaders = lowerCased(event.multiValueHeaders ?? {});
  return {
    requestId: event.requestContext.requestId,
    method: event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod,
    path: event.path,
    params: definedOnly(event.pathParameters ?? {}),
    query: queryOf(event.multiValueQueryStringParameters ?? {}),
    headers: Object.fromEntries(
      Object.entries(allHeaders).map(([name, values]) => [name, values.at(-1) ?? '']),
    ),
    allHeaders,
    bytes: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    sourceIp: event.requestContext.identity.sourceIp,
    now: now(),
    count: { calls: 0, inSequence: 0 },
    body: undefined,
    isBase64Encoded: false,
    held: undefined,
    input: { query: undefined, body: undefined },
    claim: undefined,
    admission: undefined,
    window: undefined,
    idempotencyKey: undefined,
    requestKey: undefined,
    ahead: undefined,
    idempotencyAhead: undefined,
    repeated: undefined,
  };
}

/** The proxy result of an answer. */
export function toGateway({ status, headers, body }: ApiResponse): APIGatewayProxyResult {
  return { statusCode: status, headers, body };
}

function lowerCased(headers: Record<string, string[] | undefined>): Record<string, string[]> {
  const all: Record<string, string[]> = Object.create(null);
  for (const [name, values] of Object.entries(headers)) {
    const key = name.toLowerCase();
    all[key] = [...(all[key] ?? []), ...(values ?? [])];
  }
  return all;
}

function queryOf(parameters: Record<string, string[] | undefined>): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, values] of Object.entries(parameters)) {
    query[name] = values?.length === 1 ? (values[0] ?? '') : (values ?? '');
  }
  return query;
}

function definedOnly(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value ?? '']));
}
