/**
 * The adapter for Razorpay: Payment Links, with which payers in India pay by UPI, card, netbanking or wallet.
 *
 * - Payment Links have no idempotency key. The key of a checkout is the `reference_id` of its link, which Razorpay accepts
 *   once. So a repeated `begin` finds the link by it.
 * - A link that is not found can still arrive. A void then creates the link and cancels it.
 */

import * as v from 'valibot';
import { now, toSeconds } from '../../../base/time.ts';
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
import {
  type RazorpayAnswer,
  type RazorpayCalls,
  type RazorpayRefusal,
  razorpayClient,
  readRazorpayAnswer,
  unexpectedRazorpayRefusal,
} from './razorpay-client.ts';
import { readRazorpayNotification } from './razorpay-notifications.ts';
import {
  findLinks,
  linkSchema,
  listRazorpayPayments,
  razorpayNotes,
  readLinkState,
  readRazorpayPayment,
} from './razorpay-payments.ts';
import { findRazorpayRefund, listRazorpayRefunds, refundRazorpayOnce } from './razorpay-refunds.ts';

const linksPath = '/v1/payment_links';

/** Creates the adapter for the credentials of a merchant. */
export function createRazorpayProvider(
  credentials: ProviderCredentials,
  options: AdapterOptions,
): HostedProvider {
  const open = razorpayClient(credentials, options);
  return {
    name: 'razorpay',
    abilities: { currencies: ['INR'], partialRefunds: true, voids: true },
    begin: (request) => begin(open(), request),
    status: async (request, reference, isQuick = false) => {
      const calls = open();
      const id = reference ?? (await findLink(calls, request))?.id;
      if (id !== undefined) return readState(calls, request, id, isQuick);
      return { kind: now() < request.expiresAt ? 'absent' : 'expired' };
    },
    void: async (request, reference) => {
      const calls = open();
      const id = reference ?? (await locate(calls, request));
      return id === undefined ? { kind: 'expired' } : cancel(calls, request, id);
    },
    payment: (reference) => readRazorpayPayment(open(), reference),
    refund: (request) => refundRazorpayOnce(open(), request),
    refundStatus: async (request) => (await findRazorpayRefund(open(), request)) ?? { kind: 'absent' },
    refunds: (reference) => listRazorpayRefunds(open(), reference),
    listPayments: (since, cursor) => listRazorpayPayments(open(), since, cursor),
    readNotification: (headers, rawBody, at) => readRazorpayNotification(credentials, headers, rawBody, at),
    check: () => check(open(), credentials),
  };
}

function linkBody({
  key,
  invoiceId,
  amountMinor,
  currency,
  description,
  customerEmail,
  returnUrl,
  expiresAt,
}: CheckoutRequest) {
  return {
    amount: amountMinor,
    currency,
    accept_partial: false,
    reference_id: key,
    description: fitText(description, 2_048, invoiceId),
    expire_by: toSeconds(expiresAt),
    ...(customerEmail !== undefined && { customer: { email: customerEmail } }),
    notify: { sms: false, email: false },
    reminder_enable: false,
    notes: { [razorpayNotes.checkout]: key, [razorpayNotes.invoice]: invoiceId },
    callback_url: returnUrl,
    callback_method: 'get',
  };
}

async function begin(calls: RazorpayCalls, request: CheckoutRequest): Promise<BegunCheckout> {
  if (request.currency !== 'INR') return { kind: 'refused', reason: 'currency' };
  const answer = await createLink(calls, request);
  const isRefused = !answer.ok;
  if (isRefused && isCredentialRefusal(answer.status)) return { kind: 'refused', reason: 'credentials' };
  // Any refusal can mean that the link exists: Razorpay accepts a reference once.
  const link = isRefused
    ? await findLink(calls, request)
    : readRazorpayAnswer(`POST ${linksPath}`, linkSchema, answer);
  if (link) {
    requireOwn(link, request);
    return {
      kind: 'begun',
      redirectUrl: link.short_url,
      reference: link.id,
      expiresAt: link.expire_by * 1000,
    };
  }
  if (!isRefused || answer.field === 'reference_id') {
    throw new ProviderCallError('Razorpay: the link of the reference is not found.');
  }
  return { kind: 'refused', reason: reasonOf(answer) };
}

/**
 * Creates the link, without the customer's e-mail address if Razorpay does not take it. A server error does not say whether the link
 * exists, so this looks for it then.
 */
async function createLink(calls: RazorpayCalls, request: CheckoutRequest): Promise<RazorpayAnswer> {
  try {
    const answer = await calls.post(linksPath, linkBody(request));
    const isOfEmail = !answer.ok && answer.field.includes('email') && request.customerEmail !== undefined;
    return isOfEmail ? await createLink(calls, { ...request, customerEmail: undefined }) : answer;
  } catch (error) {
    const isServerError = error instanceof ProviderCallError && (error.status ?? 0) >= 500;
    const link = isServerError ? await findLink(calls, request) : undefined;
    if (!link) throw error;
    return { ok: true, json: link };
  }
}

function reasonOf({ field }: RazorpayRefusal): RefusalReason {
  return field === 'amount' || field === 'currency' ? field : 'request';
}

function requireOwn(
  { reference_id: reference }: { reference_id?: string | null | undefined },
  { key }: CheckoutRequest,
) {
  if (reference !== key) throw new ProviderCallError('Razorpay: the link belongs to another checkout.');
}

async function findLink(calls: RazorpayCalls, { key }: CheckoutRequest) {
  const links = await findLinks(calls, { reference_id: key });
  return links.find(({ reference_id: reference }) => reference === key);
}

/** Finds the link of a checkout, or creates it, so that a delayed request finds its reference in use. */
async function locate(calls: RazorpayCalls, request: CheckoutRequest): Promise<string | undefined> {
  const found = await findLink(calls, request);
  if (found) return found.id;
  const begun = await begin(calls, request);
  return begun.kind === 'begun' ? begun.reference : undefined;
}

async function readState(
  calls: RazorpayCalls,
  request: CheckoutRequest,
  id: string,
  isQuick = false,
): Promise<CheckoutState> {
  const path = `${linksPath}/${encodeURIComponent(id)}`;
  const answer = await calls.get(path);
  // Razorpay answers 400 for an id that does not exist.
  if (!answer.ok && (answer.status === 400 || answer.status === 404)) return { kind: 'absent' };
  const link = readRazorpayAnswer(`GET ${path}`, linkSchema, answer);
  requireOwn(link, request);
  return isQuick && link.status === 'created' ? { kind: 'open' } : readLinkState(calls, link);
}

/** Cancels a link. Razorpay refuses this unless the link is open, so the state decides. */
async function cancel(calls: RazorpayCalls, request: CheckoutRequest, id: string): Promise<CheckoutState> {
  const path = `${linksPath}/${encodeURIComponent(id)}/cancel`;
  const answer = await calls.post(path, {});
  if (!answer.ok && answer.status !== 400) throw unexpectedRazorpayRefusal(`POST ${path}`, answer);
  const state = await readState(calls, request, id);
  if (state.kind === 'open')
    throw new ProviderCallError('Razorpay: the link is still open after its cancellation.');
  return state;
}

/** Razorpay has no call that returns the merchant's name. So the id of the key, which is public, stands for it. */
async function check(
  calls: RazorpayCalls,
  { apiKey, apiSecret }: ProviderCredentials,
): ReturnType<HostedProvider['check']> {
  if (!/^rzp_(test|live)_\w{8,60}$/.test(apiKey) || !apiSecret) {
    return {
      kind: 'refused',
      message: 'This is not a key of Razorpay. Copy the key id, which begins with rzp_, and the key secret.',
    };
  }
  const answer = await calls.get('/v1/payments', { count: '1' });
  if (!answer.ok && isCredentialRefusal(answer.status)) {
    return {
      kind: 'refused',
      message: 'Razorpay does not accept the key. Copy the key id and the key secret again.',
    };
  }
  readRazorpayAnswer('GET /v1/payments', v.object({ items: v.array(v.unknown()) }), answer);
  return { kind: 'ok', accountName: apiKey, isLive: apiKey.startsWith('rzp_live_') };
}
