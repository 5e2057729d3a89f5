/**
 * Refunds payments of Razorpay. Razorpay does not document how long it keeps an idempotency key. So a refund carries its key
 * in its notes too, and the adapter looks for it before it creates one.
 */
import * as v from 'valibot';
import type { ListedRefund, ProviderRefundRequest } from './hosted-provider.ts';
import type { ProviderOutcome } from './provider.ts';
import {
  listCollection,
  type RazorpayCalls,
  readRazorpayAnswer,
  unexpectedRazorpayRefusal,
} from './razorpay-client.ts';
import { notesSchema, razorpayNotes } from './razorpay-payments.ts';

const refundSchema = v.object({
  id: v.string(),
  amount: v.number(),
  status: v.string(),
  notes: notesSchema,
});

const refused: ProviderOutcome = { kind: 'refused', code: 'refund_refused' };
const noBalance: ProviderOutcome = { kind: 'refused', code: 'insufficient_balance' };

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
  // Razorpay has processed a request under this key. So the refund exists, or another body was sent: the list decides.
  const other = answer.cause === 'key' ? await findRazorpayRefund(calls, request) : undefined;
  if (other) return other;
  // The payment exists, because its refunds were listed. So the refund itself is refused.
  if (answer.status === 400 && answer.cause !== 'key')
    return answer.cause === 'balance' ? noBalance : refused;
  throw unexpectedRazorpayRefusal(`POST ${path}`, answer);
}

/** Returns the outcome of the refund of a key, or undefined if Razorpay does not have it. */
export async function findRazorpayRefund(
  calls: RazorpayCalls,
  { key, paymentReference }: ProviderRefundRequest,
): Promise<ProviderOutcome | undefined> {
  const all = await listRazorpayRefunds(calls, paymentReference);
  return all.find((refund) => refund.key === key)?.outcome;
}

/** Returns all refunds of a payment. */
export async function listRazorpayRefunds(calls: RazorpayCalls, payment: string): Promise<ListedRefund[]> {
  const path = `/v1/payments/${encodeURIComponent(payment)}/refunds`;
  const all = await listCollection(calls, path, refundSchema);
  return all.map(({ id: reference, amount: amountMinor, status, notes }) => {
    const key = notes[razorpayNotes.refund];
    return {
      reference,
      key: typeof key === 'string' ? key : undefined,
      amountMinor,
      outcome: outcomeOf(status),
    };
  });
}

function outcomeOf(status: string): ProviderOutcome {
  if (status === 'processed') return { kind: 'done' };
  return status === 'failed' ? refused : { kind: 'unknown' };
}
