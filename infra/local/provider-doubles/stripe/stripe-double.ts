/**
 * Runs a double of Stripe: checkout sessions, payments, refunds, disputes, idempotency keys and signed notifications, as
 * Stripe's reference documents them. Live and test mode are separate, as their keys are.
 */
import { createHmac } from 'node:crypto';
import { now as readClock, toSeconds } from '../../../../shared/time.ts';
import { redirectTo, renderCheckoutPage } from '../common/checkout-page.ts';
import { doubleId } from '../common/double-id.ts';
import type { DoubleRequest, DoubleResponse } from '../common/double-messages.ts';
import { startDoubleServer } from '../common/http-server.ts';
import {
  type DoubleNotification,
  NotificationSender,
  type SigningOptions,
} from '../common/notification-sender.ts';
import type { DoubleOptions, PayerAction, ProviderDouble } from '../common/provider-double.ts';
import { authenticate } from './access.ts';
import { type EventSubject, StripeAccount } from './account.ts';
import { answerOf, payUrlOf, planCall } from './api.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { showStripeSession } from './objects.ts';
import { showStripeDispute, showStripeRefund } from './refund-objects.ts';
import { StripeDoubleError } from './stripe-error.ts';

/** The version that notifications have. It is the version of the installed types. */
export const stripeDoubleVersion = '2026-10-28.endive';

const secrets = { test: 'whsec_double_of_stripe_test', live: 'whsec_double_of_stripe_live' } as const;

const payActions: readonly PayerAction[] = ['pay', 'decline', 'later'];

/** Starts the double on the loopback address. */
export async function startStripeDouble(options: DoubleOptions = {}): Promise<ProviderDouble> {
  const now = options.now ?? readClock;
  const keys = new IdempotencyKeys();
  const place = { url: '' };

  const notifications = new NotificationSender(
    (notification: DoubleNotification, signing: SigningOptions) => {
      const at = toSeconds(signing.at ?? now());
      const signatures = (signing.secrets ?? [secrets[notification.mode]]).map((secret) => {
        const digest = createHmac('sha256', secret).update(`${at}.${notification.body}`).digest('hex');
        return `v1=${digest}`;
      });
      return { 'stripe-signature': [`t=${at}`, ...signatures, 'v0=0'].join(',') };
    },
  );

  const showSubject = (subject: EventSubject) => {
    if ('refund' in subject) return showStripeRefund(subject.refund);
    if ('dispute' in subject) return showStripeDispute(subject.dispute);
    return showStripeSession(subject.session, payUrlOf(place.url, subject.session));
  };

  const account = new StripeAccount(now, (type, livemode, subject) => {
    const id = doubleId('evt_', 24);
    const event = {
      id,
      object: 'event',
      api_version: stripeDoubleVersion,
      created: toSeconds(now()),
      data: { object: showSubject(subject) },
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

  const server = await startDoubleServer(options.port ?? 0, async (request, hold) => {
    const requestId = doubleId('req_', 14);
    const response = await answer(request, hold).catch((error: unknown) => {
      if (error instanceof StripeDoubleError) return error.toResponse();
      throw error;
    });
    return { ...response, headers: { 'Request-Id': requestId, ...response.headers } };
  });
  place.url = server.url;

  async function answer(request: DoubleRequest, hold: () => Promise<void>): Promise<DoubleResponse> {
    const [, sessionId] = /^\/c\/pay\/(\w+)$/.exec(request.path) ?? [];
    if (sessionId !== undefined) return servePage(sessionId, request);
    const key = authenticate(request);
    const call = planCall({ account, key, url: server.url }, request);
    const execute = () => answerOf(call.execute());
    const idempotencyKey = request.headers['idempotency-key'];
    if (request.method !== 'POST' || idempotencyKey === undefined) {
      call.validate();
      await hold();
      return execute();
    }
    const { path, body } = request;
    const fingerprint = `${path}?${[...new URLSearchParams(body)].map(String).sort().join('&')}`;
    return keys.once(`${key.livemode}:${idempotencyKey}`, fingerprint, now(), call.validate, hold, () => {
      try {
        return execute();
      } catch (error) {
        if (error instanceof StripeDoubleError) return error.toResponse();
        throw error;
      }
    });
  }

  function servePage(id: string, { method, body }: DoubleRequest): DoubleResponse {
    const session = account.session(id);
    if (!session) return { status: 404, body: '{}' };
    const { successUrl, cancelUrl } = session;
    const action = method === 'POST' ? new URLSearchParams(body).get('action') : null;
    if (action === 'cancel' && cancelUrl !== null) return redirectTo(cancelUrl);
    const chosen = payActions.find((each) => each === action);
    if (chosen && account.act(id, chosen) && chosen !== 'decline') return redirectTo(successUrl);
    return renderCheckoutPage({
      providerName: 'Stripe',
      description: session.productName,
      amountMinor: session.amount,
      currency: session.currency.toUpperCase(),
      buttons:
        session.status === 'open'
          ? [
              { action: 'pay', label: 'Pay' },
              { action: 'decline', label: 'Pay with a card that is declined' },
              { action: 'later', label: 'Pay, and let the bank decide later' },
              { action: 'cancel', label: 'Cancel' },
            ]
          : undefined,
      message: pageMessages[chosen === 'decline' ? 'declined' : session.status],
      backUrl: session.status === 'complete' ? successUrl : (cancelUrl ?? undefined),
    });
  }

  return {
    ...server,
    notifications,
    credentials: {
      test: { apiKey: 'sk_test_double000000000000000001', notificationSecrets: [secrets.test] },
      live: { apiKey: 'sk_live_double000000000000000001', notificationSecrets: [secrets.live] },
    },
    act: (reference, action) => account.act(reference, action),
    settle: (reference, outcome) => account.settle(reference, outcome),
    get pendingRefunds() {
      return account.pendingRefunds;
    },
    set pendingRefunds(pending) {
      account.pendingRefunds = pending;
    },
    settleRefund: (reference, outcome) => account.settleRefund(reference, outcome),
    openDispute: (reference) => account.openDispute(reference),
    closeDispute: (reference, outcome) => account.closeDispute(reference, outcome),
    books: () => account.books(),
  };
}

const pageMessages = {
  open: undefined,
  declined: 'The card was declined. You can try again.',
  complete: 'This checkout is complete.',
  expired: 'This checkout has expired.',
} as const;
