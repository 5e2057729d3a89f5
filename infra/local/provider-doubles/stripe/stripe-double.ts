/**
 * Runs a double of Stripe: checkout sessions, payments, refunds, disputes, idempotency keys and signed notifications, as
 * Stripe's reference documents them. Live and test mode are separate, as their keys are.
 */
import { createHmac } from 'node:crypto';
import { type Instant, now as readClock, toSeconds } from '../../../../shared/base/time.ts';
import { serveCheckoutPage } from '../common/checkout-page.ts';
import { doubleId } from '../common/double-id.ts';
import type { DoubleRequest, DoubleResponse } from '../common/double-messages.ts';
import { type DoubleHandler, startDoubleServer } from '../common/http-server.ts';
import {
  type DoubleNotification,
  NotificationSender,
  type SigningOptions,
} from '../common/notification-sender.ts';
import {
  type DoubleOptions,
  type ProviderDouble,
  toProviderDouble,
  withHost,
} from '../common/provider-double.ts';
import { authenticate } from './access.ts';
import { type EventSubject, StripeAccount } from './account.ts';
import { answerOf, payUrlOf, planCall } from './api.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { showStripeCharge, showStripeSession } from './objects.ts';
import { showStripeDispute, showStripeRefund } from './refund-objects.ts';
import { StripeDoubleError } from './stripe-error.ts';

/** The version that notifications have. A test compares it with the description of the interface. */
export const stripeDoubleVersion = '2026-10-28.endive';

const credentials = {
  test: {
    apiKey: 'sk_test_double000000000000000001',
    notificationSecrets: ['whsec_double_of_stripe_test'],
  },
  live: {
    apiKey: 'sk_live_double000000000000000001',
    notificationSecrets: ['whsec_double_of_stripe_live'],
  },
} as const;

/** Starts the double on the loopback address. */
export async function startStripeDouble(options: DoubleOptions = {}): Promise<ProviderDouble> {
  const now = options.now ?? readClock;
  const keys = new IdempotencyKeys();
  /**
   * Where the payer pays. Merchants can move the page to a domain of their own, and `session.url` then has it
   * (docs.stripe.com/payments/checkout/custom-domains).
   */
  const place = { url: '' };

  const notifications = notificationsAt(now);

  const account = new StripeAccount(now, (type, livemode, subject) => {
    const id = doubleId('evt_', 24);
    const event = {
      id,
      object: 'event',
      api_version: stripeDoubleVersion,
      created: toSeconds(now()),
      data: { object: showSubject(subject, place.url) },
      livemode,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
    // Stripe sends indented JSON. A receiver that serializes the body again cannot verify it.
    notifications.add({
      id,
      mode: livemode ? 'live' : 'test',
      type,
      body: JSON.stringify(event, undefined, 2),
    });
  });

  const handle: DoubleHandler = async (request, hold) => {
    const requestId = doubleId('req_', 14);
    const response = await answer(request, hold).catch((error: unknown) => {
      if (error instanceof StripeDoubleError) return error.toResponse();
      throw error;
    });
    return { ...response, headers: { 'Request-Id': requestId, ...response.headers } };
  };
  const keepAnswer = (request: DoubleRequest, response: DoubleResponse) => {
    const name = keyNameOf(request);
    if (response.status === 500 && name !== undefined)
      keys.keep(name, fingerprintOf(request), now(), response);
  };
  const server = await startDoubleServer(options.port ?? 0, handle, keepAnswer);
  place.url = withHost(server.url, options.pageHost);

  async function answer(request: DoubleRequest, hold: () => Promise<void>): Promise<DoubleResponse> {
    const [, sessionId] = /^\/c\/pay\/(\w+)$/.exec(request.path) ?? [];
    if (sessionId !== undefined) return servePage(account, sessionId, request);
    const key = authenticate(request);
    const call = planCall({ account, key, url: place.url }, request);
    const execute = () => answerOf(call.execute());
    const name = keyNameOf(request);
    if (name === undefined) {
      call.validate();
      await hold();
      return execute();
    }
    return keys.once(name, fingerprintOf(request), now(), call.validate, hold, () => {
      try {
        return execute();
      } catch (error) {
        if (error instanceof StripeDoubleError) return error.toResponse();
        throw error;
      }
    });
  }

  return toProviderDouble({ ...server, notifications, credentials }, account);
}

const notificationsAt = (now: () => Instant) =>
  new NotificationSender((notification: DoubleNotification, signing: SigningOptions) => {
    const at = toSeconds(signing.at ?? now());
    const signatures = (signing.secrets ?? credentials[notification.mode].notificationSecrets).map(
      (secret) => {
        const digest = createHmac('sha256', secret).update(`${at}.${notification.body}`).digest('hex');
        return `v1=${digest}`;
      },
    );
    return { 'stripe-signature': [`t=${at}`, ...signatures, 'v0=0'].join(',') };
  });

const showSubject = (subject: EventSubject, url: string) => {
  if ('charge' in subject) return showStripeCharge(subject.charge);
  if ('refund' in subject) return showStripeRefund(subject.refund);
  if ('dispute' in subject) return showStripeDispute(subject.dispute);
  return showStripeSession(subject.session, payUrlOf(url, subject.session));
};

function servePage(account: StripeAccount, id: string, request: DoubleRequest): DoubleResponse {
  const session = account.session(id);
  if (!session) return { status: 404, body: '{}' };
  const { successUrl, cancelUrl } = session;
  const page = {
    providerName: 'Stripe',
    description: session.productName,
    amountMinor: session.amount,
    currency: session.currency.toUpperCase(),
    isOpen: session.status === 'open',
    laterLabel: 'Pay, and let the bank decide later',
    message: pageMessages[session.status],
    successUrl: () => successUrl,
    cancelUrl: cancelUrl ?? undefined,
    backUrl: session.status === 'complete' ? successUrl : (cancelUrl ?? undefined),
  };
  return serveCheckoutPage(request, page, (action) => account.act(id, action));
}

/** Returns the name of the idempotency key of a request. Each mode of the merchant's account has its own keys. */
function keyNameOf(request: DoubleRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return undefined;
  return `${authenticate(request).livemode}:${key}`;
}

const fingerprintOf = ({ path, body }: DoubleRequest): string =>
  `${path}?${[...new URLSearchParams(body)].map(String).sort().join('&')}`;

const pageMessages = {
  open: undefined,
  complete: 'This checkout is complete.',
  expired: 'This checkout has expired.',
} as const;
