/**
 * Writes one log line for each request: the route, the caller, the result and the cost.
 *
 * The fields are listed here one by one. An API key, a body, a query or a full address is never among them. The text of
 * an error is logged only where the answer is a 5xx. Other answers are those to a malformed request, so strangers cannot fill
 * the log of errors. The id of the key is logged also if the request is refused.
 */

import { ApiError, type ErrorType } from '../../base/errors.ts';
import { keyIdOf } from '../../base/ids.ts';
import { logger, serializeError } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import { now } from '../../base/time.ts';
import { truncateAddress } from '../../domain/auth/source-address.ts';
import type { Route } from '../routes.ts';
import { apiErrorOf } from './api-error.ts';
import type { ApiMiddleware, ApiRequest } from './request-state.ts';
import { RequestedError } from './test-fault.ts';

/** The types of errors with which a request is refused. */
const refusals: readonly ErrorType[] = ['authentication_error', 'permission_error', 'rate_limit_error'];

/** The statuses of refused requests. `infra/alarms.ts` has an alarm for each. */
const refusedStatuses = ['401', '403', '429'] as const;

/** Writes the line when the request ends. @param route names the route in the line */
export function requestLog(route: Route): ApiMiddleware {
  const write = ({ event, response, error, internal }: ApiRequest) => {
    const { startedAt, callCount, principal, apiKey, invoice } = internal;
    const owner = principal?.owner ?? invoice;
    const apiError = error instanceof ApiError ? error : undefined;
    const isFailure = error && !apiError && (response?.statusCode ?? 500) >= 500;
    const fault = isFailure ? serializeError(error) : undefined;
    const code = apiError?.code ?? (fault && apiErrorOf(error).code);
    const isRequested = apiError instanceof RequestedError;
    const isRefused = apiError && !isRequested && refusals.includes(apiError.type);
    const refusedStatus =
      code === 'maintenance' || isRequested
        ? undefined
        : refusedStatuses.find((status) => status === String(response?.statusCode));
    const { requestId, identity } = event.requestContext;
    logger[fault ? 'error' : 'info']('request', {
      requestId,
      route: `${route.method} ${route.path}`,
      key: apiKey && keyIdOf(apiKey.keyHash),
      account: owner?.account,
      mode: owner?.mode,
      invoice: invoice?.id,
      source: truncateAddress(identity.sourceIp),
      status: response?.statusCode,
      throttled: internal.retryAfterSeconds === undefined ? undefined : true,
      replayed: response?.headers?.['Idempotent-Replayed'] === 'true' ? true : undefined,
      durationMs: now() - startedAt,
      dynamodbCalls: callCount.calls,
      dynamodbCallsInSequence: callCount.inSequence,
      error: fault,
      testFault: internal.testFault?.kind,
      ...metricFields(
        {
          Requests: 1,
          Errors: isRequested ? undefined : code && 1,
          RequestedErrors: isRequested && response?.statusCode === 500 ? 1 : undefined,
          AdmissionRefusals: isRefused ? 1 : undefined,
          RefusedRequests: refusedStatus && 1,
          MalformedItems: code === 'record_unreadable' ? 1 : undefined,
        },
        { code, refusedStatus },
      ),
    });
  };
  return { after: write, onError: write };
}
