/** Calls the API: sends a request, retries it if that can help, and returns the response body or throws an error. */
import type { paths } from './api-types.ts';
import { ConnectionError, errorFromResponse, RemitError, requestDetails, TimeoutError } from './errors.ts';
import type { ApiRequestBody, ApiResponseBody } from './operation.ts';
import { pinnedApiVersion } from './pinned-api-version.ts';

export interface RemitOptions {
  /** The API key, `sk_test_…` or `sk_live_…`. It determines the mode. */
  readonly apiKey: string;
  /** The URL of the service without `/api`, such as `https://remit.example.com`. */
  readonly baseUrl: string;
  /** The timeout of each attempt in milliseconds. The default is 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of retries after a temporary failure. The default is 2. */
  readonly maxRetries?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** Cancels the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  /**
   * Requests with the same key take effect only once within 24 hours, even if different processes send them. By default the
   * client creates a new key for each call, which makes its own retries safe.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The options of a change of an invoice. */
export interface ChangeOptions extends WriteOptions {
  /**
   * Goes on although a payment on the page of a payment provider has no outcome yet. Money of it that still arrives pays the
   * invoice if it is open and unchanged, and is refunded otherwise.
   */
  readonly force?: 'payment_in_progress' | undefined;
}

/** The options of a call that cancels an invoice. */
export interface CancelOptions extends ChangeOptions {
  /** What happens to the payments of parts that the invoice has received. Without it, such an invoice is not cancelled. */
  readonly payments?: 'refund' | 'credit' | undefined;
}

/** The options of a call that creates an invoice. */
export interface WaitOptions extends WriteOptions {
  /** Waits up to a second until the invoice has its `number`. */
  readonly wait?: boolean | undefined;
}

interface Input<Operation> {
  readonly id?: string;
  readonly deliveryId?: string;
  readonly rowId?: string;
  readonly query?: object;
  readonly body?: ApiRequestBody<Operation>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Calls the operation at `path`. The OpenAPI document determines the types of the input and of the result. */
export type ApiCall = <Path extends keyof paths, Verb extends Method>(
  method: Verb,
  path: Path,
  options?: CancelOptions & WaitOptions,
  input?: Input<paths[Path][Lowercase<Verb>]>,
) => Promise<ApiResponseBody<paths[Path][Lowercase<Verb>]>>;

type Send = (signal: AbortSignal) => Promise<Response>;

const defaultTimeoutMs = 30_000;
/** The longest delay that a timer supports. */
const maxTimeoutMs = 2 ** 31 - 1;
const defaultRetries = 2;
const retriedStatuses = [429, 500, 502, 503, 504];
const firstWaitMs = 500;
const maxWaitMs = 8_000;
/** If the service asks for a longer wait, the caller decides whether to wait. */
const maxRetryAfterSeconds = 60;

/** Returns a function that calls the API with these options. Throws a `RemitError` if an option is invalid. */
export function createApiCall(defaults: RemitOptions): ApiCall {
  const { apiKey, baseUrl } = defaults;
  if (apiKey && apiKey !== apiKey.trim()) {
    throw new RemitError('apiKey has white space or a line end at its ends. Remove it with trim().');
  }
  if (!/^[!-~]+$/.test(apiKey ?? '')) {
    throw new RemitError('apiKey is not valid. Pass a key of the form sk_test_… or sk_live_….');
  }
  if (!/^https?:\/\//.test(baseUrl ?? '')) {
    throw new RemitError('baseUrl is not valid. Pass an http or https URL.');
  }

  return async (method, path, options = {}, input = {}) => {
    const url =
      baseUrl.replace(/\/+$/, '') +
      pathOf(path, input) +
      queryOf({
        ...input.query,
        ...(options.force && { force: options.force }),
        ...(options.payments && { payments: options.payments }),
      });
    const body = input.body && JSON.stringify(input.body);
    const headers = new Headers({ Authorization: `Bearer ${apiKey}`, 'X-API-Version': pinnedApiVersion });
    if (body) headers.set('Content-Type', 'application/json');
    if (method !== 'GET') headers.set('Idempotency-Key', options.idempotencyKey ?? crypto.randomUUID());
    if (options.wait) headers.set('Prefer', 'wait');
    // Redirects are not followed: they could drop the body, or send the API key to another host.
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body && { body }) };
    const send: Send = (signal) => sendAndFollow(defaults.fetch ?? fetch, url, { ...init, signal });
    const timeoutMs = options.timeoutMs ?? defaults.timeoutMs ?? defaultTimeoutMs;
    const maxRetries = options.maxRetries ?? defaults.maxRetries ?? defaultRetries;
    for (let retries = 0; ; retries += 1) {
      try {
        return await sendOnce(send, Math.min(timeoutMs, maxTimeoutMs), options.signal);
      } catch (error) {
        const waitMs = retryDelay(error, retries);
        if (!(retries < maxRetries) || waitMs === undefined) throw error;
        await pause(waitMs, options.signal);
      }
    }
  };
}

/** Sends a request. A file that is too large for a response is read from the link to it, which needs no API key. */
async function sendAndFollow(send: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  const response = await send(url, init);
  const link = init.method === 'GET' && response.status === 303 ? response.headers.get('Location') : null;
  return link ? send(link, { signal: init.signal ?? null }) : response;
}

/**
 * Inserts the IDs of `input` into a path template. Throws if an ID is empty or consists of dots: the path would then be that
 * of a different operation.
 */
function pathOf(template: string, input: object): string {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    const id = String((input as Record<string, unknown>)[name] ?? '');
    if (/^\.*$/.test(id)) throw new RemitError(`${name} is not valid. Pass the ID of a resource.`);
    return encodeURIComponent(id);
  });
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

/** Makes one attempt and returns the response body. Throws the error of the response, or a `ConnectionError`. */
async function sendOnce<Value>(
  send: Send,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Value> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort();
  const timer = setTimeout(cancel, timeoutMs);
  signal?.addEventListener('abort', cancel);
  let response: Response | undefined;
  let text: string;
  try {
    response = await send(controller.signal);
    if (response.ok && response.headers.get('Content-Type') === 'application/pdf')
      return new Uint8Array(await response.arrayBuffer()) as Value;
    text = await response.text();
    if (response.ok) return JSON.parse(text);
  } catch (cause) {
    signal?.throwIfAborted();
    const detail = { ...requestDetails(response), cause };
    if (controller.signal.aborted) {
      throw new TimeoutError(`No response within ${timeoutMs} ms.`, detail);
    }
    throw new ConnectionError(`No valid response: ${reasonOf(cause)}`, detail);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
  throw errorFromResponse(response, text);
}

/** Returns the reason of a failed `fetch`. Node has it in `cause`, which has only a code if Node tried several addresses. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}

/**
 * Returns the wait before the next attempt in milliseconds, or undefined if a retry cannot help. The random part prevents
 * many clients from retrying at the same moment.
 */
function retryDelay(error: unknown, retries: number): number | undefined {
  if (!(error instanceof RemitError)) return undefined;
  const { status = 0, retryAfterSeconds = 0 } = error;
  const isTemporary = error instanceof ConnectionError || retriedStatuses.includes(status);
  if (!isTemporary || retryAfterSeconds > maxRetryAfterSeconds) return undefined;
  const backoffMs = Math.min(firstWaitMs * 2 ** retries, maxWaitMs);
  return retryAfterSeconds * 1000 + backoffMs * (0.5 + Math.random() / 2);
}

/** Waits `ms` milliseconds. Rejects with the reason of the signal as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, ms);
    signal?.addEventListener('abort', cancel);
  });
}
