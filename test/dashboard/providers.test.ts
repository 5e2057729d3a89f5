/** Tests the pages of payment providers over HTTP: connect, replace, check, disconnect, roles, and that no page has a secret. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const path = '/settings/providers';

let stack: Stack;
let double: ProviderDouble;
let clock: TestClock;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  clock = stopClock();
  double = await startStripeDouble();
  process.env.STRIPE_API_URL = double.url;
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
});
afterAll(async () => {
  delete process.env.STRIPE_API_URL;
  await double?.close();
  await stack?.close();
});

type Mode = 'test' | 'live';
type Fields = Record<string, string>;

/** Opens the page, and returns a function that sends its form to `action` with these fields. */
async function openForm(page: string, action: string, mode: Mode = 'test', visitor = owner) {
  const shown = await visitor.get(account.path(page, mode));
  const form = formsOf(shown).find((each) => each.action.endsWith(account.path(action, mode)));
  if (!form) throw new Error(`No form ${action} at ${page}: ${shown.status} ${shown.text}`);
  return (fields: Fields = {}) => visitor.post(form.action, { ...form.initial, ...fields });
}

const secret = 'whsec_dashboard_secret_1';
const connectPath = `${path}/stripe/connect`;
const valid = (mode: Mode = 'test'): Fields => ({
  apiKey: double.credentials[mode].apiKey,
  notificationSecret: secret,
  currencies: 'USD',
});
const connect = async (fields: Fields = {}, mode: Mode = 'test') =>
  (await openForm(connectPath, connectPath, mode))({ ...valid(mode), ...fields });
const list = async (mode: Mode = 'test') => (await owner.get(account.path(path, mode))).text;
const expectNoSecret = ({ text }: Pick<VisitedPage, 'text'>, ...more: string[]) => {
  for (const each of [secret, double.credentials.test.apiKey, double.credentials.live.apiKey, ...more])
    expect(text).not.toContain(each);
};

describe('connect', () => {
  test.each(['test', 'live'] as const)('in %s mode shows the connection and its address', async (mode) => {
    expect(await list(mode)).toContain('Not connected');
    const done = await connect({}, mode);
    expect([done.status, done.headers.location]).toEqual([
      303,
      expect.stringContaining('provider_connected'),
    ]);
    const shown = await list(mode);
    expect(shown).toMatch(/Stripe[\s\S]*Connected[\s\S]*USD/);
    expect(shown).toContain(`/notifications/stripe/${account.accountId}`);
    expect(shown).toContain(`…${double.credentials[mode].apiKey.slice(-4)}`);
    expectNoSecret({ text: shown });
    expect(await list(mode === 'test' ? 'live' : 'test')).toContain('Not connected');
  });

  test('has inputs that show nothing and that browsers do not fill in', async () => {
    const { text } = await owner.get(account.path(connectPath));
    for (const name of ['apiKey', 'notificationSecret'])
      expect(text).toMatch(new RegExp(`name="${name}" type="password" value="" autocomplete="off"`));
  });

  test.each([
    [
      'a live key in test mode',
      () => ({ apiKey: double.credentials.live.apiKey }),
      400,
      /which moves real money/,
    ],
    ['a wrong key', () => ({ apiKey: 'sk_test_wrong000000000' }), 400, /does not accept the key/],
    ['no key', () => ({ apiKey: '' }), 400, /key is required/],
    ['a wrong secret', () => ({ notificationSecret: 'another-text-0000' }), 400, /It begins with whsec_/],
    ['no currency', () => ({ currencies: '' }), 400, /Currencies must be one or more of/],
    [
      'a maximum that is no amount',
      () => ({ maximumUSD: 'a lot' }),
      400,
      /The maximum amount in USD must be from \$0\.50 to/,
    ],
    [
      'a maximum of nothing',
      () => ({ maximumUSD: '0' }),
      400,
      /Enter the largest payment that your account at Stripe takes/,
    ],
    ['a maximum above that of the provider', () => ({ maximumUSD: '1000000' }), 400, /to \$999,999\.99\./],
    [
      'a maximum in another currency',
      () => ({ maximumINR: '5000' }),
      400,
      /the account does not take INR\. Leave it out/,
    ],
  ])('refuses %s and keeps no credentials in the form', async (_, fields, status, message) => {
    const answer = await connect(fields());
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)]);
    expectNoSecret(answer, 'sk_test_wrong000000000', 'another-text-0000');
    expect(await list()).toContain('Not connected');
  });

  test('shows the maximum amount that the merchant states', async () => {
    expect((await connect({ maximumUSD: '5,000' })).status).toBe(303);
    expect(await list()).toMatch(/Maximum of a payment[\s\S]*\$5,000\.00/);
    const wrong = await connect({ maximumUSD: '5,000 dollars' }, 'live');
    expect(wrong.text).toContain('value="5,000 dollars"');
  });

  test('says so if the provider does not answer, and stores nothing', async () => {
    process.env.STRIPE_API_URL = 'http://127.0.0.1:9';
    const answer = await connect();
    process.env.STRIPE_API_URL = double.url;
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('could not be asked')]);
    expect(await list()).toContain('Not connected');
  });

  test('sent twice has one effect and one entry in the audit log', async () => {
    const send = await openForm(connectPath, connectPath);
    const answers = await Promise.all([send(valid()), send(valid())]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const other = await send({ ...valid(), notificationSecret: 'whsec_other_secret_2' });
    expect([other.status, other.text]).toEqual([409, expect.stringContaining('already connected')]);
    await untilRelayed(tableOf(stack), `${account.accountId}#test`);
    const { json } = await apiOf(stack.baseUrl, account.test.apiKey).get('/api/audit-log?limit=100');
    const entries = json.data.filter(({ action }: { action: string }) => action === 'provider.connect');
    expect(entries).toMatchObject([{ resource: 'stripe', actor: { type: 'user' } }]);
    expectNoSecret({ text: JSON.stringify(json) });
  });
});

describe('a connection', () => {
  beforeEach(async () => {
    expect((await connect()).status).toBe(303);
  });

  test('accepts a new notification secret in addition, until the old one is removed', async () => {
    const rotate = `${path}/stripe/rotate`;
    const second = 'whsec_dashboard_secret_2';
    const done = await (await openForm(rotate, rotate))({ notificationSecret: second });
    expect(done.headers.location).toContain('credentials_replaced');
    expect(await list()).toContain('2 are accepted');
    await (await openForm(path, `${path}/stripe/drop-old`))();
    expect(await list()).not.toContain('2 are accepted');
    const nothing = await (await openForm(rotate, rotate))();
    expect([nothing.status, nothing.text]).toEqual([409, expect.stringContaining('Nothing changes')]);
  });

  test('is checked with a call to the provider', async () => {
    const check = () => openForm(path, `${path}/stripe/check`).then((send) => send());
    expect((await check()).headers.location).toContain('credentials_accepted');
    process.env.STRIPE_API_URL = 'http://127.0.0.1:9';
    const failed = await check();
    process.env.STRIPE_API_URL = double.url;
    expect([failed.status, failed.text]).toEqual([409, expect.stringContaining('could not be asked')]);
  });

  test('is disconnected after a confirmation, and can be connected again', async () => {
    const disconnect = `${path}/stripe/disconnect`;
    const done = await (await openForm(disconnect, disconnect))();
    expect(done.headers.location).toContain('provider_disconnected');
    expect(await list()).toContain('Disconnected');
    expect((await connect()).status).toBe(303);
    expect(await list()).not.toContain('Disconnected since');
  });
});

test('only owners with a recent sign-in change connections, and others see no forms', async () => {
  for (const role of ['developer', 'viewer'] as const) {
    const visitor = await signedIn(stack, role);
    const shown = await visitor.get(account.path(path));
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('Only owners')]);
    expect(formsOf(shown).filter(({ action }) => action.includes('/providers/'))).toEqual([]);
    expect((await visitor.get(account.path(connectPath))).status).toBe(403);
  }
  const send = await openForm(connectPath, connectPath);
  clock.advance(11 * 60_000);
  const late = await send(valid());
  expect([late.status, late.text]).toEqual([403, expect.stringContaining('Sign in again')]);
  expect((await owner.get(account.path(`${path}/unknown/connect`))).status).toBe(403);
});
