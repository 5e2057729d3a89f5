/**
 * One log line a request: what was asked of whom, how it ended and what it cost. Never a key, a body, a query or a
 * full address. Its fields are listed here one by one; an error's text appears only where the answer is a 500.
 */
import type { MiddlewareObj } from '@middy/core';
import { shortened } from '../admission/source-address.ts';
import { ApiError, type ErrorType } from '../errors.ts';
import { loggable, logger } from '../log.ts';
import { measured } from '../metrics.ts';
import type { Route } from '../routes.ts';
import { now } from '../time.ts';
import type { ApiResponse, Exchange } from './exchange.ts';

/** What becomes of a request that is not admitted. */
const refusals: readonly ErrorType[] = ['authentication_error', 'permission_error', 'rate_limit_error'];

/** Writes the line when the request ends, however it does. @param route whose method and path it tells */
export function requestLog(route: Route): MiddlewareObj<Exchange, ApiResponse> {
  const write = (exchange: Exchange, response?: ApiResponse | null, error?: Error | null) => {
    const told = error instanceof ApiError ? error : undefined;
    const fault = error && !told ? loggable(error) : undefined;
    const code = told?.code ?? (fault && 'internal_error');
    const isRefused = told && refusals.includes(told.type);
    logger[fault ? 'error' : 'info']('request', {
      requestId: exchange.requestId,
      route: `${route.method} ${route.path}`,
      account: exchange.admission?.owner.account,
      mode: exchange.admission?.owner.mode,
      source: shortened(exchange.sourceIp),
      status: response?.status,
      replayed: response?.headers['Idempotent-Replayed'] === 'true' ? true : undefined,
      durationMs: now() - exchange.now,
      dynamodbCalls: exchange.count.calls,
      dynamodbCallsInSequence: exchange.count.inSequence,
      error: fault,
      ...measured({ Requests: 1, Errors: code && 1, AdmissionRefusals: isRefused ? 1 : undefined }, { code }),
    });
  };
  return {
    after: ({ event, response }) => write(event, response),
    onError: ({ event, response, error }) => write(event, response, error),
  };
}
