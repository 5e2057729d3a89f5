/**
 * Verifies and reads notifications of Razorpay (`X-Razorpay-Signature`).
 *
 * - The signature covers the body only. The time in the body is that of the event, and Razorpay repeats a notification for 24
 *   hours. So an old notification can arrive again within a day. It is a hint, and has no other effect.
 * - The body does not name its mode. The secrets of the modes differ.
 */
import * as v from 'valibot';
import { decodeUtf8 } from '../../../base/strict-json.ts';
import type { Instant } from '../../../base/time.ts';
import type { Notification, ProviderCredentials } from './hosted-provider.ts';
import { isSignedBy } from './notification-signature.ts';
import { parseObject } from './provider-http.ts';
import { notesSchema, razorpayNotes } from './razorpay-payments.ts';

/** The events of a payment. A bank can approve a payment after its link has ended, and then there is no event of the link. */
const paymentTypes = ['payment.authorized', 'payment.captured', 'order.paid'];

const maxAgeMs = 25 * 3_600_000;
const maxAheadMs = 300_000;

/** An entity of another form is left out: the event can name the checkout elsewhere. */
const entityOf = <S extends v.GenericSchema>(entity: S) =>
  v.fallback(v.optional(v.object({ entity })), undefined);
const eventSchema = v.object({
  event: v.string(),
  created_at: v.number(),
  payload: v.object({
    payment_link: entityOf(v.object({ reference_id: v.nullish(v.string()) })),
    payment: entityOf(v.object({ notes: v.optional(notesSchema, {}) })),
    order: entityOf(v.object({ notes: v.optional(notesSchema, {}) })),
    refund: entityOf(v.object({ payment_id: v.string(), notes: v.optional(notesSchema, {}) })),
    dispute: entityOf(v.object({ payment_id: v.string() })),
  }),
});

/** @param headers with names in lower case */
export function readRazorpayNotification(
  { notificationSecrets }: ProviderCredentials,
  headers: Readonly<Record<string, string | undefined>>,
  rawBody: Uint8Array,
  now: Instant,
): Notification {
  const signature = headers['x-razorpay-signature'] ?? '';
  if (!isSignedBy(notificationSecrets, [signature], rawBody)) return { kind: 'invalid' };
  const event = v.safeParse(eventSchema, parseObject(decodeUtf8(rawBody) ?? ''));
  if (!event.success) return { kind: 'ignored' };
  const { event: type, created_at: createdAt, payload } = event.output;
  const ageMs = now - createdAt * 1000;
  if (ageMs > maxAgeMs || ageMs < -maxAheadMs) return { kind: 'invalid' };
  const link = payload.payment_link?.entity.reference_id;
  if (type.startsWith('payment_link.') && link) return { kind: 'checkout', key: link };
  const key =
    payload.order?.entity.notes[razorpayNotes.checkout] ??
    payload.payment?.entity.notes[razorpayNotes.checkout];
  if (paymentTypes.includes(type) && typeof key === 'string') return { kind: 'checkout', key };
  const { refund, dispute } = payload;
  if (type.startsWith('refund.') && refund) return refundNotification(refund.entity);
  if (!type.startsWith('payment.dispute.') || !dispute) return { kind: 'ignored' };
  return { kind: 'payment', reference: dispute.entity.payment_id };
}

function refundNotification({
  payment_id: reference,
  notes,
}: {
  readonly payment_id: string;
  readonly notes: Readonly<Record<string, unknown>>;
}): Notification {
  const key = notes[razorpayNotes.refund];
  return typeof key === 'string'
    ? { kind: 'refund', key, paymentReference: reference }
    : { kind: 'payment', reference };
}
