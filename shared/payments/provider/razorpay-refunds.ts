/**
 * Refunds payments of Razorpay. Razorpay does not document how long it keeps an idempotency key. So a refund carries its key
 * in its notes too, and the adapter looks for it before it creates one.
 */
import * as v from 'valibot';
import type { ProviderRefundRequest } from './hosted-provider.ts';
import type { ProviderOutcome } from './provider.ts';
import {
  listCollection,
  type RazorpayCalls,
  readRazorpayAnswer,
  unexpectedRazorpayRefusal,
} from './razorpay-client.ts';
import { notesSchema, razorpayNotes } from './razorpay-payments.ts';

const refundSchema = v.object({ status: v.string(), notes: notesSchema });

const refused: ProviderOutcome = { kind: 'refused', code: 'refund_refused' };

/** Creates a refund, unless it exists. @returns its outcome */
export async function refundRazorpayOnce(
  calls: RazorpayCalls,
  request: ProviderRefundRequest,
): Promise<ProviderOutcome> {
  const existing = await findRazorpayRefund(calls, request);
  if (existing) return existing;
  const { key, paymentReference, amountMinor } = request;
  const path = `/v1/payments/${encodeURIComponent(paymentReference)}/refund`;
  const body = { amount: amountMinor, speed: 'normal', receipt: key, notes: { [razorpayNotes.refund]: key } };
  const answer = await calls.post(path, body, key);
  if (answer.ok) return outcomeOf(readRazorpayAnswer(`POST ${path}`, refundSchema, answer).status);
  // The payment exists, because its refunds were listed. So the refund itself is refused.
  if (answer.status === 400) return refused;
  throw unexpectedRazorpayRefusal(`POST ${path}`, answer);
}

/** Returns the outcome of the refund of a key, or undefined if Razorpay does not have it. */
export async function findRazorpayRefund(
  calls: RazorpayCalls,
  { key, paymentReference }: ProviderRefundRequest,
): Promise<ProviderOutcome | undefined> {
  const path = `/v1/payments/${encodeURIComponent(paymentReference)}/refunds`;
  const all = await listCollection(calls, path, refundSchema);
  const found = all.find(({ notes }) => notes[razorpayNotes.refund] === key);
  return found && outcomeOf(found.status);
}

function outcomeOf(status: string): ProviderOutcome {
  if (status === 'processed') return { kind: 'done' };
  return status === 'failed' ? refused : { kind: 'unknown' };
}
