/**
 * Makes the Lambda handler of an endpoint that gets the bytes of the body as they were sent, because the sender has signed
 * them. It needs no API key. Its answers carry no detail.
 */
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import type { Route } from '../routes.ts';
import { type ApiContext, apiHandler, bodyBytesOf, paramsOf } from './api-handler.ts';
import { requestLog } from './request-log.ts';
import type { ApiMiddleware } from './request-state.ts';
import { securityHeaders } from './security-headers.ts';

/** A request with its body as it was sent. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The last value of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  readonly now: Instant;
}

const maxBytes = 64 * 1024;

/** The middy handler of `route`. A body of more than 64 KiB gets 400, and an error 500. */
export function rawEndpoint(route: Route, handle: (request: RawRequest) => Promise<200 | 400>) {
  const failure: ApiMiddleware = {
    onError: (request) => {
      request.response = responseOf(request.event, 500);
    },
  };
  return apiHandler()
    .use(httpHeaderNormalizer())
    .use(requestLog(route))
    .use(failure)
    .handler(async (event, { state }: ApiContext) => {
      const body = bodyBytesOf(event);
      if (body.length > maxBytes) return responseOf(event, 400);
      const headers = Object.fromEntries(
        Object.entries(event.multiValueHeaders ?? {}).map(([name, values]) => [
          name.toLowerCase(),
          values?.at(-1),
        ]),
      );
      const request = { params: paramsOf(event), headers, body, now: state.startedAt };
      return responseOf(event, await handle(request));
    });
}

function responseOf({ requestContext }: APIGatewayProxyEvent, statusCode: number): APIGatewayProxyResult {
  const headers = {
    ...securityHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestContext.requestId,
    'X-Remit-Version': env.version(),
  };
  return { statusCode, headers, body: '{}' };
}
