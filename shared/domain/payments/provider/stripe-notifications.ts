/** Verifies and reads notifications of Stripe (`Stripe-Signature`, scheme v1). */
import * as v from 'valibot';
import { decodeUtf8 } from '../../../base/strict-json.ts';
import type { Instant } from '../../../base/time.ts';
import type { Notification, ProviderCredentials } from './hosted-provider.ts';
import { isSignedBy } from './notification-signature.ts';
import { parseObject } from './provider-http.ts';
import { isLiveStripeKey } from './stripe-check.ts';
import { metadataSchema, stripeMetadata } from './stripe-payments.ts';

/** How much a timestamp may differ from the clock, in both directions. Stripe's own libraries accept five minutes. */
const toleranceMs = 300_000;

const sessionEvent = v.object({ data: v.object({ object: v.object({ metadata: metadataSchema }) }) });
const paymentEvent = v.object({
  data: v.object({ object: v.object({ payment_intent: v.string(), metadata: v.optional(metadataSchema) }) }),
});
const eventSchema = v.object({ type: v.string(), livemode: v.boolean() });

const sessionTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
];
const refundTypes = ['charge.refund.updated', 'refund.created', 'refund.updated', 'refund.failed'];
const paymentTypes = [
  ...refundTypes,
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
];

/** @param headers with names in lower case */
export function readStripeNotification(
  { apiKey, notificationSecrets }: ProviderCredentials,
  headers: Readonly<Record<string, string | undefined>>,
  rawBody: Uint8Array,
  now: Instant,
): Notification {
  const fields = (headers['stripe-signature'] ?? '').split(',').map((field) => field.trim().split('='));
  const valuesOf = (name: string) => fields.filter(([key]) => key === name).map(([, value]) => value ?? '');
  const [timestamp, ...others] = valuesOf('t');
  if (!timestamp || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return { kind: 'invalid' };
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs) return { kind: 'invalid' };
  if (!isSignedBy(notificationSecrets, valuesOf('v1'), `${timestamp}.`, rawBody)) return { kind: 'invalid' };
  return readEvent(parseObject(decodeUtf8(rawBody) ?? ''), isLiveStripeKey(apiKey));
}

function readEvent(json: unknown, isLive: boolean): Notification {
  const event = v.safeParse(eventSchema, json);
  if (!event.success || event.output.livemode !== isLive) return { kind: 'ignored' };
  const { type } = event.output;
  if (sessionTypes.includes(type)) {
    const session = v.safeParse(sessionEvent, json);
    const key = session.success ? session.output.data.object.metadata?.[stripeMetadata.checkout] : undefined;
    return key === undefined ? { kind: 'ignored' } : { kind: 'checkout', key };
  }
  const payment = paymentTypes.includes(type) ? v.safeParse(paymentEvent, json) : undefined;
  if (!payment?.success) return { kind: 'ignored' };
  const { payment_intent: reference, metadata } = payment.output.data.object;
  const key = refundTypes.includes(type) ? metadata?.[stripeMetadata.refund] : undefined;
  return key === undefined
    ? { kind: 'payment', reference }
    : { kind: 'refund', key, paymentReference: reference };
}
