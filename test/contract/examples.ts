/**
 * The endpoints as the contract is applied to them, and for each one request that succeeds: the only thing about an
 * endpoint that its entry in the table of routes cannot tell.
 */
import { idPrefixes, type Mode } from '../../shared/ids.ts';
import { type Permission, permissions } from '../../shared/permissions.ts';
import { type Route, routes } from '../../shared/routes.ts';
import { now } from '../../shared/time.ts';
import { type Api, invoiceBody, type TestAccount } from '../support/api.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface Endpoint {
  readonly name: keyof typeof routes;
  readonly route: Route;
  readonly method: string;
  /** Every path parameter is a well-formed id of nothing; the catch-all has a path that no route takes. */
  readonly path: string;
}

interface Example {
  readonly path: string;
  readonly body?: unknown;
}

/** All that lies under `/api/`, and the catch-all. */
export const endpoints: readonly Endpoint[] = Object.entries<Route>(routes)
  .filter(([, { method, path }]) => method === 'ANY' || path.startsWith('/api/'))
  .map(([name, route]) => ({
    name: name as keyof typeof routes,
    route,
    method: route.method === 'ANY' ? 'GET' : route.method,
    path: route.method === 'ANY' ? '/api/no-such-thing' : withUnknownIds(route.path),
  }));

/** A row of `describe.each` for each endpoint that has what `has` asks for. */
export function rowsOf(has: (endpoint: Endpoint) => boolean): [string, Endpoint][] {
  return endpoints
    .filter(has)
    .map((endpoint) => [`${endpoint.route.method} ${endpoint.route.path}`, endpoint]);
}

/** What `has` may ask for. */
export const serves = ({ route }: Endpoint) => route.method !== 'ANY';
export const hasId = ({ route }: Endpoint) => serves({ route } as Endpoint) && route.path.includes('{');
export const changes = (endpoint: Endpoint) => serves(endpoint) && endpoint.route.method !== 'GET';

/** Makes what the request is about, and returns the request. */
export async function exampleOf({ name }: Endpoint, api: Api): Promise<Example> {
  const example = examples[name as keyof typeof examples];
  if (!example) throw new Error(`Add an example of ${name} to test/contract/examples.ts.`);
  return example(api);
}

async function invoice(api: Api): Promise<string> {
  const { json } = await api.post('/api/invoices', invoiceBody());
  return `/api/invoices/${json.id}`;
}

async function payment(api: Api): Promise<string> {
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  const { json } = await api.post('/api/payments', { invoiceId: invoice.id, method: 'offline' });
  return json.id;
}

/** An endpoint at which nobody listens. */
async function webhook(api: Api): Promise<string> {
  const { json, status, text } = await api.post('/api/webhooks', {
    ...{ url: 'http://127.0.0.1:9/', events: ['*'] },
  });
  if (status !== 201) throw new Error(text);
  return `/api/webhooks/${json.id}`;
}

/** Web pages are not the contract's. */
type OtherRoute = 'docs' | 'notFound' | 'openApi' | 'showPaymentPage' | 'submitPaymentPage';

type Examples = Record<Exclude<keyof typeof routes, OtherRoute>, (api: Api) => Promise<Example>>;

const examples: Examples = {
  listInvoices: async () => ({ path: '/api/invoices' }),
  createInvoice: async () => ({ path: '/api/invoices', body: invoiceBody() }),
  getInvoice: async (api) => ({ path: await invoice(api) }),
  updateInvoice: async (api) => ({ path: await invoice(api), body: { amount: 4100 } }),
  cancelInvoice: async (api) => ({ path: await invoice(api) }),
  listPayments: async () => ({ path: '/api/payments' }),
  createPayment: async (api) => {
    const { json } = await api.post('/api/invoices', invoiceBody());
    return { path: '/api/payments', body: { invoiceId: json.id, method: 'offline' } };
  },
  getPayment: async (api) => ({ path: `/api/payments/${await payment(api)}` }),
  listRefunds: async () => ({ path: '/api/refunds' }),
  createRefund: async (api) => ({ path: '/api/refunds', body: { paymentId: await payment(api) } }),
  getRefund: async (api) => {
    const { json } = await api.post('/api/refunds', { paymentId: await payment(api) });
    return { path: `/api/refunds/${json.id}` };
  },
  listEvents: async () => ({ path: '/api/events' }),
  getEvent: async (api) => {
    await invoice(api);
    const published = async () => (await api.get('/api/events')).json.data?.[0];
    const { id } = await waitUntil('its event is published', published);
    return { path: `/api/events/${id}` };
  },
  listWebhooks: async () => ({ path: '/api/webhooks' }),
  createWebhook: async () => ({
    path: '/api/webhooks',
    body: { url: 'http://127.0.0.1:9/', events: ['*'] },
  }),
  getWebhook: async (api) => ({ path: await webhook(api) }),
  updateWebhook: async (api) => ({ path: await webhook(api), body: { description: 'Shop' } }),
  deleteWebhook: async (api) => ({ path: await webhook(api) }),
  rotateWebhookSecret: async (api) => ({ path: `${await webhook(api)}/rotate-secret`, body: {} }),
  testWebhook: async (api) => ({ path: `${await webhook(api)}/test` }),
  listDeliveries: async (api) => ({ path: `${await webhook(api)}/deliveries` }),
  redeliver: async (api) => {
    const deliveries = `${await webhook(api)}/deliveries`;
    await invoice(api);
    const made = async () => (await api.get(deliveries)).json.data?.[0];
    const { id } = await waitUntil('there is a delivery', made);
    return { path: `${deliveries}/${id}/redeliver` };
  },
  startRecovery: async (api) => ({
    path: `${await webhook(api)}/recover`,
    body: { since: '2026-01-01T00:00:00Z' },
  }),
};

function withUnknownIds(path: string): string {
  return path.replace(/(\w+?)s\/\{\w+\}/g, (_, resource: string) => {
    const prefix = (idPrefixes as Record<string, string>)[resource] ?? resource;
    return `${resource}s/${prefix}_${'0'.repeat(26)}`;
  });
}

/** The value of a new key of an account that already has others. */
export async function newKey(
  { accountId }: TestAccount,
  options: { permissions?: readonly Permission[]; expiresAt?: number; revoked?: boolean; mode?: Mode } = {},
): Promise<string> {
  const { createKey, revokeKey } = await import('../../shared/accounts/key-store.ts');
  const { revoked, mode = 'test', ...rest } = options;
  const owner = { account: accountId, mode };
  const { value, keyId } = await createKey({ owner, name: 'Another', ...rest });
  if (revoked) await revokeKey(owner, keyId);
  return value;
}

export function allBut(permission: Permission): Permission[] {
  return permissions.filter((other) => other !== permission);
}

const forge = (apiKey: string, at: number) => {
  const char = apiKey.at(at) === 'a' ? 'b' : 'a';
  return `${apiKey.slice(0, at)}${char}${at === -1 ? '' : apiKey.slice(at + 1)}`;
};

/** Values of Authorization that are no key of this service, made from one that is. */
export async function invalidAuthorizations(apiKey: string): Promise<Record<string, string | string[]>> {
  const { newApiKey } = await import('../../shared/admission/api-key.ts');
  const neverIssued = await newApiKey({ account: 'acct_0000000000000000', mode: 'test' });
  return {
    'another scheme': `Basic ${apiKey}`,
    'another scheme, empty': 'Basic',
    'no scheme': apiKey,
    'a text that is no key': 'Bearer nonsense',
    'a prefix only': 'Bearer sk_test_',
    'something behind the key': `Bearer ${apiKey} x`,
    'a key in quotes': `Bearer "${apiKey}"`,
    'capital letters': `Bearer ${apiKey.toUpperCase()}`,
    'a key cut short': `Bearer ${apiKey.slice(0, -1)}`,
    'a mistyped end': `Bearer ${forge(apiKey, -1)}`,
    'a mistyped middle': `Bearer ${forge(apiKey, 40)}`,
    "another account's place": `Bearer ${forge(apiKey, 12)}`,
    'the other mode': `Bearer ${apiKey.replace('sk_test_', 'sk_live_')}`,
    'a made-up key of the right form': `Bearer sk_test_1${'0'.repeat(54)}`,
    'a sound key that was never issued': `Bearer ${neverIssued}`,
    'a very long text': `Bearer sk_test_${'1'.repeat(5000)}`,
    'two different keys': [`Bearer ${apiKey}`, `Bearer ${neverIssued}`],
  };
}

export const missingAuthorizations: Record<string, string | undefined> = {
  'no header': undefined,
  'an empty header': '',
  'an empty bearer': 'Bearer',
  'an empty bearer, with spaces': 'Bearer   ',
  'an empty bearer in lower case': 'bearer',
};

/** Revokes the account's test keys. */
export async function revokeAll(accountId: string): Promise<void> {
  const { listKeys, revokeKey } = await import('../../shared/accounts/key-store.ts');
  const owner = { account: accountId, mode: 'test' } as const;
  for (const { keyId } of await listKeys(owner)) await revokeKey(owner, keyId);
}

/** Leaves the account no request in this hour, as thousands of requests would. */
export async function useUp(accountId: string): Promise<void> {
  const [{ UpdateCommand }, { dynamodb }, { env }, { keys }, { headAttributes, hourOf }] = await Promise.all([
    import('@aws-sdk/lib-dynamodb'),
    import('../../shared/store/client.ts'),
    import('../../shared/env.ts'),
    import('../../shared/store/keys.ts'),
    import('../../shared/store/heads.ts'),
  ]);
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head({ account: accountId, mode: 'test' }),
      UpdateExpression: 'SET #hour = :all',
      ExpressionAttributeNames: { '#hour': headAttributes.hour(hourOf(now())) },
      ExpressionAttributeValues: { ':all': 5000 },
    }),
  );
}
