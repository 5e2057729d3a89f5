/** Starts a double of Stripe together with Stripe's own client, which is independent of the adapter. */
import Stripe from 'stripe';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import { stopClock, type TestClock } from './clock.ts';

type SessionParams = Stripe.Checkout.SessionCreateParams;

export interface StripeDoubleSetup {
  readonly double: ProviderDouble;
  readonly stripe: Stripe;
  /** The clock of the service and of the double. It stands still. */
  readonly clock: TestClock;
  /** Returns the parameters of a new session. */
  params(change?: Partial<SessionParams>): SessionParams;
  create(change?: Partial<SessionParams>, idempotencyKey?: string): Promise<Stripe.Checkout.Session>;
  /** Makes a paid session. @returns the id of its payment intent */
  paid(): Promise<string>;
}

/** Returns a client that calls the double with a key. */
export function clientOf({ url }: { readonly url: string }, key: string): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

/** Starts the double, in live mode. */
export async function startStripeDoubleSetup(): Promise<StripeDoubleSetup> {
  const clock = stopClock();
  const double = await startStripeDouble();
  const stripe = clientOf(double, double.credentials.live.apiKey);
  let count = 0;
  const params = (change: Partial<SessionParams> = {}): SessionParams => ({
    mode: 'payment',
    client_reference_id: `co_${count++}`,
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 2_500, product_data: { name: 'Website' } }, quantity: 1 },
    ],
    success_url: 'https://shop.example.com/pay',
    cancel_url: 'https://shop.example.com/pay?cancelled',
    expires_at: Math.floor(clock.now() / 1000) + 1_800,
    metadata: { order: '7' },
    payment_intent_data: { description: 'Website', metadata: { order: '7' } },
    ...change,
  });
  const create = (change?: Partial<SessionParams>, idempotencyKey?: string) =>
    stripe.checkout.sessions.create(params(change), { ...(idempotencyKey && { idempotencyKey }) });
  const paid = async () => {
    const { id } = await create();
    double.act(id, 'pay');
    const session = await stripe.checkout.sessions.retrieve(id);
    return session.payment_intent as string;
  };
  return { double, stripe, clock, params, create, paid };
}

/** Returns the error with which a call rejects, or undefined. */
export function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
