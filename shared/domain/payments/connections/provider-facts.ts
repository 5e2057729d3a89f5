/** Says what people must know to connect each hosted provider: names, the form of credentials, and the notifications. */
import type { Mode } from '../../../base/ids.ts';
import type { Currency } from '../../../base/money.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';

/** The parts of the credentials that a person enters. */
export const credentialFields = ['apiKey', 'apiSecret', 'notificationSecret'] as const;
export type CredentialField = (typeof credentialFields)[number];

interface CredentialFacts {
  /** What the provider calls it. */
  readonly label: string;
  readonly pattern: RegExp;
  /** What a valid value looks like. */
  readonly hint: string;
}

export interface ProviderFacts {
  /** The name of the provider, for people. */
  readonly title: string;
  readonly credentials: Readonly<Partial<Record<CredentialField, CredentialFacts>>>;
  /** The currencies that the provider can take. */
  readonly currencies: readonly Currency[];
  /** The events that the merchant selects at the provider. */
  readonly events: readonly string[];
}

const visible = /^[\x21-\x7e]{8,500}$/;

export const providerFacts: Readonly<Record<HostedProviderName, ProviderFacts>> = {
  stripe: {
    title: 'Stripe',
    currencies: ['USD', 'INR'],
    credentials: {
      apiKey: {
        label: 'Secret or restricted key',
        pattern: /^[sr]k_(test|live)_[\x21-\x7e]{8,480}$/,
        hint: 'It begins with sk_test_, rk_test_, sk_live_ or rk_live_.',
      },
      notificationSecret: {
        label: 'Signing secret of the webhook endpoint',
        pattern: /^whsec_[\x21-\x7e]{8,480}$/,
        hint: 'It begins with whsec_.',
      },
    },
    events: [
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.async_payment_failed',
      'checkout.session.expired',
      'charge.refunded',
      'refund.created',
      'refund.updated',
      'refund.failed',
      'charge.refund.updated',
      'charge.dispute.created',
      'charge.dispute.updated',
      'charge.dispute.closed',
    ],
  },
  razorpay: {
    title: 'Razorpay',
    currencies: ['INR'],
    credentials: {
      apiKey: {
        label: 'Key ID',
        pattern: /^rzp_(test|live)_[\x21-\x7e]{4,480}$/,
        hint: 'It begins with rzp_test_ or rzp_live_.',
      },
      apiSecret: { label: 'Key secret', pattern: visible, hint: 'It has at least 8 characters.' },
      notificationSecret: {
        label: 'Webhook secret',
        pattern: visible,
        hint: 'You choose it at Razorpay. It has at least 8 characters.',
      },
    },
    events: [
      'payment_link.paid',
      'payment_link.cancelled',
      'payment_link.expired',
      'payment.authorized',
      'payment.captured',
      'order.paid',
      'refund.created',
      'refund.processed',
      'refund.failed',
      'payment.dispute.created',
      'payment.dispute.won',
      'payment.dispute.lost',
      'payment.dispute.closed',
    ],
  },
};

/** Returns the mode that the form of a key shows, or undefined if it shows none. */
export function modeOfProviderKey(apiKey: string): Mode | undefined {
  return /^[a-z]+_(test|live)_/.exec(apiKey)?.[1] as Mode | undefined;
}

/**
 * Returns the address to which a provider sends notifications.
 * @param baseUrl the URL of the API, without a trailing slash
 */
export function notificationAddress(baseUrl: string, provider: HostedProviderName, account: string): string {
  return `${baseUrl}/notifications/${provider}/${account}`;
}
