/** Lists the payments that Stripe received for checkouts of this service. */
import { type Instant, toSeconds } from '../../../base/time.ts';
import type { HostedProvider, ListedPayment } from './hosted-provider.ts';
import { listPage, type StripeCalls } from './stripe-client.ts';
import { intentSchema, readStripePayment, stripeMetadata } from './stripe-payments.ts';

/** Payments with their charges are large, so a page has few. */
const pageSize = 20;

/** Lists a page of the payments. @param cursor the id of the last payment of the page before */
export async function listStripePayments(
  calls: StripeCalls,
  since: Instant,
  cursor: string | undefined,
): ReturnType<HostedProvider['listPayments']> {
  const params = {
    created: { gte: toSeconds(since) },
    expand: ['data.latest_charge'],
  };
  const { data, has_more: hasMore } = await listPage(
    calls,
    '/v1/payment_intents',
    params,
    intentSchema,
    pageSize,
    cursor,
  );
  const own = data.filter(
    ({ status, metadata }) => status === 'succeeded' && metadata?.[stripeMetadata.checkout] !== undefined,
  );
  const payments = own.map(async (intent): Promise<ListedPayment> => {
    const charge = intent.latest_charge;
    return {
      ...(await readStripePayment(calls, intent)),
      receivedAt: (charge?.created ?? 0) * 1000,
    };
  });
  return { payments: await Promise.all(payments), next: hasMore ? data.at(-1)?.id : undefined };
}
