/** One call of the API: sends a request, again if that can help, and returns the answer's body or throws its error. */
import type { paths } from './api-types.ts';
import { ConnectionError, errorOf, originOf, RemitError, TimeoutError } from './errors.ts';
import type { Answer, Body } from './operation.ts';

export interface RemitOptions {
  /** `sk_test_…` or `sk_live_…`, which decides on the mode. */
  readonly apiKey: string;
  /** Where the service is, without `/api`, such as `https://remit.example.com`. */
  readonly baseUrl: string;
  /** How long each try may take; 30 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent again after a failure that may pass; 2 by default. */
  readonly maxRetries?: number | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  /**
   * The same key takes effect only once within 24 hours, whichever process sends it. Without one the client makes a key
   * for each call, so that its own retries are safe.
   */
  readonly idempotencyKey?: string | undefined;
}

interface Input<Operation> {
  readonly id?: string;
  readonly deliveryId?: string;
  readonly query?: object;
  readonly body?: Body<Operation>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Performs the operation at `path`; the document decides what goes in and what comes out. */
export type Call = <Path extends keyof paths, Verb extends Method>(
  method: Verb,
  path: Path,
  options?: WriteOptions,
  input?: Input<paths[Path][Lowercase<Verb>]>,
) => Promise<Answer<paths[Path][Lowercase<Verb>]>>;

type Send = (signal: AbortSignal) => Promise<Response>;

const defaultTimeoutMs = 30_000;
/** The longest that a timer can be set to. */
const maxTimeoutMs = 2 ** 31 - 1;
const defaultRetries = 2;
const retriedStatuses = [429, 500, 502, 503, 504];
const firstWaitMs = 500;
const maxWaitMs = 8_000;
/** To wait longer is the caller's decision. */
const maxRetryAfterSeconds = 60;

/** Calls as `defaults` say. Throws a `RemitError` if they cannot work. */
export function callWith(defaults: RemitOptions): Call {
  const { apiKey, baseUrl } = defaults;
  if (!/^[!-~]+$/.test(apiKey ?? '')) throw new RemitError('apiKey must be sk_test_… or sk_live_….');
  if (!/^https?:\/\//.test(baseUrl ?? '')) throw new RemitError('baseUrl must be an http or https address.');

  return async (method, path, options = {}, input = {}) => {
    const url = baseUrl.replace(/\/+$/, '') + pathOf(path, input) + queryOf(input.query);
    const body = input.body && JSON.stringify(input.body);
    const headers = new Headers({ Authorization: `Bearer ${apiKey}` });
    if (body) headers.set('Content-Type', 'application/json');
    if (method !== 'GET') headers.set('Idempotency-Key', options.idempotencyKey ?? crypto.randomUUID());
    // A redirect would lose the body, or hand the key to another host.
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body && { body }) };
    const send: Send = (signal) => (defaults.fetch ?? fetch)(url, { ...init, signal });
    const timeoutMs = options.timeoutMs ?? defaults.timeoutMs ?? defaultTimeoutMs;
    const maxRetries = options.maxRetries ?? defaults.maxRetries ?? defaultRetries;
    for (let retries = 0; ; retries += 1) {
      try {
        return await answerOf(send, Math.min(timeoutMs, maxTimeoutMs), options.signal);
      } catch (error) {
        const waitMs = waitBeforeRetry(error, retries);
        if (!(retries < maxRetries) || waitMs === undefined) throw error;
        await pause(waitMs, options.signal);
      }
    }
  };
}

/** With the ids of `input` in their places. A path without one, or with dots for one, would be another operation's. */
function pathOf(template: string, input: object): string {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    const id = String((input as Record<string, unknown>)[name] ?? '');
    if (/^\.*$/.test(id)) throw new RemitError(`${name} must be the id of a resource.`);
    return encodeURIComponent(id);
  });
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

/** One try: the body of its answer. Throws the answer's error, or that there was none. */
async function answerOf<Value>(
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
    text = await response.text();
    if (response.ok) return JSON.parse(text);
  } catch (cause) {
    signal?.throwIfAborted();
    const detail = { ...originOf(response), cause };
    if (controller.signal.aborted) throw new TimeoutError(`No answer within ${timeoutMs} ms.`, detail);
    throw new ConnectionError(`No usable answer: ${reasonOf(cause)}`, detail);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
  throw errorOf(response, text);
}

/** Node's `fetch` gives the reason one level deeper, and as a code alone if it has tried several addresses. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}

/** Undefined if another try would end alike. Those who failed together do not come back together. */
function waitBeforeRetry(error: unknown, retries: number): number | undefined {
  if (!(error instanceof RemitError)) return undefined;
  const { status = 0, retryAfterSeconds = 0 } = error;
  const mayPass = error instanceof ConnectionError || retriedStatuses.includes(status);
  if (!mayPass || retryAfterSeconds > maxRetryAfterSeconds) return undefined;
  const backoffMs = Math.min(firstWaitMs * 2 ** retries, maxWaitMs);
  return retryAfterSeconds * 1000 + backoffMs * (0.5 + Math.random() / 2);
}

/** Rejects with the signal's reason as soon as it is aborted. */
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
