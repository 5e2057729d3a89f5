/**
 * Makes the Lambda handler of a web page: a middy handler that answers HTML, or a redirect after a form was sent. A page
 * needs no API key and has no error envelope.
 */
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpUrlencodeBodyParser from '@middy/http-urlencode-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { env } from '../../base/env.ts';
import { decodeUtf8 } from '../../base/strict-json.ts';
import type { Instant } from '../../base/time.ts';
import type { Route } from '../routes.ts';
import { type ApiContext, apiHandler, bodyBytesOf, headerValue, paramsOf, queryOf } from './api-handler.ts';
import { compressPage } from './compression.ts';
import { type FileAnswer, fileResponse } from './file-response.ts';
import { pageHeaders } from './page-headers.ts';
import { requestLog } from './request-log.ts';
import type { ApiMiddleware, LoggedInvoice } from './request-state.ts';

/** The answer of a page: a view to render, a redirect to an address or to a path relative to the page, or a file. */
export type PageAnswer<View> =
  | {
      readonly status: 200 | 400 | 403 | 404 | 429 | 500 | 503;
      readonly view: View;
      readonly retryAfterSeconds?: number;
      /** The browser opens `to` after this time. It works without a script. */
      readonly refresh?: { readonly afterSeconds: number; readonly to: string } | undefined;
    }
  | { readonly redirectTo: string }
  /** Its media type is that of the route. */
  | { readonly file: FileAnswer };

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The fields of the form that was sent: the first value of each. Empty for GET. */
  readonly form: ReadonlyMap<string, string>;
  readonly sourceIp: string;
  readonly now: Instant;
  /** Names the invoice that the request is about in its log line. */
  readonly logInvoice: (invoice: LoggedInvoice) => void;
}

/** What a request says of its reader. */
export interface PageReader {
  readonly query: PageRequest['query'];
  /** The header `Accept-Language`. */
  readonly accepted: string | undefined;
}

interface Page<View> {
  readonly handle: (request: PageRequest) => Promise<PageAnswer<View>>;
  readonly render: (view: View, reader: PageReader) => string;
  /** @param view undefined for an answer without a page */
  readonly contentSecurityPolicy: (view: View | undefined) => string;
  /** Shown for a form that was sent from another site, or for a body that is not a form. */
  readonly refused: View;
  readonly failed: (requestId: string) => View;
  /** The query alone says and permits what happens. So a body of any kind, from any site, is accepted and not read. */
  readonly ignoresBody?: boolean | undefined;
}

const maxFormBytes = 16 * 1024;

/** The middy handler of a page. It shows every error as a page, so it never throws. */
export function page<View>(
  route: Route,
  { handle, render, contentSecurityPolicy, refused, failed, ignoresBody }: Page<View>,
) {
  const responseOf = (event: APIGatewayProxyEvent, answer: PageAnswer<View>): APIGatewayProxyResult => {
    const headers: Record<string, string> = {
      ...pageHeaders(contentSecurityPolicy('view' in answer ? answer.view : undefined)),
      'X-Request-Id': event.requestContext.requestId,
      'X-Remit-Version': env.version(),
    };
    if ('redirectTo' in answer) {
      return { statusCode: 303, body: '', headers: { ...headers, Location: answer.redirectTo } };
    }
    if ('file' in answer) {
      const file = fileResponse(route.file ?? 'application/octet-stream', answer.file);
      return { statusCode: route.status, ...file, headers: { ...headers, ...file.headers } };
    }
    const { status, view, retryAfterSeconds, refresh } = answer;
    if (refresh) headers.Refresh = `${refresh.afterSeconds}; url=${refresh.to}`;
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
    const accepted = headerValue(event, 'accept-encoding');
    return compressPage({ statusCode: status, body: render(view, readerOf(event)), headers }, accepted);
  };

  const errorPage: ApiMiddleware = {
    onError: (request) => {
      const { event, error } = request;
      const answer: PageAnswer<View> = isRefusedForm(error)
        ? { status: 403, view: refused }
        : { status: 500, view: failed(event.requestContext.requestId) };
      request.response = responseOf(event, answer);
    },
  };

  const readsForm = route.method === 'POST' && !ignoresBody;
  const form = readsForm ? [sameOriginForm(), httpUrlencodeBodyParser()] : [];
  return apiHandler()
    .use(httpHeaderNormalizer())
    .use([requestLog(route), errorPage, ...form])
    .handler(async (event: APIGatewayProxyEvent, { state }: ApiContext) => {
      const answer = await handle({
        params: paramsOf(event),
        query: queryOf(event),
        form: readsForm ? formFields(event) : new Map(),
        sourceIp: event.requestContext.identity.sourceIp,
        now: state.startedAt,
        logInvoice: ({ id, account, mode }) => {
          state.invoice = { id, account, mode };
        },
      });
      return responseOf(event, answer);
    });
}

const readerOf = (event: APIGatewayProxyEvent): PageReader => ({
  query: queryOf(event),
  accepted: headerValue(event, 'accept-language'),
});

/** The fields that the parser left in the body. A field that was sent several times is an array there. */
function formFields({ body }: APIGatewayProxyEvent): ReadonlyMap<string, string> {
  const fields = Object.entries(body as unknown as Readonly<Record<string, string | string[]>>);
  return new Map(fields.map(([name, value]) => [name, [value].flat()[0] ?? '']));
}

class RefusedFormError extends Error {}

/** Whether an error refuses a form: one of ours, or the parser's 415 for another content type. */
function isRefusedForm(error: Error | null | undefined): boolean {
  return error instanceof RefusedFormError || (error as { statusCode?: number })?.statusCode === 415;
}

/** Refuses a form that another site sent, that has more than 16 KiB, or that is not UTF-8. */
function sameOriginForm(): ApiMiddleware {
  return {
    before: ({ event }) => {
      const bytes = bodyBytesOf(event);
      const text = bytes.length <= maxFormBytes ? decodeUtf8(bytes) : undefined;
      if (!isSameOrigin(event) || text === undefined)
        throw new RefusedFormError('Not a form of this service.');
    },
  };
}

/** Browsers name the origin of a form, older ones by `Origin` only. Other clients cannot be misled by another site. */
function isSameOrigin(event: APIGatewayProxyEvent): boolean {
  const site = headerValue(event, 'sec-fetch-site');
  const origin = headerValue(event, 'origin');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(env.payUrlBase()).origin || new URL(origin).host === headerValue(event, 'host');
}
