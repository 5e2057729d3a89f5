/** The English texts of the pages of payment providers. */
import type { CredentialField } from '../../../domain/payments/connections/provider-facts.ts';

export const providerTexts = {
  title: 'Payment providers',
  about: {
    test: 'In test mode, payers use test cards. Connect the test keys of a provider to try its checkout instead.',
    live: 'With a provider, payers enter card data on a page of the provider. Without one, payment pages show your payment instructions.',
  },
  statuses: { connected: 'Connected', disconnected: 'Disconnected', absent: 'Not connected' },
  names: {
    account: 'Account',
    currencies: 'Currencies',
    maximums: 'Maximum of a payment',
    key: 'Key',
    secrets: 'Notification secrets',
    replaced: 'Credentials since',
    disconnected: 'Disconnected since',
  },
  secretCount: (count: number) =>
    count === 1 ? 'One' : `${count} are accepted. Remove the old ones when the provider uses the new one.`,
  ownersOnly: 'Only owners can connect a provider.',
  connect: 'Connect',
  connectTitle: (title: string) => `Connect ${title}`,
  connectHint:
    'First add the webhook endpoint at the provider, as shown below. Then enter the credentials. They are checked with a call to the provider, stored encrypted, and never shown again.',
  rotate: 'Replace credentials',
  rotateTitle: (title: string) => `Replace the credentials of ${title}`,
  rotateHint:
    'Fill in only what changes. A new key applies at once. A new notification secret is accepted in addition to the earlier one.',
  drop: 'Remove old secrets',
  check: 'Check credentials',
  disconnect: 'Disconnect',
  disconnectTitle: (title: string) => `Disconnect ${title}?`,
  disconnectHint:
    'Payers can no longer begin a checkout. Refunds and open checkouts still work, so the credentials stay. You can connect the provider again at any time.',
  keep: 'Keep the provider connected',
  back: 'Back to payment providers',
  notifications: 'Notifications',
  notificationsHint: (title: string) =>
    `At ${title}, add a webhook endpoint with this address and these events:`,
  address: 'Notification address',
  events: 'Events',
  currenciesLabel: 'Currencies that your account at the provider takes',
  maximumLabel: (currency: string) => `Largest payment that your account takes (${currency}, optional)`,
  maximumHint:
    'The provider states it in your account there. Remit then warns you about invoices above it. For example 500000 or 500,000.00.',
} as const;

/** The error beside a field says what to enter, so the hints of the facts are shown there too. */
export const credentialHints: Readonly<Record<CredentialField, string>> = {
  apiKey: 'You find it in the dashboard of the provider.',
  apiSecret: 'The provider shows it once, when you create the key.',
  notificationSecret: 'It belongs to the webhook endpoint.',
};
