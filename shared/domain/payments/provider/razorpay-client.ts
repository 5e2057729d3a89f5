/** Calls Razorpay's interface: basic authentication, JSON, and errors. */
import * as v from 'valibot';
import { ProviderCallError, type ProviderCredentials } from './hosted-provider.ts';
import {
  type AdapterOptions,
  defaultTimeoutMs,
  exchangeWithProvider,
  pauseBeforeRepeat,
} from './provider-http.ts';

/** An error that Razorpay answered with. */
export interface RazorpayRefusal {
  readonly ok: false;
  readonly status: number;
  /** The wrong parameter, or an empty text. */
  readonly field: string;
  /**
   * `balance`: the merchant's account does not have enough balance for a refund. `key`: another request had the same key.
   * Razorpay says this in the description only (razorpay.com/docs/errors/payments/refunds).
   */
  readonly cause: 'balance' | 'key' | undefined;
}

export type RazorpayAnswer = { readonly ok: true; readonly json: unknown } | RazorpayRefusal;

/** The calls of one operation of the port. They share its time limit. */
export interface RazorpayCalls {
  get(path: string, query?: Readonly<Record<string, string>>): Promise<RazorpayAnswer>;
  /** @param refundKey makes a refund idempotent */
  post(path: string, body: object, refundKey?: string): Promise<RazorpayAnswer>;
}

const repeatDelaysMs = [50, 100, 200, 400, 800];

/** Returns a function that begins an operation. */
export function razorpayClient(
  { apiKey, apiSecret = '' }: ProviderCredentials,
  { baseUrl, fetch, timeoutMs = defaultTimeoutMs }: AdapterOptions,
): () => RazorpayCalls {
  const Authorization = `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`;
  return () => {
    const signal = AbortSignal.timeout(timeoutMs);
    return {
      get: async (path, query = {}) => {
        const url = new URL(baseUrl + path);
        url.search = new URLSearchParams(query).toString();
        const request = { method: 'GET', url, headers: { Authorization } } as const;
        return toAnswer(`GET ${path}`, await exchangeWithProvider('Razorpay', request, signal, fetch));
      },
      post: async (path, body, refundKey) => {
        const headers = {
          Authorization,
          'Content-Type': 'application/json',
          ...(refundKey !== undefined && { 'X-Refund-Idempotency': refundKey }),
        };
        const request = {
          method: 'POST',
          url: new URL(baseUrl + path),
          headers,
          body: JSON.stringify(body),
        } as const;
        for (const delayMs of repeatDelaysMs) {
          const answer = await exchangeWithProvider('Razorpay', request, signal, fetch);
          // The same refund is in progress elsewhere. Its answer will be the answer to this one.
          if (answer.status !== 409) return toAnswer(`POST ${path}`, answer);
          await pauseBeforeRepeat(`Razorpay POST ${path}`, delayMs, signal);
        }
        throw new ProviderCallError(`Razorpay POST ${path}: the answer has status 409.`, 409);
      },
    };
  };
}

const errorSchema = v.object({
  error: v.object({
    code: v.string(),
    description: v.fallback(v.string(), ''),
    field: v.fallback(v.nullish(v.string(), ''), ''),
  }),
});

/** The fields that a description names if `field` is missing. */
const namedFields = ['expire_by', 'reference_id', 'amount', 'currency', 'email'];

function toAnswer(call: string, { status, json }: { status: number; json: unknown }): RazorpayAnswer {
  if (status >= 200 && status < 300) return { ok: true, json };
  const parsed = v.safeParse(errorSchema, json);
  if (![400, 401, 403, 404].includes(status) || !parsed.success) {
    throw new ProviderCallError(`Razorpay ${call}: the answer has status ${status}.`, status);
  }
  const { field, description } = parsed.output.error;
  const named = namedFields.find((name) => description.toLowerCase().includes(name)) ?? '';
  return { ok: false, status, field: field || named, cause: causeOf(description) };
}

function causeOf(description: string): RazorpayRefusal['cause'] {
  if (/enough balance|insufficient balance/i.test(description)) return 'balance';
  return /same idempotency key/i.test(description) ? 'key' : undefined;
}

/** Returns the error for a refusal that the operation cannot explain. */
export function unexpectedRazorpayRefusal(call: string, { status }: RazorpayRefusal): ProviderCallError {
  return new ProviderCallError(`Razorpay ${call}: the answer has status ${status}.`, status);
}

/**
 * Reads an answer with a schema.
 * @throws ProviderCallError for a refusal, and if the answer does not match, without its content
 */
export function readRazorpayAnswer<S extends v.GenericSchema>(
  call: string,
  schema: S,
  answer: RazorpayAnswer,
): v.InferOutput<S> {
  if (!answer.ok) throw unexpectedRazorpayRefusal(call, answer);
  const parsed = v.safeParse(schema, answer.json);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]);
  throw new ProviderCallError(
    `Razorpay ${call}: the answer is not as documented${path ? ` at ${path}` : ''}.`,
  );
}

/** Below the limit of an answer, 256 KiB. */
const pageSize = 50;

/** Returns all items of a collection, newest first. @throws ProviderCallError if it has more than `maxPages` pages */
export async function listCollection<S extends v.GenericSchema>(
  calls: RazorpayCalls,
  path: string,
  item: S,
  maxPages = 40,
): Promise<v.InferOutput<S>[]> {
  const schema = v.object({ items: v.array(item) });
  const all: v.InferOutput<S>[] = [];
  for (let page = 0; page < maxPages; page++) {
    const answer = await calls.get(path, { count: String(pageSize), skip: String(all.length) });
    const { items } = readRazorpayAnswer(`GET ${path}`, schema, answer);
    all.push(...items);
    if (items.length < pageSize) return all;
  }
  throw new ProviderCallError(`Razorpay GET ${path}: the collection has more than ${maxPages} pages.`);
}
