/**
 * What the gateway answers without asking a function: a request that it cannot read, one too large or too many, a
 * function that broke. They carry the service's envelope, as those of `infra/local/gateway-error.ts` do.
 */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { apiVersion } from '../shared/api-version.ts';
import { type ErrorCode, errorCodes } from '../shared/errors.ts';

/** Adds them to the API. */
export function addGatewayResponses(api: RestApi): void {
  addError(api, 'Default5xx', ResponseType.DEFAULT_5XX, known('internal_error'));
  addError(api, 'Throttled', ResponseType.THROTTLED, {
    ...known('rate_limit_exceeded'),
    headers: { 'Retry-After': "'1'" },
  });
  addError(api, 'TooLarge', ResponseType.REQUEST_TOO_LARGE, known('body_too_large', 'body'));
  addError(api, 'Filtered', ResponseType.WAF_FILTERED, {
    error: {
      message: "This deployment's firewall does not let the request pass.",
      type: 'permission_error',
      code: 'request_filtered',
    },
  });
  addError(api, 'Default4xx', ResponseType.DEFAULT_4XX, {
    error: {
      message: 'The request is not valid HTTP.',
      type: 'invalid_request_error',
      code: 'malformed_request',
    },
  });
}

interface Answer {
  /** Absent: the status that the gateway itself would give. */
  readonly status?: number;
  readonly error: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the service's own table. */
function known(code: ErrorCode, field?: string): Answer {
  const { status, type, message } = errorCodes[code];
  return { status, error: { message, type, code, field } };
}

function addError(api: RestApi, id: string, type: ResponseType, { status, error, headers }: Answer): void {
  api.addGatewayResponse(id, {
    type,
    ...(status !== undefined && { statusCode: String(status) }),
    responseHeaders: {
      'Cache-Control': "'no-store'",
      'X-Request-Id': 'context.requestId',
      'X-API-Version': `'${apiVersion}'`,
      ...headers,
    },
    templates: { 'application/json': JSON.stringify({ error }) },
  });
}
