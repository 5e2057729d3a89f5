/**
 * Defines the responses that the gateway sends without a function: for malformed, oversize, throttled and filtered
 * requests, and for functions that fail. They use the service's error envelope. `infra/local/gateway-error.ts` defines
 * the same responses for the local stack.
 */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { securityHeaders } from '../shared/api/http/security-headers.ts';
import { ApiError, type CodeWithMessage, docUrlOf, errorBody } from '../shared/base/errors.ts';
import { firstApiVersion } from '../shared/domain/versions/versions.ts';

/**
 * Adds the responses to the API.
 * @param baseUrl the base URL of the service, below which the docs of error codes are
 */
export function addGatewayResponses(api: RestApi, baseUrl: string): void {
  const serviceError = (code: CodeWithMessage, field?: string): GatewayErrorResponse => {
    const error = new ApiError(code, field === undefined ? {} : { field });
    return { status: error.status, ...errorBody(error, baseUrl) };
  };
  const docUrl = docUrlOf(baseUrl);
  addError(api, 'Default5xx', ResponseType.DEFAULT_5XX, serviceError('internal_error'));
  addError(api, 'Throttled', ResponseType.THROTTLED, {
    ...serviceError('rate_limit_exceeded'),
    headers: { 'Retry-After': "'1'" },
  });
  addError(api, 'TooLarge', ResponseType.REQUEST_TOO_LARGE, serviceError('body_too_large', 'body'));
  addError(api, 'Filtered', ResponseType.WAF_FILTERED, {
    error: {
      message: 'The firewall of this deployment blocked the request.',
      type: 'permission_error',
      code: 'request_filtered',
      docUrl,
    },
  });
  addError(api, 'Default4xx', ResponseType.DEFAULT_4XX, {
    error: {
      message: 'The request is not valid HTTP.',
      type: 'invalid_request_error',
      code: 'malformed_request',
      docUrl,
    },
  });
}

interface GatewayErrorResponse {
  /** If it is absent, the gateway uses its default status. */
  readonly status?: number;
  readonly error: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function addError(
  api: RestApi,
  id: string,
  type: ResponseType,
  { status, error, headers }: GatewayErrorResponse,
): void {
  api.addGatewayResponse(id, {
    type,
    ...(status !== undefined && { statusCode: String(status) }),
    responseHeaders: {
      'Cache-Control': "'no-store'",
      'X-Request-Id': 'context.requestId',
      'X-API-Version': `'${firstApiVersion}'`,
      ...quoteHeaders(securityHeaders),
      ...headers,
    },
    templates: { 'application/json': JSON.stringify({ error }) },
  });
}

/** Writes constant headers as the gateway expects them: in single quotes. */
export const quoteHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
