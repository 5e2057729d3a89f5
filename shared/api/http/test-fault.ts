/**
 * Applies the header `X-Test-Fault`: a client of test mode asks for an error, a slow answer or disturbed webhooks.
 *
 * - A fault applies only to a request that a test key has authenticated. So the request counts against the rate limit like
 *   every other one, and nobody else can have a fault.
 * - A fault changes nothing that is stored for other requests.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { remainingMs } from '../../base/deadline.ts';
import { ApiError } from '../../base/errors.ts';
import { parseTestFault, type TestFault, type WebhookFault } from '../../base/test-fault.ts';
import type { ParsedApiKey } from '../../domain/auth/api-key.ts';
import type { Committed } from '../../store/commit/command.ts';
import type { Route } from '../routes.ts';
import { headerValues } from './api-handler.ts';
import { type ApiMiddleware, deferError, type RequestState } from './request-state.ts';

/** An error that the client asked for. It says so, and operators get no alarm for it. */
export class RequestedError extends ApiError {}

const requestedFailure = () =>
  new RequestedError('internal_error', {
    message:
      'The header X-Test-Fault asked for this error. You can send the request again with the same Idempotency-Key.',
  });

const requestedLimit = () =>
  new RequestedError('rate_limit_exceeded', {
    message:
      'The header X-Test-Fault asked for this error. Wait for the number of seconds in the Retry-After header.',
  });

const headerName = 'X-Test-Fault';

/** Reads the header. The catch-all ignores it. */
export function testFault({ method }: Route): ApiMiddleware {
  return {
    before: ({ event, internal: state }) => {
      const values = headerValues(event, headerName.toLowerCase());
      if (method === 'ANY' || values.length === 0) return;
      const fault = values.length === 1 ? parseTestFault(values[0] ?? '') : undefined;
      if (fault) state.testFault = fault;
      else deferError(state, new ApiError('invalid_test_fault', { field: headerName }));
    },
  };
}

/** Refuses the fault of a request with a live key. Runs before anything that the fault could change. */
export function refuseLiveFault(state: RequestState, { owner }: ParsedApiKey): void {
  if (!state.testFault || owner.mode === 'test') return;
  delete state.testFault;
  deferError(state, new ApiError('test_fault_in_live_mode', { field: headerName }));
}

/** The fault of an authenticated request in test mode. */
function faultOf({ testFault: fault, principal }: RequestState): TestFault | undefined {
  return principal?.owner.mode === 'test' ? fault : undefined;
}

/** Answers `rate-limited` as the limit itself does. @throws RequestedError */
export function limitOnRequest(): ApiMiddleware {
  return {
    before: ({ internal: state }) => {
      if (faultOf(state)?.kind !== 'rate-limited') return;
      if (state.rateLimit) state.rateLimit = { ...state.rateLimit, remaining: 0 };
      throw requestedLimit();
    },
  };
}

/**
 * Runs a request with its fault.
 *
 * - A stored answer is returned without `after-commit` and `slow`. So a client that sends the same headers with its retry
 *   gets the answer.
 * @throws RequestedError
 */
export async function withTestFault(
  state: RequestState,
  run: (webhookFault: WebhookFault | undefined) => Promise<Committed<unknown>>,
): Promise<Committed<unknown>> {
  const fault = faultOf(state);
  if (fault?.kind === 'before-commit') throw requestedFailure();
  const committed = await run(fault?.kind === 'webhook' ? fault.webhookFault : undefined);
  if (committed.replayed) return committed;
  if (fault?.kind === 'after-commit') throw requestedFailure();
  if (fault?.kind === 'slow') await wait(Math.min(fault.waitMs, Math.max(0, remainingMs())));
  return committed;
}
