/** Authenticates requests: 401, 429 and 403. */

import { ApiError } from '../../base/errors.ts';
import { failsFirst, requestsCounted } from '../../base/test-fault.ts';
import { hasKeyForm, parseApiKey } from '../../domain/auth/api-key.ts';
import {
  type AuthorizationResult,
  authorizeRequest,
  authorizeUnknownPath,
  recallRefusal,
  refuseRequest,
} from '../../domain/auth/authorize-request.ts';
import { requirementsOf } from '../../domain/auth/permissions.ts';
import { limitSourceAddress } from '../../domain/auth/rate-limit.ts';
import { storedApiVersion } from '../../domain/versions/versions.ts';
import type { Route } from '../routes.ts';
import { notAKey, presentedKey } from './presented-key.ts';
import type { ApiMiddleware, ApiRequest } from './request-state.ts';

/**
 * Sets the principal, the rate-limit window and the API version of a request.
 * @param loadEarly starts the reads that the request needs, during the call that authenticates it; a refused request
 *   does not wait for them
 * @throws ApiError 401, 429 or 403
 */
export function authentication(route: Route, loadEarly: (request: ApiRequest) => void): ApiMiddleware {
  return {
    before: async (request) => {
      const { window, principal, rights, refusal } = await authenticate(route, request, loadEarly);
      request.internal.rateLimit = window;
      if (rights)
        request.internal.apiVersion = request.internal.askedVersion ?? storedApiVersion(rights.apiVersion);
      if (principal) request.internal.principal = principal;
      if (refusal) throw refusal;
    },
  };
}

async function authenticate(
  route: Route,
  request: ApiRequest,
  loadEarly: (request: ApiRequest) => void,
): Promise<AuthorizationResult> {
  const { event, internal: state } = request;
  const { sourceIp } = event.requestContext.identity;
  const { startedAt: now } = state;
  if (!isUnderApi(route, event.path)) return limitSourceAddress(sourceIp, now);
  const presented = presentedKey(event);
  if ('fault' in presented) return refuseRequest(presented.fault, sourceIp, now);
  const apiKey = await parseApiKey(presented.apiKey);
  if (!apiKey) return refuseRequest(refusalOf(presented.apiKey), sourceIp, now);
  state.apiKey = apiKey;
  const remembered = await recallRefusal(apiKey, sourceIp, now);
  if (remembered) return remembered;
  if (route.method === 'ANY') return authorizeUnknownPath(apiKey, sourceIp, now);
  loadEarly(request);
  const creates = state.deferredError || failsFirst(state.testFault) ? undefined : route.creates;
  const writes = route.method !== 'GET';
  const requests = requestsCounted(state.testFault);
  const permissions = requirementsOf(route, state.input);
  const access = { permissions, creates, writes, requests };
  return authorizeRequest(apiKey, access, sourceIp, now);
}

/** Only paths under `/api` need a key. The path of the catch-all can be percent-encoded in any way. */
function isUnderApi(route: Route, path: string): boolean {
  return /^\/+api(\/|$)/.test(route.method === 'ANY' ? decodePath(path) : route.path);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A value with the form of a key gets no reason: nobody learns which part of it is wrong. */
const refusalOf = (value: string) => (hasKeyForm(value) ? new ApiError('invalid_api_key') : notAKey(value));
