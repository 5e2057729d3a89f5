/** Pays invoices on the pages of a provider's double: connects accounts, opens the page, and pays as a payer does. */

import { setEnvironment } from '../../infra/local/environment.ts';
import type {
  DoubleOptions,
  ProviderDouble,
} from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startRazorpayDouble } from '../../infra/local/provider-doubles/razorpay/razorpay-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Mode, Owner } from '../../shared/base/ids.ts';
import type { HostedProviderName } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { type Api, invoiceBody, newAccount } from './api.ts';
import { freshAddress, type HttpResponse, request } from './http.ts';
import { openPage } from './pay-page.ts';
import { waitUntil } from './wait-until.ts';

/** An account whose payers pay at the double. */
export interface Merchant {
  readonly owner: Owner;
  readonly api: Api;
  /** Creates an invoice in the first currency of the double's provider. */
  newInvoice(fields?: Record<string, unknown>): Promise<{ id: string; paymentUrl: string }>;
}

export interface CheckoutDouble {
  readonly double: ProviderDouble;
  /** Creates an account that is connected to the double. */
  newMerchant(mode?: Mode): Promise<Merchant>;
  /** Where the double sends the notifications of an account. */
  notificationUrl(merchant: Merchant): string;
  close(): Promise<void>;
}

const doubles = {
  stripe: { start: startStripeDouble, urlVariable: 'STRIPE_API_URL', currencies: ['USD', 'INR'] },
  razorpay: { start: startRazorpayDouble, urlVariable: 'RAZORPAY_API_URL', currencies: ['INR'] },
} as const;

/** Connects an account and mode to the double. */
export async function connectTo(
  double: Pick<ProviderDouble, 'credentials'>,
  owner: Owner,
  provider: HostedProviderName = 'stripe',
): Promise<void> {
  const { saveConnection } = await import('../../shared/domain/payments/connections/change-connection.ts');
  const { currencies } = doubles[provider];
  const connection = { currencies, accountName: 'Druk Timber', credentials: double.credentials[owner.mode] };
  await saveConnection(owner, provider, () => connection, undefined);
}

/** Starts the double. Call it after the stack has started. */
export async function startCheckoutDouble(
  stack: Stack,
  { provider = 'stripe', ...options }: DoubleOptions & { readonly provider?: HostedProviderName } = {},
): Promise<CheckoutDouble> {
  const { start, urlVariable, currencies } = doubles[provider];
  const double = await start(options);
  setEnvironment({ [urlVariable]: double.url });
  return {
    double,
    newMerchant: async (mode = 'live') => {
      const account = await newAccount(stack.baseUrl);
      const owner = { account: account.accountId, mode };
      await connectTo(double, owner, provider);
      const api = account[mode];
      return {
        owner,
        api,
        newInvoice: async (fields = {}) => {
          const body = { ...invoiceBody(), amount: 2500, currency: currencies[0], ...fields };
          const { json } = await api.post('/api/invoices', body);
          return json;
        },
      };
    },
    notificationUrl: ({ owner }) => `${stack.baseUrl}/notifications/${provider}/${owner.account}`,
    close: async () => {
      delete process.env[urlVariable];
      await double.close();
    },
  };
}

/** Returns the hidden fields of the pay button on a page. Throws if the page has no pay button. */
export function payButtonOf({ text }: Pick<HttpResponse, 'text'>): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  if (!text.includes('name="provider"')) throw new Error('The page has no pay button.');
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** Presses the pay button with these fields. */
export function pressPay(
  paymentUrl: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const { origin, pathname, search } = new URL(paymentUrl);
  return request({
    baseUrl: origin,
    method: 'POST',
    path: pathname + search,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
    localAddress: freshAddress(),
  });
}

/** Opens the page and presses the pay button. */
export async function beginPaying(
  paymentUrl: string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  return pressPay(paymentUrl, payButtonOf(await openPage(paymentUrl)), headers);
}

/** Returns the reference of the checkout to whose page an answer leads. */
export function referenceIn({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): string {
  const reference = /\/(?:c\/pay|i)\/(\w+)/.exec(headers.location ?? '')?.[1];
  if (status !== 303 || !reference) throw new Error(`The answer leads to no checkout: ${status}.`);
  return reference;
}

/** Opens the page, presses the button and pays. Returns the reference of the checkout. */
export async function payAtDouble(double: ProviderDouble, paymentUrl: string): Promise<string> {
  const reference = referenceIn(await beginPaying(paymentUrl));
  if (!double.act(reference, 'pay')) throw new Error('The checkout cannot be paid.');
  return reference;
}

/** Pays a new invoice at the double, and waits until its notification has settled it. Returns the payment of the service. */
export async function payAndSettle(
  { double, notificationUrl }: CheckoutDouble,
  merchant: Merchant,
): Promise<{ id: string; reference: string }> {
  double.notifications.sendTo('live', notificationUrl(merchant));
  const { id, paymentUrl } = await merchant.newInvoice();
  await payAtDouble(double, paymentUrl);
  const payments = async () => (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data;
  await waitUntil('the payment exists', async () => (await payments()).length === 1);
  return (await payments())[0];
}
