/**
 * The pipeline's gate: 401, 429, 403. Beside the call that admits the request, what it will need to read is read
 * already; a refusal does not wait for that, and its outcome is dropped.
 */
import type { MiddlewareObj } from '@middy/core';
import type { ErrorCode } from '../errors.ts';
import type { ApiResponse, Exchange } from '../http/exchange.ts';
import type { Route } from '../routes.ts';
import { admit, admitSource, recallRefusal, refuse, type Verdict } from './admit.ts';
import { claimOf } from './api-key.ts';

/** @param readAhead begins the reads that the request needs, on behalf of whom the key claims to be */
export function admission(
  route: Route,
  readAhead: (exchange: Exchange) => void,
): MiddlewareObj<Exchange, ApiResponse> {
  return {
    before: async ({ event: exchange }) => {
      const { window, admission, refusal } = await judge(route, exchange, readAhead);
      exchange.window = window;
      exchange.admission = admission;
      if (refusal) throw refusal;
    },
  };
}

async function judge(
  route: Route,
  exchange: Exchange,
  readAhead: (exchange: Exchange) => void,
): Promise<Verdict> {
  const { sourceIp, now } = exchange;
  if (!isUnderApi(route, exchange.path)) return admitSource(sourceIp, now);
  const presented = presentedKey(exchange.allHeaders.authorization ?? []);
  if ('fault' in presented) return refuse(presented.fault, sourceIp, now);
  const claim = await claimOf(presented.apiKey);
  if (!claim) return refuse('invalid_api_key', sourceIp, now);
  exchange.claim = claim;
  const remembered = await recallRefusal(claim, sourceIp, now);
  if (remembered) return remembered;
  readAhead(exchange);
  const draws = exchange.held ? undefined : route.draws;
  return admit(claim, { permission: route.permission, draws }, sourceIp, now);
}

/** Outside of the API there is nothing that a key could open. The catch-all's path may be spelled in any way. */
function isUnderApi(route: Route, path: string): boolean {
  return /^\/+api(\/|$)/.test(route.method === 'ANY' ? decoded(path) : route.path);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The key of `Authorization: Bearer <API_KEY>`; the scheme's case does not matter. */
function presentedKey(authorization: readonly string[]): { apiKey: string } | { fault: ErrorCode } {
  const values = new Set(authorization.map((value) => value.trim()));
  const [value = ''] = values;
  if (/^(bearer)?$/i.test(value)) return { fault: 'missing_api_key' };
  const [, apiKey] = /^bearer +(\S+)$/i.exec(value) ?? [];
  return apiKey && values.size === 1 ? { apiKey } : { fault: 'invalid_api_key' };
}
