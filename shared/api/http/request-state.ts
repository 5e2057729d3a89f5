/** Defines what the middleware of one request and its endpoint share, in middy's `request.internal`. */
import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { TestFault } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import type { ParsedApiKey } from '../../domain/auth/api-key.ts';
import type { RateLimitWindow } from '../../domain/auth/rate-limit-window.ts';
import type { ApiVersion } from '../../domain/versions/versions.ts';
import type { Principal } from '../../store/account-state.ts';
import type { CallCount } from '../../store/call-count.ts';
import type { IdempotencyRecord, RequestKey } from '../../store/commit/idempotency-records.ts';
import type { LeftOutItems } from '../../store/left-out-items.ts';

/** The handler sets the first three when the request arrives. The middleware and the endpoint set the others on its way. */
export type RequestState = {
  /** When the request arrived. */
  readonly startedAt: Instant;
  /** The DynamoDB calls of the request so far. */
  readonly callCount: CallCount;
  /** The malformed items that the answer leaves out. */
  readonly leftOut: LeftOutItems;
  /** The first error in the request itself. It is reported after authentication. */
  deferredError?: ApiError;
  /** The version in the header `X-API-Version`, if it is valid. */
  askedVersion?: ApiVersion;
  /** The version in which the request is judged and answered. Set once its API key is authenticated. */
  apiVersion?: ApiVersion;
  /** Query and body after validation. */
  input?: { readonly query: unknown; readonly body: unknown };
  /** The API key that the request presents. It is not authenticated yet. */
  apiKey?: ParsedApiKey;
  /** Set once the request is authenticated, within its rate limit and permitted. */
  principal?: Principal;
  rateLimit?: RateLimitWindow;
  /** The invoice of a payment page. */
  invoice?: LoggedInvoice;
  /** Set if DynamoDB throttled the request until its deadline: when the client can send it again. */
  retryAfterSeconds?: number;
  /** The value of the `Idempotency-Key` header, if it is valid. */
  idempotencyKey?: string;
  requestKey?: RequestKey;
  /** The fault that the client asks for in test mode. */
  testFault?: TestFault;
  /** Reads that run during authentication. */
  loaded?: Promise<unknown>;
  /** Returns the value of the header `Remit-Warning` for an answer, or undefined. */
  warning?: Promise<((answer: never) => string | undefined) | undefined>;
  idempotencyLoaded?: Promise<IdempotencyRecord | undefined>;
  /** The idempotency record of the earlier request that this one repeats. */
  repeated?: IdempotencyRecord;
};

/** What the log line of a payment page says about its invoice. */
export interface LoggedInvoice extends Owner {
  readonly id: string;
}

/** A request of API Gateway's REST API (v1) on its way through the middleware. */
export type ApiRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context, RequestState>;

export type ApiMiddleware = MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  Context,
  RequestState
>;

/** Keeps the first error of the request, to be reported after authentication. Later ones are not reported. */
export function deferError(state: RequestState, error: ApiError): void {
  state.deferredError ??= error;
}
