/**
 * A web page: a route of the table as a Lambda handler with web manners instead of the API's. No key, no envelope;
 * HTML, or a redirect after a form was taken. What is shown is the page's own affair.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { env } from '../env.ts';
import type { Route } from '../routes.ts';
import { countingCalls } from '../store/client.ts';
import { fromGateway, toGateway } from './api-event.ts';
import type { ApiResponse, Exchange } from './exchange.ts';
import { pageHeaders } from './page-headers.ts';
import { requestLog } from './request-log.ts';
import { decodeUtf8 } from './strict-json.ts';

/** What a page answers: something to show, or where to go on, relative to the page. */
export type PageAnswer<View> =
  | {
      readonly status: 200 | 400 | 403 | 404 | 429 | 500;
      readonly view: View;
      readonly retryAfterSeconds?: number;
    }
  | { readonly redirectTo: string };

export interface PageRequest {
  readonly exchange: Exchange;
  /** The fields of the form that was sent; those of GET are none. A repeated field has its first value. */
  readonly form: URLSearchParams;
}

interface Page<View> {
  readonly handle: (request: PageRequest) => Promise<PageAnswer<View>>;
  readonly render: (view: View) => string;
  readonly contentSecurityPolicy: string;
  /** Shown for a form that was sent from elsewhere, or is none. */
  readonly refused: View;
  readonly failed: (requestId: string) => View;
}

const maxFormBytes = 16 * 1024;

/** The Lambda handler of a page. It never throws. */
export function page<View>(
  route: Route,
  { handle, render, contentSecurityPolicy, refused, failed }: Page<View>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const toResponse = (exchange: Exchange, answer: PageAnswer<View>): ApiResponse => {
    const headers: Record<string, string> = {
      ...pageHeaders(contentSecurityPolicy),
      'X-Request-Id': exchange.requestId,
    };
    if ('redirectTo' in answer)
      return { status: 303, body: '', headers: { ...headers, Location: answer.redirectTo } };
    const { status, view, retryAfterSeconds } = answer;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
    return { status, body: render(view), headers };
  };

  const chain = middy<Exchange, ApiResponse>()
    .use(requestLog(route))
    .onError((request) => {
      const { event: exchange } = request;
      request.response = toResponse(exchange, { status: 500, view: failed(exchange.requestId) });
    })
    .handler(async (exchange) => {
      const form = route.method === 'GET' ? new URLSearchParams() : formOf(exchange);
      if (!form) return toResponse(exchange, { status: 403, view: refused });
      return toResponse(exchange, await handle({ exchange, form }));
    });

  return async (event, context) => {
    const exchange = fromGateway(event);
    return toGateway(await countingCalls(exchange.count, () => chain(exchange, context)));
  };
}

/** The form that was sent from a page of this service; undefined if it was sent from elsewhere, or is none. */
function formOf(exchange: Exchange): URLSearchParams | undefined {
  const { headers, bytes } = exchange;
  if (!isSameOrigin(headers)) return undefined;
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')) return undefined;
  const text = bytes.length <= maxFormBytes ? decodeUtf8(bytes) : undefined;
  return text === undefined ? undefined : new URLSearchParams(text);
}

/** Browsers say where a form comes from, the older ones by `Origin` only; what is no browser cannot be misled. */
function isSameOrigin({ 'sec-fetch-site': site, origin, host }: Record<string, string>): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(env.payUrlBase()).origin || new URL(origin).host === host;
}
