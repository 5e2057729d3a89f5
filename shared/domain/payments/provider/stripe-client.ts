/** Calls Stripe's interface: form encoding, the pinned version, idempotency keys and errors. */
import * as v from 'valibot';
import { ProviderCallError, type ProviderCredentials } from './hosted-provider.ts';
import {
  type AdapterOptions,
  defaultTimeoutMs,
  exchangeWithProvider,
  type ProviderHttpAnswer,
  pauseBeforeRepeat,
} from './provider-http.ts';

/** The version of Stripe's interface (docs.stripe.com/api/versioning). */
export const stripeVersion = '2026-10-28.endive';

/** An error that Stripe answered with. The texts are short and contain no secret. */
export interface StripeRefusal {
  readonly ok: false;
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  /** Stripe repeats an answer that it has stored under the key. */
  readonly isReplayed: boolean;
}

export type StripeAnswer = { readonly ok: true; readonly json: unknown } | StripeRefusal;

/** The calls of one operation of the port. They share its time limit. */
export interface StripeCalls {
  get(path: string, params?: object): Promise<StripeAnswer>;
  /** @param idempotencyKey not needed if a repetition has no effect */
  post(path: string, params: object, idempotencyKey?: string): Promise<StripeAnswer>;
}

/** Returns a function that begins an operation. */
export function stripeClient(
  { apiKey }: ProviderCredentials,
  { baseUrl, fetch, timeoutMs = defaultTimeoutMs }: AdapterOptions,
): () => StripeCalls {
  const common = { Authorization: `Bearer ${apiKey}`, 'Stripe-Version': stripeVersion };
  return () => {
    const signal = AbortSignal.timeout(timeoutMs);
    return {
      get: async (path, params = {}) => {
        const url = new URL(baseUrl + path);
        url.search = encodeForm(params).toString();
        return toAnswer(
          `GET ${path}`,
          await exchangeWithProvider('Stripe', { method: 'GET', url, headers: common }, signal, fetch),
        );
      },
      post: async (path, params, idempotencyKey) => {
        const request = {
          method: 'POST',
          url: new URL(baseUrl + path),
          headers: {
            ...common,
            'Content-Type': 'application/x-www-form-urlencoded',
            ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
          },
          body: encodeForm(params).toString(),
        } as const;
        for (const delayMs of repeatDelaysMs) {
          const answer = await exchangeWithProvider('Stripe', request, signal, fetch);
          // The same request is in progress elsewhere. Its answer will be the answer to this one.
          if (answer.status !== 409) return toAnswer(`POST ${path}`, answer);
          await pauseBeforeRepeat(`Stripe POST ${path}`, delayMs, signal);
        }
        throw new ProviderCallError(`Stripe POST ${path}: the answer has status 409.`, 409);
      },
    };
  };
}

const repeatDelaysMs = [50, 100, 200, 400, 800];

/** How many keys are derived from one, and how many requests of one operation may get a new server error. */
const maxKeys = 60;
const maxServerErrors = 2;

/** The codes of refusals that pass: the merchant's balance is too low (docs.stripe.com/error-codes). */
export const passingCodes = ['balance_insufficient', 'insufficient_funds'];

/**
 * Creates an object under an idempotency key. Stripe stores an answer with status 500 too, and repeats it for 24 hours
 * (docs.stripe.com/api/idempotent_requests). Then the request has ended, so the object exists or never will: this looks
 * for it, and else goes on under the next derived key, `<key>:2`. All callers use the derived keys in the same order.
 * @param creation `optional` names parameters that are left out, under the next key, if Stripe refuses their value
 * @param find returns the object if Stripe has it
 * @throws ProviderCallError if no answer arrives, or if Stripe answers with new server errors
 */
export async function createUnderKey<T>(
  calls: StripeCalls,
  {
    path,
    params: wished,
    key,
    optional = [],
  }: {
    readonly path: string;
    readonly params: object;
    readonly key: string;
    readonly optional?: readonly string[];
  },
  find: () => Promise<T | undefined>,
): Promise<{ readonly found: T } | { readonly answer: StripeAnswer }> {
  let newErrors = 0;
  let params = wished;
  for (let number = 1; ; number++) {
    try {
      const answer = await calls.post(path, params, number === 1 ? key : `${key}:${number}`);
      const { [answer.ok ? '' : answer.param]: refused, ...others } = params as Record<string, unknown>;
      if (!answer.ok && refused !== undefined && optional.includes(answer.param) && number < maxKeys) {
        params = others;
        continue;
      }
      // A stored refusal that can pass is asked again under the next key. The refusal has created nothing.
      const isOld = !answer.ok && answer.isReplayed && passingCodes.includes(answer.code);
      if (!isOld || number >= maxKeys) return { answer };
    } catch (error) {
      if (!(error instanceof ProviderCallError) || error.status !== 500) throw error;
      const found = await find();
      if (found !== undefined) return { found };
      if (!error.isReplayed) newErrors++;
      if (newErrors >= maxServerErrors || number >= maxKeys) throw error;
    }
  }
}

/** Encodes nested parameters as Stripe expects them: `{ a: { b: ['c'] } }` becomes `a[b][0]=c`. */
export function encodeForm(params: object): URLSearchParams {
  const form = new URLSearchParams();
  const add = (name: string, value: unknown) => {
    if (value === undefined) return;
    if (typeof value !== 'object' || value === null) return form.append(name, String(value));
    for (const [key, inner] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, inner);
  };
  add('', params);
  return form;
}

const word = v.fallback(v.pipe(v.string(), v.regex(/^[\w.[\]]{1,80}$/)), '');
const errorSchema = v.object({
  error: v.object({ type: word, code: v.optional(word, ''), param: v.optional(word, '') }),
});

/** The statuses with which Stripe refuses a request for good. All others say nothing about the outcome. */
const refusals: readonly number[] = [400, 401, 402, 403, 404];

function toAnswer(call: string, { status, json, isReplayed }: ProviderHttpAnswer): StripeAnswer {
  if (status >= 200 && status < 300) return { ok: true, json };
  const parsed = v.safeParse(errorSchema, json);
  if (!refusals.includes(status) || !parsed.success) {
    throw new ProviderCallError(`Stripe ${call}: the answer has status ${status}.`, status, isReplayed);
  }
  return { ok: false, status, isReplayed, ...parsed.output.error };
}

/** Returns the error for a refusal that the operation cannot explain. */
export function unexpectedRefusal(
  call: string,
  { status, type, code, param }: StripeRefusal,
): ProviderCallError {
  const details = [type, code, param].filter(Boolean).join(', ');
  return new ProviderCallError(`Stripe ${call}: the answer has status ${status} (${details}).`, status);
}

/**
 * Reads an answer with a schema.
 * @throws ProviderCallError if the answer does not match, without its content
 */
export function readAnswer<S extends v.GenericSchema>(
  call: string,
  schema: S,
  json: unknown,
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, json);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]);
  throw new ProviderCallError(`Stripe ${call}: the answer is not as documented${path ? ` at ${path}` : ''}.`);
}

/**
 * Returns one page of a list, newest first.
 * @param limit the largest number of objects. The page must stay below the limit of an answer, 256 KiB.
 * @param after the id of the last object of the page before
 */
export async function listPage<S extends v.GenericSchema>(
  calls: StripeCalls,
  path: string,
  params: object,
  item: S,
  limit: number,
  after: string | undefined,
): Promise<{ data: v.InferOutput<S>[]; has_more: boolean }> {
  const answer = await calls.get(path, {
    ...params,
    limit,
    ...(after !== undefined && { starting_after: after }),
  });
  if (!answer.ok) throw unexpectedRefusal(`GET ${path}`, answer);
  return readAnswer(`GET ${path}`, v.object({ data: v.array(item), has_more: v.boolean() }), answer.json);
}

const maxPages = 200;

/** Returns all objects of a list, newest first. @throws ProviderCallError if it has more than 200 pages */
export async function listAll<S extends v.GenericSchema<unknown, { id: string }>>(
  calls: StripeCalls,
  path: string,
  params: object,
  item: S,
  limit: number,
): Promise<v.InferOutput<S>[]> {
  const all: v.InferOutput<S>[] = [];
  for (let count = 0; count < maxPages; count++) {
    const { data, has_more: hasMore } = await listPage(calls, path, params, item, limit, all.at(-1)?.id);
    all.push(...data);
    if (!hasMore) return all;
  }
  throw new ProviderCallError(`Stripe GET ${path}: the list has more than ${maxPages} pages.`);
}
