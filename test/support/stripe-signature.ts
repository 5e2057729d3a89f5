/**
 * Verifies notifications by Stripe's published steps, independently of the adapter: the header has `t` and one `v1` for each secret,
 * and the signed text is the time, a full stop and the raw body (docs.stripe.com/webhooks#verify-manually).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Stripe's libraries refuse what is older than five minutes. */
const toleranceSeconds = 300;

/**
 * Verifies a notification.
 * @param at the time of the receiver, in milliseconds since 1970
 * @returns the event
 * @throws Error if no signature fits, or if the notification is too old
 */
export function verifyStripeSignature(body: string, header: string, secret: string, at: number): unknown {
  const parts = header.split(',').map((part) => part.split('='));
  const valuesOf = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []));
  const [time = ''] = valuesOf('t');
  const expected = Buffer.from(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
  const fits = valuesOf('v1').some((each) => {
    const given = Buffer.from(each);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits) throw new Error('No signature fits.');
  if (Math.floor(at / 1000) - Number(time) > toleranceSeconds) throw new Error('The tolerance is exceeded.');
  return JSON.parse(body);
}

/** An event with spaces and Tibetan, as `JSON.stringify(event, undefined, 2)` writes it. */
const event = {
  id: 'evt_1',
  object: 'event',
  type: 'checkout.session.completed',
  livemode: true,
  data: { object: { metadata: { remit_checkout: 'co_1', note: 'ཐིམ་ཕུ' } } },
};

/** What Stripe's library 23.1.0 (`Stripe.webhooks.generateTestHeaderString`) returns for this body, secret and time. */
export const signedByStripe = {
  secret: 'whsec_double_of_stripe_live',
  /** In seconds since 1970. */
  time: 1_792_000_000,
  body: JSON.stringify(event, undefined, 2),
  checkout: event.data.object.metadata.remit_checkout,
  header: 't=1792000000,v1=880dc6ae3e5967625dae4a6c32eff7b444d12c4baa076e37646710c0b2b2d4e0',
} as const;
