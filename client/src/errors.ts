/** Everything that the client throws, as classes: one for each `type` of the API's errors, and those of the way to it. */
import { parseJson } from './parse-json.ts';
import type { ErrorCode, ErrorType } from './schemas.ts';

interface ErrorDetail extends ErrorOptions {
  readonly type?: ErrorType | undefined;
  readonly code?: string | undefined;
  readonly field?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The base of all; as such, an answer that is not the API's, such as a proxy's. */
export class RemitError extends Error {
  override readonly name: string = 'RemitError';
  /** The kind of error; undefined if the API has not said. */
  declare readonly type: ErrorType | undefined;
  /** What is wrong, for programs. */
  declare readonly code: ErrorCode | undefined;
  /** The parameter that is wrong, as a dotted path. */
  declare readonly field: string | undefined;
  /** The HTTP status; undefined if there was no answer. */
  declare readonly status: number | undefined;
  /** Names the request in the service's log; undefined if there was no answer. */
  declare readonly requestId: string | undefined;
  /** How long the service asks to wait before the next try. */
  declare readonly retryAfterSeconds: number | undefined;

  constructor(message: string, detail: ErrorDetail = {}) {
    super(message, detail);
    Object.assign(this, detail);
  }
}

/** 400: a parameter is missing or wrong; `field` names it. */
export class ValidationError extends RemitError {
  override readonly name = 'ValidationError';
  declare readonly type: 'validation_error';
  declare readonly code: ErrorCode<'validation_error'>;
  declare readonly field: string;
}

/** 400: the request is well-formed, but the resource's state does not allow it. */
export class InvalidRequestError extends RemitError {
  override readonly name = 'InvalidRequestError';
  declare readonly type: 'invalid_request_error';
  declare readonly code: ErrorCode<'invalid_request_error'>;
}

/** 400: the idempotency key is malformed, or was used for another request. */
export class IdempotencyError extends RemitError {
  override readonly name = 'IdempotencyError';
  declare readonly type: 'idempotency_error';
  declare readonly code: ErrorCode<'idempotency_error'>;
}

/** 401: the API key is missing, unknown, expired or revoked. */
export class AuthenticationError extends RemitError {
  override readonly name = 'AuthenticationError';
  declare readonly type: 'authentication_error';
  declare readonly code: ErrorCode<'authentication_error'>;
}

/** 403: the API key has not the permission that this needs. */
export class PermissionError extends RemitError {
  override readonly name = 'PermissionError';
  declare readonly type: 'permission_error';
  declare readonly code: ErrorCode<'permission_error'>;
}

/** 404: there is no such resource. */
export class NotFoundError extends RemitError {
  override readonly name = 'NotFoundError';
  declare readonly type: 'not_found_error';
  declare readonly code: ErrorCode<'not_found_error'>;
}

/** 429: the hour's requests are used up; `retryAfterSeconds` says how long it lasts. */
export class RateLimitError extends RemitError {
  override readonly name = 'RateLimitError';
  declare readonly type: 'rate_limit_error';
  declare readonly code: ErrorCode<'rate_limit_error'>;
}

/** 500: something went wrong on the service's side. */
export class ServerError extends RemitError {
  override readonly name = 'ServerError';
  declare readonly type: 'api_error';
  declare readonly code: ErrorCode<'api_error'>;
}

/** There was no answer, or only part of one; `cause` is what `fetch` has said. */
export class ConnectionError extends RemitError {
  override readonly name: string = 'ConnectionError';
}

/** There was no answer within `timeoutMs`. */
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
  readonly error?: { message?: string; type?: ErrorType; code?: string; field?: string };
}

/** The error that an answer tells of; `text` is its body. */
export function errorOf(response: Response, text: string): RemitError {
  const { message, type, code, field } = (parseJson(text) as Envelope | undefined)?.error ?? {};
  return new (classes[type as ErrorType] ?? RemitError)(
    message ?? `HTTP ${response.status} without an error of the API, perhaps from a proxy.`,
    { ...originOf(response), type, code, field, retryAfterSeconds: retryAfterOf(response) },
  );
}

/** Which request it was, as far as an answer has come. */
export function originOf(response: Response | undefined): Pick<ErrorDetail, 'status' | 'requestId'> {
  return { status: response?.status, requestId: response?.headers.get('x-request-id') ?? undefined };
}

/** A `Retry-After` is a number of seconds or a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : undefined;
}
