/** Creates Stripe's own client for the double of Stripe. */
import Stripe from 'stripe';

/** Returns a client that calls the double with a key. It does not repeat calls. */
export function clientOf({ url }: { readonly url: string }, key: string): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}
