/**
 * Converts an HTTP request into a REST API event of API Gateway (payload version 1).
 */
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { now, rememberLastTime } from '../../shared/base/time.ts';
import { decodeQuery } from './percent.ts';
import type { RouteMatch } from './route-table.ts';

export interface EventSource {
  readonly request: IncomingMessage;
  readonly match: RouteMatch;
  /** The normalized path, not decoded. */
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly requestId: string;
}

const stage = 'local';
const accountId = '000000000000';

/**
 * Returns the event of a request. As the deployed gateway treats every media type as binary, the body is always base64.
 * An empty body is null.
 */
export function toApiGatewayEvent({
  request,
  match,
  path,
  query,
  body,
  requestId,
}: EventSource): APIGatewayProxyEvent {
  const headers = groupByName(headerPairs(request.rawHeaders), (name) => name.toLowerCase());
  const parameters = groupByName(decodeQuery(query), (name) => name);
  const epochMs = now();
  const { route, pathParameters } = match;
  return {
    resource: route.path,
    path,
    httpMethod: request.method ?? 'GET',
    headers: lastValues(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: parameters.length > 0 ? lastValues(parameters) : null,
    multiValueQueryStringParameters: parameters.length > 0 ? Object.fromEntries(parameters) : null,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    stageVariables: null,
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: true,
    requestContext: {
      accountId,
      apiId: 'local',
      authorizer: null,
      domainName: request.headers.host?.replace(/:\d*$/, ''),
      domainPrefix: 'local',
      extendedRequestId: requestId,
      httpMethod: request.method ?? 'GET',
      identity: identity(request),
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: commonLogTime(epochMs),
      requestTimeEpoch: epochMs,
      resourceId: route.path,
      resourcePath: route.path,
      stage,
    },
  };
}

function identity(request: IncomingMessage): APIGatewayProxyEvent['requestContext']['identity'] {
  return {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, ''),
    user: null,
    userAgent: request.headers['user-agent'] ?? null,
    userArn: null,
  };
}

function headerPairs(rawHeaders: readonly string[]): (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}

/** Groups the values by name, in order. Names with the same `identityOf` form one group under their first spelling. */
function groupByName(
  pairs: readonly (readonly [string, string])[],
  identityOf: (name: string) => string,
): (readonly [string, string[]])[] {
  const groups = new Map<string, readonly [string, string[]]>();
  for (const [name, value] of pairs) {
    const group = groups.get(identityOf(name));
    if (group) group[1].push(value);
    else groups.set(identityOf(name), [name, [value]]);
  }
  return [...groups.values()];
}

function lastValues(groups: readonly (readonly [string, string[]])[]): Record<string, string> {
  return Object.fromEntries(groups.map(([name, values]) => [name, values.at(-1) ?? '']));
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const formatSecond = rememberLastTime((second) => {
  const text = new Date(second * 1000).toISOString();
  return `${text.slice(8, 10)}/${months[Number(text.slice(5, 7)) - 1]}/${text.slice(0, 4)}:${text.slice(11, 19)} +0000`;
});

/** Formats a time like the field `requestTime` of API Gateway: 21/Nov/2026:09:45:00 +0000. */
const commonLogTime = (epochMs: number): string => formatSecond(Math.floor(epochMs / 1000));
