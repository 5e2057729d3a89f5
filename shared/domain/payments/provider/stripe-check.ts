/**
 * Checks the key of a merchant at Stripe.
 *
 * - A restricted key needs these permissions: Checkout Sessions write, PaymentIntents read, Charges and Refunds write, Disputes
 *   read. To test a write permission, the check names an object that does not exist, so nothing changes.
 * - A restricted key cannot always read the account. The name of the account is then not known.
 */
import * as v from 'valibot';
import type { HostedProvider } from './hosted-provider.ts';
import { readAnswer, type StripeAnswer, type StripeCalls, unexpectedRefusal } from './stripe-client.ts';

/** Returns whether a key is for live mode. */
export function isLiveStripeKey(apiKey: string): boolean {
  return /^[sr]k_live_/.test(apiKey);
}

const missingText = v.nullish(v.string(), '');
const accountSchema = v.object({
  id: v.string(),
  country: v.nullish(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/))),
  charges_enabled: v.optional(v.boolean(), true),
  business_profile: v.nullish(v.object({ name: missingText })),
  settings: v.nullish(v.object({ dashboard: v.nullish(v.object({ display_name: missingText })) })),
});

const absent = 'remit_connection_check';
const probes: readonly {
  readonly name: string;
  readonly call: (calls: StripeCalls) => Promise<StripeAnswer>;
}[] = [
  {
    name: 'Checkout Sessions: write',
    call: (calls) => calls.post(`/v1/checkout/sessions/cs_${absent}/expire`, {}),
  },
  {
    name: 'PaymentIntents: read',
    call: (calls) => calls.get('/v1/payment_intents', { limit: 1, expand: ['data.latest_charge'] }),
  },
  {
    name: 'Charges and Refunds: write',
    call: (calls) => calls.post('/v1/refunds', { payment_intent: `pi_${absent}`, amount: 1 }),
  },
  { name: 'Disputes: read', call: (calls) => calls.get('/v1/disputes', { limit: 1 }) },
];

type CheckResult = Awaited<ReturnType<HostedProvider['check']>>;

const refused = (message: string): CheckResult => ({ kind: 'refused', message });
const wrongKey = refused('Stripe does not accept the key. Copy the key again, or create a new one.');

/** Checks a key with calls that change nothing. @throws ProviderCallError if Stripe cannot be asked */
export async function checkStripeKey(calls: StripeCalls, apiKey: string): Promise<CheckResult> {
  if (!/^[sr]k_(test|live)_\w{8,250}$/.test(apiKey)) {
    return refused('This is not a secret key of Stripe. Copy a key that begins with sk_ or rk_.');
  }
  const account = await calls.get('/v1/account');
  if (!account.ok && account.status === 401) return wrongKey;
  if (apiKey.startsWith('rk_')) {
    const missing: string[] = [];
    for (const { name, call } of probes) {
      const answer = await call(calls);
      if (!answer.ok && answer.status === 401) return wrongKey;
      if (!answer.ok && answer.status === 403) missing.push(name);
    }
    if (missing.length > 0) {
      return refused(`The restricted key lacks permissions. Add these to it: ${missing.join('; ')}.`);
    }
  }
  const isLive = isLiveStripeKey(apiKey);
  if (!account.ok) {
    if (account.status === 403) return { kind: 'ok', accountName: 'Stripe', isLive };
    throw unexpectedRefusal('GET /v1/account', account);
  }
  const { id, country, charges_enabled, business_profile, settings } = readAnswer(
    'GET /v1/account',
    accountSchema,
    account.json,
  );
  if (isLive && !charges_enabled) {
    return refused('The account at Stripe cannot take payments yet. Complete its registration at Stripe.');
  }
  const accountName = settings?.dashboard?.display_name || business_profile?.name || id;
  return { kind: 'ok', accountName, accountReference: id, accountCountry: country ?? undefined, isLive };
}
