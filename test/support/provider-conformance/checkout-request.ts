import { randomBytes } from 'node:crypto';
import { base32 } from '../../../shared/base/ids.ts';
import type { CheckoutRequest } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import type { TestClock } from '../clock.ts';

/** Returns the request for a checkout of 2,500.00 that expires in 45 minutes, each with a key of its own. */
export function newCheckoutRequest(
  { now }: TestClock,
  { currency = 'INR', ...change }: Partial<CheckoutRequest> = {},
): CheckoutRequest {
  const key = `co_${base32(randomBytes(17), 26)}`;
  return {
    key,
    invoiceId: `inv_${base32(randomBytes(17), 26)}`,
    amountMinor: 250_000,
    currency,
    description: 'Website design',
    returnUrl: `https://remit.example.com/pay/inv_1?checkout=${key}`,
    createdAt: now(),
    expiresAt: now() + 45 * 60_000,
    ...change,
  };
}
