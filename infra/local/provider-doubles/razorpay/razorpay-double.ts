/**
 * Runs a double of Razorpay: payment links, payments, refunds, disputes and signed notifications, as Razorpay's reference
 * documents them. Live and test mode are separate, as their keys are.
 */
import { createHmac } from 'node:crypto';
import type { Mode } from '../../../../shared/base/ids.ts';
import { now as readClock, toSeconds } from '../../../../shared/base/time.ts';
import { serveCheckoutPage } from '../common/checkout-page.ts';
import { doubleId } from '../common/double-id.ts';
import type { DoubleRequest, DoubleResponse } from '../common/double-messages.ts';
import { startDoubleServer } from '../common/http-server.ts';
import { NotificationSender } from '../common/notification-sender.ts';
import {
  type DoubleOptions,
  type ProviderDouble,
  toProviderDouble,
  withHost,
} from '../common/provider-double.ts';
import { RazorpayAccount } from './razorpay-account.ts';
import { answerRazorpay } from './razorpay-api.ts';
import { RazorpayDoubleError } from './razorpay-error.ts';
import {
  showLink,
  showOrder,
  showRazorpayDispute,
  showRazorpayPayment,
  showRazorpayRefund,
} from './razorpay-objects.ts';
import type { LinkState, RazorpaySubject } from './razorpay-state.ts';

const credentials = {
  test: {
    apiKey: 'rzp_test_double00000001',
    apiSecret: 'doubleOfRazorpaySecretTest',
    notificationSecrets: ['double_of_razorpay_webhook_test'],
  },
  live: {
    apiKey: 'rzp_live_double00000001',
    apiSecret: 'doubleOfRazorpaySecretLive',
    notificationSecrets: ['double_of_razorpay_webhook_live'],
  },
} as const;

/** Starts the double on the loopback address. */
export async function startRazorpayDouble(options: DoubleOptions = {}): Promise<ProviderDouble> {
  const now = options.now ?? readClock;
  /**
   * The base of the short addresses. Razorpay has them on a domain of their own (rzp.io), and they lead to the page of the
   * link on another one (razorpay.com/payment-link/plink_…).
   */
  const place = { url: '' };
  const refunds = new RefundAnswers();

  const notifications = new NotificationSender(({ id, mode, body }, signing) => {
    const [secret = ''] = signing.secrets ?? credentials[mode].notificationSecrets;
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { 'x-razorpay-signature': signature, 'x-razorpay-event-id': id };
  });

  const account = new RazorpayAccount(now, (event, mode, subject) => {
    const payload = payloadOf(subject, place.url);
    const body = JSON.stringify({
      entity: 'event',
      account_id: 'acc_double00000001',
      event,
      contains: Object.keys(payload),
      payload,
      created_at: toSeconds(now()),
    });
    notifications.add({ id: doubleId('', 14), mode, type: event, body });
  });

  const server = await startDoubleServer(options.port ?? 0, async (request, hold) => {
    try {
      return await answer(request, hold);
    } catch (error) {
      if (error instanceof RazorpayDoubleError) return error.toResponse();
      throw error;
    }
  });
  place.url = withHost(server.url, options.pageHost ?? 'localhost');

  async function answer(request: DoubleRequest, hold: () => Promise<void>): Promise<DoubleResponse> {
    const [, page, linkId = ''] = /^\/(i|payment-link)\/(\w+)$/.exec(request.path) ?? [];
    if (page === 'i')
      return { status: 302, headers: { Location: `${server.url}/payment-link/${linkId}` }, body: '' };
    if (page !== undefined) return servePage(account, linkId, request);
    const mode = authenticate(request);
    // Even without a fault, a request takes some time. So parallel requests meet each other.
    const execute = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await hold();
      return {
        status: 200,
        body: JSON.stringify(answerRazorpay({ account, mode, url: place.url }, request)),
      };
    };
    const header = request.headers['x-refund-idempotency'];
    if (header === undefined) return execute();
    if (!/^[\w-]{10,}$/.test(header)) throw new RazorpayDoubleError('The idempotency key is invalid.');
    return refunds.once(`${mode}:${header}`, `${request.path} ${request.body}`, execute);
  }

  return toProviderDouble({ ...server, notifications, credentials }, account);
}

/** The answers to refunds by mode and key. Razorpay does not document that it forgets them. */
class RefundAnswers {
  readonly #answers = new Map<string, { readonly fingerprint: string; readonly response: DoubleResponse }>();
  readonly #inProgress = new Set<string>();

  /** Executes a refund, or returns the answer that its key has. */
  async once(
    key: string,
    fingerprint: string,
    execute: () => Promise<DoubleResponse>,
  ): Promise<DoubleResponse> {
    const known = this.#answers.get(key);
    if (known?.fingerprint === fingerprint) return known.response;
    if (known) throw new RazorpayDoubleError('Different request body for the same idempotency key.');
    if (this.#inProgress.has(key)) throw new RazorpayDoubleError('Request in progress.', undefined, 409);
    this.#inProgress.add(key);
    try {
      const response = await execute();
      this.#answers.set(key, { fingerprint, response });
      return response;
    } finally {
      this.#inProgress.delete(key);
    }
  }
}

function servePage(account: RazorpayAccount, id: string, request: DoubleRequest): DoubleResponse {
  const link = account.link(id);
  if (!link) return { status: 404, body: '{}' };
  const returnTo = () => returnAddressOf(link, account.behavior.callbackSeparator);
  const page = {
    providerName: 'Razorpay',
    description: link.description,
    amountMinor: link.amount,
    currency: link.currency,
    isOpen: link.status === 'created',
    laterLabel: 'Pay, and capture the payment later',
    unansweredLabel: 'Pay by UPI, and let the bank answer later',
    message: pageMessages[link.status],
    successUrl: returnTo,
    cancelUrl: undefined,
    backUrl: link.status === 'created' ? undefined : returnTo(),
  };
  return serveCheckoutPage(request, page, (action) => account.act(id, action));
}

/**
 * Returns where the payer goes after a payment. Razorpay adds five parameters to the callback address of a link
 * (razorpay.com/docs/payments/payment-links/callback-url).
 */
function returnAddressOf(
  { id, callbackUrl, referenceId, payments }: LinkState,
  separator: '&' | '?',
): string {
  const parameters = new URLSearchParams({
    razorpay_payment_id: payments.at(-1)?.id ?? '',
    razorpay_payment_link_id: id,
    razorpay_payment_link_reference_id: referenceId,
    razorpay_payment_link_status: 'paid',
    razorpay_signature: createHmac('sha256', id).update(referenceId).digest('hex'),
  });
  return `${callbackUrl}${callbackUrl.includes('?') ? separator : '?'}${parameters}`;
}

const pageMessages = {
  created: undefined,
  paid: 'This payment link is paid.',
  expired: 'This payment link has expired.',
  cancelled: 'This payment link is cancelled.',
} as const;

function payloadOf({ link, payment, order, refund, dispute }: RazorpaySubject, url: string): object {
  return {
    ...(link && { payment_link: { entity: showLink(link, url) } }),
    ...(payment && { payment: { entity: showRazorpayPayment(payment) } }),
    ...(order && { order: { entity: showOrder(order) } }),
    ...(refund && { refund: { entity: showRazorpayRefund(refund) } }),
    ...(dispute && { dispute: { entity: showRazorpayDispute(dispute) } }),
  };
}

/** @throws RazorpayDoubleError with status 401 */
function authenticate({ headers }: DoubleRequest): Mode {
  const given = headers.authorization ?? '';
  for (const mode of ['test', 'live'] as const) {
    const { apiKey, apiSecret } = credentials[mode];
    if (given === `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`) return mode;
  }
  throw new RazorpayDoubleError('Authentication failed', undefined, 401);
}
