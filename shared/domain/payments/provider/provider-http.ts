/**
 * Sends one request to the interface of a provider, within limits of time and size.
 *
 * - Redirects are not followed, because the credentials are for the provider only.
 * - Errors name the call and the status. They never contain a header or a body.
 */
import { assertStrictJson, decodeUtf8 } from '../../../base/strict-json.ts';
import { ProviderCallError } from './hosted-provider.ts';

export type Fetch = typeof fetch;

/** The options that all adapters take. */
export interface AdapterOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly fetch?: Fetch | undefined;
  /** The time limit of each operation of the port, with all of its calls. The default is 8 seconds. */
  readonly timeoutMs?: number | undefined;
}

export interface ProviderHttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ProviderHttpAnswer {
  readonly status: number;
  /** Undefined if the status is an error and the body is not a JSON object. */
  readonly json: unknown;
  /** The provider repeats the answer that it stored for an earlier request with the same idempotency key. */
  readonly isReplayed: boolean;
}

export const defaultTimeoutMs = 8_000;
const maxAnswerBytes = 262_144;

/** The pauses before a request is repeated that the provider refused with status 429: too many requests. */
const tooManyDelaysMs = [200, 800];

/**
 * Sends a request and reads the answer. Repeats it once if the connection breaks, because a reused connection may have been
 * closed, and twice if the provider has too many requests. So every request must be safe to repeat.
 * @param provider the name for errors
 * @param signal ends the call
 * @throws ProviderCallError if no answer arrives, or if the answer of a successful call is not a JSON object
 */
export async function exchangeWithProvider(
  provider: string,
  request: ProviderHttpRequest,
  signal: AbortSignal,
  fetchIt: Fetch = fetch,
): Promise<ProviderHttpAnswer> {
  const call = `${provider} ${request.method} ${request.url.pathname}`;
  const send = () => exchangeOnce(call, request, signal, fetchIt);
  try {
    for (let tried = 0; ; tried++) {
      const answer = await send().catch((error) => {
        if (error instanceof ProviderCallError || signal.aborted) throw error;
        return send();
      });
      const delayMs = tooManyDelaysMs[tried];
      if (answer.status !== 429 || delayMs === undefined) return answer;
      await pauseBeforeRepeat(call, delayMs, signal);
    }
  } catch (error) {
    if (error instanceof ProviderCallError) throw error;
    throw new ProviderCallError(
      signal.aborted ? `${call}: no answer arrived in time.` : `${call}: the connection failed.`,
    );
  }
}

async function exchangeOnce(
  call: string,
  { method, url, headers, body }: ProviderHttpRequest,
  signal: AbortSignal,
  fetchIt: Fetch,
): Promise<ProviderHttpAnswer> {
  const init: RequestInit = { method, headers, redirect: 'manual', signal };
  const response = await fetchIt(url, body === undefined ? init : { ...init, body });
  const { status, ok } = response;
  const text = await readText(response);
  const json = text === undefined ? undefined : parseObject(text);
  if (ok && json === undefined) {
    throw new ProviderCallError(`${call}: the answer is too large or not a JSON object.`, status);
  }
  return { status, json, isReplayed: response.headers.get('idempotent-replayed') === 'true' };
}

/** Returns the body, or undefined if it exceeds the limit or is not UTF-8. */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return decodeUtf8(Buffer.concat(chunks));
}

/** Returns the object of a strict JSON text, or undefined if it is not one. */
export function parseObject(text: string): unknown {
  try {
    assertStrictJson(text);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits before a repeated call. @throws ProviderCallError if the operation ends first */
export async function pauseBeforeRepeat(call: string, delayMs: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  if (signal.aborted) throw new ProviderCallError(`${call}: no answer arrived in time.`);
}
