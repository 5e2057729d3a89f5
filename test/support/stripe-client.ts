/**
 * Starts a double of Stripe together with a client that sends what Stripe's reference shows for `curl` (docs.stripe.com/api):
 * nested names in brackets, the key as a bearer token. It shares nothing with the adapter.
 */
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import { stopClock, type TestClock } from './clock.ts';
import { checkStripeAnswer, isDescribed } from './stripe-description.ts';

/** Parameters as `curl -d` sends them. Undefined: left out. */
export type StripeForm = Readonly<Record<string, string | number | undefined>>;

export interface StripeDoubleAnswer {
  readonly status: number;
  /** The object, or `{ error }`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read objects of every kind
  readonly json: any;
}

export interface StripeClient {
  get(path: string, query?: StripeForm): Promise<StripeDoubleAnswer>;
  post(path: string, form?: StripeForm, idempotencyKey?: string): Promise<StripeDoubleAnswer>;
}

export interface StripeDoubleSetup {
  readonly double: ProviderDouble;
  /** Has the key of the live mode. */
  readonly stripe: StripeClient;
  /** The clock of the service and of the double. It stands still. */
  readonly clock: TestClock;
  /** Returns the parameters of a new session. */
  params(change?: StripeForm): StripeForm;
  /** Makes a session. @throws Error if it is refused */
  // biome-ignore lint/suspicious/noExplicitAny: an object of Stripe
  create(change?: StripeForm, idempotencyKey?: string): Promise<any>;
  /** Makes a paid session. @returns the id of its payment intent */
  paid(): Promise<string>;
}

/**
 * Returns a client that calls the double with a key. Each answer without an error is compared with Stripe's description.
 * It rejects if the connection breaks.
 */
export function clientOf({ url }: { readonly url: string }, key: string): StripeClient {
  const send = async (method: string, path: string, form: StripeForm, headers: Record<string, string>) => {
    const given = Object.entries(form).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const params = new URLSearchParams(given);
    const isGet = method === 'GET';
    const response = await fetch(`${url}${path}${isGet ? `?${params}` : ''}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      ...(!isGet && { body: params }),
    });
    const json = await response.json();
    const operation = `${method} ${path.replace(/\/(cs|pi|re|txn)_\w+/, '/*')}`;
    const problems = response.ok && isDescribed(operation) ? checkStripeAnswer(operation, json) : [];
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return { status: response.status, json };
  };
  return {
    get: (path, query = {}) => send('GET', path, query, {}),
    post: (path, form = {}, idempotencyKey) =>
      send('POST', path, form, idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
}

/** Starts the double, in live mode. */
export async function startStripeDoubleSetup(): Promise<StripeDoubleSetup> {
  const clock = stopClock();
  const double = await startStripeDouble();
  const stripe = clientOf(double, double.credentials.live.apiKey);
  let count = 0;
  const params = (change: StripeForm = {}): StripeForm => ({
    mode: 'payment',
    client_reference_id: `co_${count++}`,
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': 2_500,
    'line_items[0][price_data][product_data][name]': 'Website',
    'line_items[0][quantity]': 1,
    success_url: 'https://shop.example.com/pay',
    cancel_url: 'https://shop.example.com/pay?cancelled',
    expires_at: Math.floor(clock.now() / 1000) + 1_800,
    'metadata[order]': '7',
    'payment_intent_data[description]': 'Website',
    'payment_intent_data[metadata][order]': '7',
    ...change,
  });
  const create = async (change?: StripeForm, idempotencyKey?: string) => {
    const { status, json } = await stripe.post('/v1/checkout/sessions', params(change), idempotencyKey);
    if (status !== 200) throw new Error(`The session was refused: ${JSON.stringify(json)}`);
    return json;
  };
  const paid = async () => {
    const { id } = await create();
    double.act(id, 'pay');
    return (await stripe.get(`/v1/checkout/sessions/${id}`)).json.payment_intent;
  };
  return { double, stripe, clock, params, create, paid };
}
