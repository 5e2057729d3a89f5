/** Decides which key of the Stripe double may call what. */
import type { DoubleRequest } from '../common/double-messages.ts';
import { StripeDoubleError } from './stripe-error.ts';

export interface StripeKey {
  readonly value: string;
  readonly livemode: boolean;
  /** The permissions of a restricted key, such as `checkout_session_write`. Undefined for a secret key. */
  readonly permissions?: ReadonlySet<string>;
}

/** The permissions that a restricted key needs. It cannot read the account. */
const restricted: ReadonlySet<string> = new Set([
  'checkout_session_write',
  'payment_intent_read',
  'charge_write',
  'dispute_read',
]);

/** With these, a restricted key also reads the fees. */
const withFees: ReadonlySet<string> = new Set([...restricted, 'balance_transaction_source_read']);

export const stripeKeys: readonly StripeKey[] = [
  { value: 'sk_test_double000000000000000001', livemode: false },
  { value: 'sk_live_double000000000000000001', livemode: true },
  { value: 'rk_test_double000000000000000001', livemode: false, permissions: restricted },
  { value: 'rk_live_double000000000000000001', livemode: true, permissions: restricted },
  { value: 'rk_live_double000000000000000003', livemode: true, permissions: withFees },
  { value: 'rk_live_double000000000000000002', livemode: true, permissions: new Set(['dispute_read']) },
];

/** @throws StripeDoubleError with status 401 if the key is missing or unknown */
export function authenticate({ headers }: DoubleRequest): StripeKey {
  const [, scheme, value = ''] = /^(Bearer|Basic) (.+)$/.exec(headers.authorization ?? '') ?? [];
  const key = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().replace(/:$/, '') : value;
  const known = stripeKeys.find((each) => each.value === key);
  if (known) return known;
  const message = key
    ? `Invalid API Key provided: ${key.slice(0, 8)}****`
    : 'You did not provide an API key.';
  throw new StripeDoubleError(401, { type: 'invalid_request_error', message });
}

/**
 * @param resource as in the name of the permission, such as `checkout_session`
 * @throws StripeDoubleError with status 403 if the key lacks the permission
 */
export function requirePermission(key: StripeKey, resource: string, method: string): void {
  if (!key.permissions || key.permissions.has(`${resource}_write`)) return;
  const permission = `${resource}_${method === 'GET' ? 'read' : 'write'}`;
  if (key.permissions.has(permission)) return;
  throw new StripeDoubleError(403, {
    type: 'invalid_request_error',
    message: `The provided key '${key.value.slice(0, 8)}****' does not have the required permissions for this endpoint. Having the 'rak_${permission}' permission would allow this request to continue.`,
  });
}
