/**
 * The adapter for Stripe: Checkout Sessions in payment mode.
 *
 * - The key of a checkout is the idempotency key of its session. So a repeated `begin` returns the same session.
 * - If Stripe stored an error under the key, the session is looked for, and else created under a derived key.
 * - If the answer to `begin` was lost, `begin` with the same parameters returns the session. Stripe forgets the key after
 *   24 hours at the earliest. From then on Stripe refuses the expiry, and the adapter looks through the sessions of that
 *   time.
 */

import * as v from 'valibot';
import { toSeconds } from '../../../base/time.ts';
import { isCredentialRefusal } from './credential-refusal.ts';
import { fitText } from './fit-text.ts';
import {
  type BegunCheckout,
  type CheckoutRequest,
  type CheckoutState,
  type HostedProvider,
  ProviderCallError,
  type ProviderCredentials,
  type RefusalReason,
} from './hosted-provider.ts';
import type { AdapterOptions } from './provider-http.ts';
import { listStripePayments } from './stripe-books.ts';
import { checkStripeKey } from './stripe-check.ts';
import {
  createUnderKey,
  listAll,
  readAnswer,
  type StripeCalls,
  type StripeRefusal,
  stripeClient,
  unexpectedRefusal,
} from './stripe-client.ts';
import { readStripeNotification } from './stripe-notifications.ts';
import {
  intentSchema,
  readCheckoutState,
  readStripeFees,
  readStripePayment,
  sessionSchema,
  stripeMetadata,
} from './stripe-payments.ts';
import { findRefund, listStripeRefunds, refundOnce } from './stripe-refunds.ts';

const currencies: readonly string[] = ['USD', 'INR'];
const sessionsPath = '/v1/checkout/sessions';

/** By how much the clock of Stripe may differ. */
const clockSkewSeconds = 600;

const hourMs = 3_600_000;

/** Creates the adapter for the credentials of a merchant. */
export function createStripeProvider(
  credentials: ProviderCredentials,
  { country, ...options }: AdapterOptions & { readonly country?: string | undefined },
): HostedProvider {
  const open = stripeClient(credentials, options);
  return {
    name: 'stripe',
    abilities: { currencies: ['USD', 'INR'], partialRefunds: true, voids: true },
    begin: (request) => begin(open(), request, country),
    status: async (request, reference) => {
      const calls = open();
      const id = reference ?? (await locate(calls, request, country));
      return id === undefined ? { kind: 'expired' } : readState(calls, request, id);
    },
    void: async (request, reference) => {
      const calls = open();
      const id = reference ?? (await locate(calls, request, country));
      return id === undefined ? { kind: 'expired' } : expire(calls, request, id);
    },
    payment: async (reference) => {
      const calls = open();
      const path = `/v1/payment_intents/${encodeURIComponent(reference)}`;
      const answer = await calls.get(path, { expand: ['latest_charge'] });
      if (!answer.ok && answer.status === 404) return undefined;
      if (!answer.ok) throw unexpectedRefusal(`GET ${path}`, answer);
      const intent = readAnswer(`GET ${path}`, intentSchema, answer.json);
      if (intent.status !== 'succeeded') return undefined;
      const [payment, fees] = await Promise.all([
        readStripePayment(calls, intent),
        readStripeFees(calls, intent),
      ]);
      return { ...payment, fees };
    },
    refund: (request) => refundOnce(open(), request),
    refundStatus: async (request) => (await findRefund(open(), request)) ?? { kind: 'absent' },
    refunds: (reference) => listStripeRefunds(open(), reference),
    listPayments: (since, cursor) => listStripePayments(open(), since, cursor),
    readNotification: (headers, rawBody, at) => readStripeNotification(credentials, headers, rawBody, at),
    check: () => checkStripeKey(open(), credentials.apiKey),
  };
}

/** The parameters of a new session (docs.stripe.com/api/checkout/sessions/create). */
function sessionParams(request: CheckoutRequest, country: string | undefined): object {
  const { key, invoiceId, amountMinor, currency, description, customerEmail, returnUrl } = request;
  const metadata = { [stripeMetadata.checkout]: key, [stripeMetadata.invoice]: invoiceId };
  return {
    mode: 'payment',
    client_reference_id: key,
    metadata,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: amountMinor,
          product_data: { name: fitText(description, 250, invoiceId) },
        },
      },
    ],
    ...(customerEmail !== undefined && { customer_email: customerEmail }),
    // Exports from India need the name and the address of the buyer (docs.stripe.com/india-accept-international-payments).
    ...(country === 'IN' && currency !== 'INR' && { billing_address_collection: 'required' }),
    payment_intent_data: { metadata, description: fitText(description, 1_000, invoiceId) },
    // The payer pays in the currency of the invoice, so the amounts stay comparable.
    adaptive_pricing: { enabled: false },
    expires_at: toSeconds(request.expiresAt),
    success_url: returnUrl,
    cancel_url: `${returnUrl}&cancelled`,
  };
}

const begunSchema = v.object({
  id: v.string(),
  client_reference_id: v.nullable(v.string()),
  url: v.nullable(v.string()),
  expires_at: v.number(),
});

async function begin(
  calls: StripeCalls,
  request: CheckoutRequest,
  country: string | undefined,
): Promise<BegunCheckout> {
  if (!currencies.includes(request.currency)) return { kind: 'refused', reason: 'currency' };
  const params = sessionParams(request, country);
  const creation = { path: sessionsPath, params, key: request.key, optional: ['customer_email'] };
  const created = await createUnderKey(calls, creation, () => findSession(calls, request));
  if ('found' in created) return toBegun(created.found, request);
  const { answer } = created;
  if (answer.ok) return toBegun(readAnswer(`POST ${sessionsPath}`, begunSchema, answer.json), request);
  if (answer.type !== 'idempotency_error') return { kind: 'refused', reason: reasonOf(answer) };
  // An earlier call sent other parameters under this key, such as one of another release during a rollout.
  const session = await findSession(calls, request);
  if (!session) throw unexpectedRefusal(`POST ${sessionsPath}`, answer);
  return toBegun(session, request);
}

function toBegun(session: v.InferOutput<typeof begunSchema>, request: CheckoutRequest): BegunCheckout {
  if (session.client_reference_id !== request.key) {
    throw new ProviderCallError('Stripe: the session belongs to another checkout.');
  }
  // A session that is no longer open has no page. The page of the service then shows the outcome.
  const redirectUrl = session.url ?? request.returnUrl;
  return { kind: 'begun', redirectUrl, reference: session.id, expiresAt: session.expires_at * 1000 };
}

function reasonOf({ status, code, param }: StripeRefusal): RefusalReason {
  if (isCredentialRefusal(status)) return 'credentials';
  if (/^amount_too_(small|large)$/.test(code) || /\bunit_amount\b/.test(param)) return 'amount';
  return /\bcurrency\b/.test(param) ? 'currency' : 'request';
}

/**
 * Finds the session of a checkout whose answer was lost, or creates it: a delayed request then gets the same session.
 * @returns its id, or undefined if the session does not exist and never will
 */
async function locate(
  calls: StripeCalls,
  request: CheckoutRequest,
  country: string | undefined,
): Promise<string | undefined> {
  const begun = await begin(calls, request, country);
  if (begun.kind === 'begun') return begun.reference;
  if (begun.reason === 'credentials') {
    throw new ProviderCallError('Stripe does not accept the credentials.', 401);
  }
  // After 24 hours Stripe has forgotten the key, and refuses the expiry.
  return (await findSession(calls, request))?.id;
}

/** Looks for the session among those that were created while it could be. */
async function findSession(calls: StripeCalls, { key, createdAt }: CheckoutRequest) {
  const created = {
    gte: toSeconds(createdAt) - clockSkewSeconds,
    lte: toSeconds(createdAt + hourMs) + clockSkewSeconds,
  };
  const all = await listAll(calls, sessionsPath, { created }, begunSchema, 30);
  return all.find(({ client_reference_id: id }) => id === key);
}

async function readState(calls: StripeCalls, request: CheckoutRequest, id: string): Promise<CheckoutState> {
  const path = `${sessionsPath}/${encodeURIComponent(id)}`;
  const answer = await calls.get(path, { expand: ['payment_intent.latest_charge'] });
  if (!answer.ok && answer.status === 404) return { kind: 'absent' };
  if (!answer.ok) throw unexpectedRefusal(`GET ${path}`, answer);
  return readCheckoutState(calls, readAnswer(`GET ${path}`, sessionSchema, answer.json), request);
}

/** Expires a session. Stripe refuses this unless the session is open, so the state decides. */
async function expire(calls: StripeCalls, request: CheckoutRequest, id: string): Promise<CheckoutState> {
  const path = `${sessionsPath}/${encodeURIComponent(id)}/expire`;
  const answer = await calls.post(path, {});
  if (!answer.ok && answer.status !== 400 && answer.status !== 404)
    throw unexpectedRefusal(`POST ${path}`, answer);
  const state = await readState(calls, request, id);
  if (state.kind === 'open')
    throw new ProviderCallError('Stripe: the session is still open after its expiry.');
  return state;
}
