/** Tests `npx remit providers` against a double of Stripe: what it stores, shows, refuses and never shows. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { run, runJson, runOnTerminal, tableLineOf } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

let stack: Stack;
let double: ProviderDouble;
let directory: string;
let account: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  double = await startStripeDouble();
  process.env.STRIPE_API_URL = double.url;
  directory = await mkdtemp(join(tmpdir(), 'remit-providers-'));
});
beforeEach(async () => {
  account = (await newAccount(stack.baseUrl)).accountId;
});
afterAll(async () => {
  delete process.env.STRIPE_API_URL;
  await rm(directory, { recursive: true, force: true });
  await double.close();
  await stack.close();
});

const testKey = () => double.credentials.test.apiKey;
const liveKey = () => double.credentials.live.apiKey;
const first = 'whsec_first_secret_1111';
const second = 'whsec_second_secret_2222';

/** Writes the credentials to a file, and returns the options that name it. */
async function fileWith(content: unknown): Promise<string[]> {
  const file = join(directory, 'credentials.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return ['--credentials-file', file];
}
const selected = (mode = 'test') => ['stripe', '--account', account, '--mode', mode];
const connect = async (fields: object = {}, mode = 'test', ...more: string[]) => {
  const file = await fileWith({ apiKey: testKey(), notificationSecret: first, ...fields });
  return run('providers', ['connect', ...selected(mode), ...file, ...more]);
};
const listed = () => runJson('providers', ['list', '--account', account]);

describe('connect', () => {
  test('checks the key, stores it encrypted, and prints the address and the events, but no credentials', async () => {
    const { code, out, error } = await connect();
    expect({ code, error }).toEqual({ code: 0, error: tableLineOf(stack) });
    expect(out).toContain(`/notifications/stripe/${account}`);
    expect(out).toContain('checkout.session.completed');
    const item = await tableOf(stack).get(tableKeys.connection({ account, mode: 'test' }, 'stripe'));
    const list = await listed();
    expect(list).toMatchObject([
      { provider: 'stripe', mode: 'test', currencies: ['USD', 'INR'], keyLast4: testKey().slice(-4) },
    ]);
    for (const text of [out, JSON.stringify(item), JSON.stringify(list)]) {
      expect(text).not.toContain(testKey());
      expect(text).not.toContain(first);
    }
    const check = await runJson('providers', ['check', '--account', account]);
    expect(check).toEqual([{ provider: 'stripe', mode: 'test', fault: null }]);
  });

  test('repeated with the same credentials changes nothing, and with others is refused', async () => {
    expect((await connect()).code).toBe(0);
    const before = await listed();
    expect((await connect()).code).toBe(0);
    expect(await listed()).toEqual(before);
    const other = await connect({ notificationSecret: second });
    expect([other.code, other.error]).toEqual([1, expect.stringContaining('already connected in test mode')]);
  });

  test.each([
    [
      'a test key for live mode',
      () => ({}),
      'live',
      /This is a test key of Stripe\. Live mode needs a live key/,
    ],
    ['a live key for test mode', () => ({ apiKey: liveKey() }), 'test', /which moves real money/],
    ['an unknown key', () => ({ apiKey: 'sk_test_unknown00000000' }), 'test', /does not accept the key/],
    ['a publishable key', () => ({ apiKey: 'pk_test_publishable0000' }), 'test', /It begins with sk_test_/],
    ['no notification secret', () => ({ notificationSecret: '' }), 'test', /Signing secret .* is required/],
    [
      'another text as secret',
      () => ({ notificationSecret: 'another-text-0000' }),
      'test',
      /It begins with whsec_/,
    ],
    ['a part that Stripe does not have', () => ({ apiSecret: 'abcdefgh' }), 'test', /Leave it out/],
  ])('refuses %s and stores nothing', async (_, fields, mode, message) => {
    const { code, out, error } = await connect(fields(), mode);
    expect([code, out, error]).toEqual([1, '', expect.stringMatching(message)]);
    for (const secret of Object.values<string>(fields())) if (secret) expect(error).not.toContain(secret);
    expect(await listed()).toEqual([]);
  });

  test('refuses a wrong currency, and takes a part of the currencies', async () => {
    const wrong = await connect({}, 'test', '--currencies', 'BTN');
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('one or more of USD, INR')]);
    expect((await connect({}, 'test', '--currencies', 'USD')).code).toBe(0);
    expect(await listed()).toMatchObject([{ currencies: ['USD'] }]);
  });

  test('takes a maximum amount, and says what an unusable one should be', async () => {
    for (const unusable of ['5000', 'INR=', 'INR=-1', 'INR=1.5', 'EUR=5000', 'inr=5000']) {
      const { code, error } = await connect({}, 'test', '--maximum-amounts', unusable);
      expect([unusable, code, error]).toEqual([
        unusable,
        2,
        expect.stringContaining('must be like INR=50000000'),
      ]);
    }
    const [small, foreign] = [
      await connect({}, 'test', '--maximum-amounts', 'INR=49'),
      await connect({}, 'test', '--maximum-amounts', 'BTN=5000'),
    ];
    expect([small.code, small.error]).toEqual([1, expect.stringContaining('must be from ₹0.50 to')]);
    expect([foreign.code, foreign.error]).toEqual([1, expect.stringContaining('does not take BTN')]);
    expect((await connect({}, 'test', '--maximum-amounts', 'INR=500000,USD=10000')).code).toBe(0);
    const connected = [{ maximumAmounts: { INR: 500_000, USD: 10_000 } }];
    expect(await listed()).toMatchObject(connected);
    const changed = await connect({}, 'test', '--maximum-amounts', 'INR=600000,USD=10000');
    expect([changed.code, changed.error]).toEqual([1, expect.stringContaining('disconnect Stripe first')]);
    await runJson('providers', [
      'rotate',
      ...selected(),
      ...(await fileWith({ notificationSecret: second })),
    ]);
    expect(await listed()).toMatchObject(connected);
  });

  test('says so if the provider does not answer', async () => {
    process.env.STRIPE_API_URL = 'http://127.0.0.1:9';
    try {
      const { code, error } = await connect();
      expect([code, error]).toEqual([1, expect.stringContaining('Stripe could not be asked')]);
    } finally {
      process.env.STRIPE_API_URL = double.url;
    }
    expect(await listed()).toEqual([]);
  });

  test('asks for the credentials on a terminal without an echo', async () => {
    const extra = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(TABLE_NAME|AWS_|STRIPE_|.*_FILE$|PAY_)/.test(name)),
    );
    const talk = ['restricted key: ', `${testKey()}\r`, 'webhook endpoint: ', `${first}\r`];
    const { code, out } = await runOnTerminal(['providers', 'connect', ...selected()], {
      columns: 120,
      talk,
      extra,
    });
    expect([code, out]).toEqual([0, expect.stringContaining('Stripe is connected.')]);
    expect(out).not.toContain(testKey());
    expect(out).not.toContain(first);
  });

  test('without a terminal needs a file, and does not quote one that is wrong', async () => {
    const none = await run('providers', ['connect', ...selected()]);
    expect([none.code, none.error]).toEqual([2, expect.stringContaining('--credentials-file')]);
    for (const content of ['{"apiKey": sk_test_broken', ['a'], { apiKey: 1 }, { secretKey: 'x' }]) {
      const { code, error } = await run('providers', [
        'connect',
        ...selected(),
        ...(await fileWith(content)),
      ]);
      expect([code, error]).toEqual([2, expect.stringContaining('must be a JSON object')]);
      expect(error).not.toContain('sk_test_broken');
    }
  });
});

describe('rotate', () => {
  const rotate = async (fields: object, ...more: string[]) =>
    run('providers', ['rotate', ...selected(), ...(await fileWith(fields)), ...more]);

  test('accepts both notification secrets until --drop-old', async () => {
    await connect();
    const rotated = await rotate({ notificationSecret: second });
    expect([rotated.code, rotated.out]).toEqual([0, expect.stringContaining('--drop-old')]);
    expect(await listed()).toMatchObject([{ notificationSecretCount: 2 }]);
    expect((await run('providers', ['rotate', ...selected(), '--drop-old'])).code).toBe(0);
    expect(await listed()).toMatchObject([{ notificationSecretCount: 1 }]);
    const { openProvider } = await import('../../shared/domain/payments/connections/open-provider.ts');
    const provider = await openProvider({ account, mode: 'test' }, 'stripe');
    expect(await provider?.check()).toMatchObject({ kind: 'ok' });
  });

  test('refuses a key that the provider does not accept, and keeps the present one', async () => {
    await connect();
    const before = await listed();
    expect((await rotate({ apiKey: 'sk_test_unknown00000000' })).error).toMatch(/does not accept the key/);
    expect((await rotate({})).error).toMatch(/Nothing changes/);
    expect(await listed()).toEqual(before);
  });

  test('keeps what is known of the merchant if the new key cannot read its account', async () => {
    await connect({ apiKey: liveKey() }, 'live');
    const { readConnections } = await import('../../shared/domain/payments/connections/connection-store.ts');
    const merchant = async () => {
      const [{ accountName, accountReference } = {}] = await readConnections({ account, mode: 'live' });
      return { accountName, accountReference };
    };
    const before = await merchant();
    expect(before.accountReference).toMatch(/^acct_/);
    const file = await fileWith({ apiKey: 'rk_live_double000000000000000001' });
    expect((await run('providers', ['rotate', ...selected('live'), ...file])).code).toBe(0);
    expect(await merchant()).toEqual(before);
  });

  test('needs a connection', async () => {
    const { code, error } = await rotate({ notificationSecret: second });
    expect([code, error]).toEqual([1, expect.stringContaining('not connected in test mode')]);
  });
});

describe('disconnect', () => {
  test('ends checkouts, keeps the credentials for refunds, and can be undone', async () => {
    const missing = await run('providers', ['disconnect', ...selected()]);
    expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('not connected')]);
    await connect();
    expect((await run('providers', ['disconnect', ...selected()])).code).toBe(0);
    expect(await listed()).toMatchObject([{ disconnectedAt: expect.any(String) }]);
    expect(await runJson('providers', ['check', '--account', account])).toMatchObject([{ fault: null }]);
    expect((await connect()).code).toBe(0);
    expect(await listed()).toMatchObject([{ disconnectedAt: null }]);
  });

  test('--forget says on a terminal what it deletes, and asks', async () => {
    await connect();
    await run('providers', ['disconnect', ...selected()]);
    const extra = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(TABLE_NAME|AWS_|STRIPE_|.*_FILE$|PAY_)/.test(name)),
    );
    const { code, out } = await runOnTerminal(['providers', 'disconnect', ...selected(), '--forget'], {
      columns: 120,
      talk: ['Continue? [y/N] ', 'n\r'],
      extra,
    });
    expect([code, out]).toEqual([1, expect.stringContaining('This deletes the credentials of Stripe')]);
    expect(await listed()).toHaveLength(1);
  });
});
