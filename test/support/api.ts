/**
 * Calls the API as a client of one account, and records the request log.
 *
 * Call its functions only after `startTestStack()` has set the environment, because they import the service on first use.
 */
import type { Agent } from 'node:http';
import { freshAddress, type HttpResponse, request } from './http.ts';

/** The worker of Jest provides it (`environment.mjs`). Other programs load it. */
const { expectDocumented } =
  'expectDocumented' in globalThis
    ? (globalThis as unknown as typeof import('./document.ts'))
    : await import('./document.ts');

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly agent?: Agent;
  readonly localAddress?: string;
}

/** Sends requests with one API key. */
export interface Api {
  readonly apiKey: string;
  send(method: string, path: string, options?: CallOptions): Promise<HttpResponse>;
  get(path: string, options?: CallOptions): Promise<HttpResponse>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<HttpResponse>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<HttpResponse>;
  delete(path: string, options?: CallOptions): Promise<HttpResponse>;
}

export interface TestAccount {
  readonly accountId: string;
  readonly test: Api;
  readonly live: Api;
}

/** Creates an account with an API key for each mode. */
export async function newAccount(
  baseUrl: string,
  plan: 'standard' | 'enterprise' = 'enterprise',
): Promise<TestAccount> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { accountId, keys } = await createAccount({ name: 'Test', plan });
  return { accountId, test: apiOf(baseUrl, keys.test), live: apiOf(baseUrl, keys.live) };
}

/** Sends requests with `apiKey`. Without a key, it sends them from a loopback address of its own. */
export function apiOf(baseUrl: string, apiKey: string | undefined): Api {
  const localAddress = apiKey === undefined ? freshAddress() : undefined;
  const send = async (method: string, path: string, options: CallOptions = {}) => {
    const response = await request({
      baseUrl,
      method,
      path,
      ...(localAddress && { localAddress }),
      ...options,
      headers: { ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }), ...options.headers },
    });
    expectDocumented(method, path, response);
    return response;
  };
  return {
    apiKey: apiKey ?? '',
    send,
    get: (path, options) => send('GET', path, options),
    post: (path, body, options) => send('POST', path, { body, ...options }),
    patch: (path, body, options) => send('PATCH', path, { body, ...options }),
    delete: (path, options) => send('DELETE', path, options),
  };
}

/** Returns a valid body for `POST /api/invoices`. The given fields replace the default ones. */
export function invoiceBody(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Website design', ...fields };
}

/** The log line of a request, see `shared/api/http/request-log.ts`. */
export interface RequestLine {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  readonly dynamodbCalls: number;
  readonly dynamodbCallsInSequence: number;
  readonly [field: string]: unknown;
}

/**
 * Records the lines of the request log, which is still written. `lineOf` returns the line of a response.
 * @param name the message of the lines: those of the API, or of the dashboard
 */
export async function listenToRequestLog(name: 'request' | 'dashboard request' = 'request'): Promise<{
  readonly lines: readonly RequestLine[];
  lineOf(response: HttpResponse): RequestLine;
}> {
  const { logger } = await import('../../shared/base/log.ts');
  const lines: RequestLine[] = [];
  for (const level of ['info', 'error'] as const) {
    const write = logger[level].bind(logger);
    logger[level] = (message, ...fields) => {
      if (message === name) lines.push(fields[0] as unknown as RequestLine);
      write(message, ...fields);
    };
  }
  const lineOf = (response: HttpResponse) => {
    const line = lines.find(({ requestId }) => requestId === response.headers['x-request-id']);
    if (!line) throw new Error('The request log has no line for this response.');
    return line;
  };
  return { lines, lineOf };
}
