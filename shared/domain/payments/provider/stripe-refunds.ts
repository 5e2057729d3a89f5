/**
 * Refunds payments of Stripe.
 *
 * - Stripe forgets an idempotency key after 24 hours at the earliest. So a refund carries its key in its metadata too, and
 *   the adapter looks for it before it creates one.
 */
import * as v from 'valibot';
import type { ListedRefund, ProviderRefundRequest } from './hosted-provider.ts';
import type { ProviderOutcome } from './provider.ts';
import {
  createUnderKey,
  listAll,
  passingCodes,
  readAnswer,
  type StripeCalls,
  unexpectedRefusal,
} from './stripe-client.ts';
import { metadataSchema, stripeMetadata } from './stripe-payments.ts';

const refundSchema = v.object({
  id: v.string(),
  amount: v.number(),
  status: v.nullable(v.string()),
  metadata: metadataSchema,
});

const refused: ProviderOutcome = { kind: 'refused', code: 'refund_refused' };
const noBalance: ProviderOutcome = { kind: 'refused', code: 'insufficient_balance' };

/** Creates a refund, unless it exists. @returns its outcome */
export async function refundOnce(
  calls: StripeCalls,
  request: ProviderRefundRequest,
): Promise<ProviderOutcome> {
  const existing = await findRefund(calls, request);
  if (existing) return existing;
  const params = {
    payment_intent: request.paymentReference,
    amount: request.amountMinor,
    metadata: { [stripeMetadata.refund]: request.key },
  };
  const creation = { path: '/v1/refunds', params, key: request.key };
  const created = await createUnderKey(calls, creation, () => findRefund(calls, request));
  if ('found' in created) return created.found;
  const { answer } = created;
  if (answer.ok) return outcomeOf(readAnswer('POST /v1/refunds', refundSchema, answer.json).status);
  // A wrong key or a missing payment says nothing about the refund: another key may be able to make it.
  const isFinal = answer.type !== 'idempotency_error' && (answer.status === 400 || answer.status === 402);
  if (isFinal) return passingCodes.includes(answer.code) ? noBalance : refused;
  throw unexpectedRefusal('POST /v1/refunds', answer);
}

/** Returns the outcome of the refund of a key, or undefined if Stripe does not have it. */
export async function findRefund(
  calls: StripeCalls,
  { key, paymentReference }: ProviderRefundRequest,
): Promise<ProviderOutcome | undefined> {
  const all = await listStripeRefunds(calls, paymentReference);
  return all.find((refund) => refund.key === key)?.outcome;
}

/** Returns all refunds of a payment. */
export async function listStripeRefunds(calls: StripeCalls, payment: string): Promise<ListedRefund[]> {
  const params = { payment_intent: payment };
  const all = await listAll(calls, '/v1/refunds', params, refundSchema, 100);
  return all.map(({ id: reference, amount: amountMinor, status, metadata }) => ({
    reference,
    key: metadata?.[stripeMetadata.refund],
    amountMinor,
    outcome: outcomeOf(status),
  }));
}

/** The statuses `pending` and `requires_action` can last for days. */
function outcomeOf(status: string | null): ProviderOutcome {
  if (status === 'succeeded') return { kind: 'done' };
  return status === 'failed' || status === 'canceled' ? refused : { kind: 'unknown' };
}
