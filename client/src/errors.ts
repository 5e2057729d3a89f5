/** Defines all errors that the client throws: one class for each error type of the API, and classes for connection failures. */
import { parseJson } from './parse-json.ts';
import type { ErrorCode, ErrorType, FieldError } from './schemas.ts';

interface ErrorDetail extends ErrorOptions {
  readonly type?: ErrorType | undefined;
  readonly code?: string | undefined;
  readonly field?: string | undefined;
  readonly details?: readonly FieldError[] | undefined;
  readonly docUrl?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The base class of all errors. The client throws it directly if a response does not come from the API, but from a proxy for example. */
export class RemitError extends Error {
  override readonly name: string = 'RemitError';
  /** The category of the error. Undefined if the API did not send one. */
  declare readonly type: ErrorType | undefined;
  /** Identifies the error, for programs. */
  declare readonly code: ErrorCode | undefined;
  /** The invalid parameter, as a dotted path. */
  declare readonly field: string | undefined;
  /** All parameters that are missing, unknown or invalid, at most 20. The first one is also in `field`, `code` and `message`. */
  declare readonly details: readonly FieldError[] | undefined;
  /** The page about the error code. */
  declare readonly docUrl: string | undefined;
  /** The HTTP status. Undefined if there was no response. */
  declare readonly status: number | undefined;
  /** The ID of the request in the log of the service. Undefined if there was no response. */
  declare readonly requestId: string | undefined;
  /** The number of seconds to wait before the next attempt, if the service sent it. */
  declare readonly retryAfterSeconds: number | undefined;

  constructor(message: string, detail: ErrorDetail = {}) {
    super(message, detail);
    Object.assign(this, detail);
  }
}

/** 400: A parameter is missing or invalid. `field` names it. */
export class ValidationError extends RemitError {
  override readonly name = 'ValidationError';
  declare readonly type: 'validation_error';
  declare readonly code: ErrorCode<'validation_error'>;
  declare readonly field: string;
}

/** 400: The request is valid, but the state of the resource does not allow it. */
export class InvalidRequestError extends RemitError {
  override readonly name = 'InvalidRequestError';
  declare readonly type: 'invalid_request_error';
  declare readonly code: ErrorCode<'invalid_request_error'>;
}

/** 400: The idempotency key is invalid, or was used for a different request. */
export class IdempotencyError extends RemitError {
  override readonly name = 'IdempotencyError';
  declare readonly type: 'idempotency_error';
  declare readonly code: ErrorCode<'idempotency_error'>;
}

/** 401: The API key is missing, invalid, expired or revoked. */
export class AuthenticationError extends RemitError {
  override readonly name = 'AuthenticationError';
  declare readonly type: 'authentication_error';
  declare readonly code: ErrorCode<'authentication_error'>;
}

/** 403: The API key does not have the required permission. */
export class PermissionError extends RemitError {
  override readonly name = 'PermissionError';
  declare readonly type: 'permission_error';
  declare readonly code: ErrorCode<'permission_error'>;
}

/** 404: The resource does not exist. */
export class NotFoundError extends RemitError {
  override readonly name = 'NotFoundError';
  declare readonly type: 'not_found_error';
  declare readonly code: ErrorCode<'not_found_error'>;
}

/**
 * 429: You have used all requests of this hour, or you send too many at once, or the service is in maintenance (code
 * `maintenance`), the webhook endpoint is busy (code `webhook_busy`), or a limit of mails is reached (code `mail_limit_reached`). Wait for
 * `retryAfterSeconds`.
 */
export class RateLimitError extends RemitError {
  override readonly name = 'RateLimitError';
  declare readonly type: 'rate_limit_error';
  declare readonly code: ErrorCode<'rate_limit_error'>;
}

/** 500: An error occurred in the service, or it cannot read a stored record (code `record_unreadable`). */
export class ServerError extends RemitError {
  override readonly name = 'ServerError';
  declare readonly type: 'api_error';
  declare readonly code: ErrorCode<'api_error'>;
}

/** There was no response, or only an incomplete or invalid one. `cause` is the error of `fetch` or of the JSON parser. */
export class ConnectionError extends RemitError {
  override readonly name: string = 'ConnectionError';
}

/** There was no complete response within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

const classes: Record<ErrorType, typeof RemitError> = {
  validation_error: ValidationError,
  invalid_request_error: InvalidRequestError,
  idempotency_error: IdempotencyError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  rate_limit_error: RateLimitError,
  api_error: ServerError,
};

interface Envelope {
  readonly error?: { readonly message?: string } & Pick<
    ErrorDetail,
    'type' | 'code' | 'field' | 'details' | 'docUrl'
  >;
}

/** Returns the error for a response that is not successful. `text` is the response body. */
export function errorFromResponse(response: Response, text: string): RemitError {
  const { message, type, code, field, details, docUrl } =
    (parseJson(text) as Envelope | undefined)?.error ?? {};
  return new (classes[type as ErrorType] ?? RemitError)(
    message ??
      `The response has status ${response.status} and is not from the API, but perhaps from a proxy.`,
    {
      ...requestDetails(response),
      type,
      code,
      field,
      details,
      docUrl,
      retryAfterSeconds: parseRetryAfter(response),
    },
  );
}

/** Returns the status and the request ID of a response, if there is one. */
export function requestDetails(response: Response | undefined): Pick<ErrorDetail, 'status' | 'requestId'> {
  return { status: response?.status, requestId: response?.headers.get('x-request-id') ?? undefined };
}

/** Returns the `Retry-After` header in seconds. The header is a number of seconds or a date. */
function parseRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : undefined;
}
