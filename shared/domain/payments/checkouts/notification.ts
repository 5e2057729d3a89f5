/**
 * Receives the notifications of providers. A notification is a hint: it sets a timer for now, and the worker asks the
 * provider. So a repeated, late or reordered notification does no harm.
 */
import { isAccountId, isRecordId, modes, type Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { Timer } from '../../../store/timers/timer-item.ts';
import { setTimer } from '../../../store/timers/timers.ts';
import { openForNotifications } from '../connections/open-provider.ts';
import { type HostedProvider, hostedProviderNames, type Notification } from '../provider/hosted-provider.ts';
import { findProviderPayment, readCheckout } from './checkout-store.ts';

/**
 * Verifies a notification with the secrets of both modes of the account, and follows it.
 * @param headers with names in lower case
 * @param body the bytes as they were sent, because the provider has signed them
 * @returns false if the signature or the timestamp is wrong, and for an account that does not use the provider: neither the
 *   answer nor its time must tell strangers which accounts do
 */
export async function receiveNotification(
  { provider, account }: { readonly provider: string; readonly account: string },
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  now: Instant,
): Promise<boolean> {
  const name = hostedProviderNames.find((known) => known === provider);
  if (!name || !isAccountId(account)) return false;
  const owners = modes.map((mode): Owner => ({ account, mode }));
  const opened = await Promise.all(
    owners.map(async (owner) => ({ owner, ...(await openForNotifications(owner, name)) })),
  );
  let isSigned = false;
  for (const { owner, hosted, isConnected } of opened) {
    const notification = hosted.readNotification(headers, body, now);
    if (notification.kind === 'invalid' || !isConnected) continue;
    isSigned = true;
    // Both modes can have the same secret. Only one of them has the checkout or the payment.
    const timer = await timerOf(notification, owner, hosted, now);
    if (timer) await setTimer(timer, now);
  }
  return isSigned;
}

/** Returns the timer of the checkout, payment or refund, if the account and mode has the checkout or the payment. */
async function timerOf(
  notification: Notification,
  owner: Owner,
  { name }: HostedProvider,
  due: Instant,
): Promise<Timer | undefined> {
  if (notification.kind === 'checkout') {
    const { key } = notification;
    const exists = isRecordId('checkout', key) && (await readCheckout(owner, key)).record?.provider === name;
    return exists ? { due, kind: 'checkout', reference: key } : undefined;
  }
  if (notification.kind === 'payment') {
    const reference = await findProviderPayment(owner, name, notification.reference);
    return reference === undefined ? undefined : { due, kind: 'checkout', reference };
  }
  if (notification.kind !== 'refund' || !isRecordId('refund', notification.key)) return undefined;
  const payment = await findProviderPayment(owner, name, notification.paymentReference);
  return payment === undefined ? undefined : { due, kind: 'refund', reference: notification.key };
}
