/** Tests how connections to payment providers are stored, and how their encryption rotates. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { AuditAction, AuditOrigin } from '../../shared/base/audit-origin.ts';
import { modes, type Owner } from '../../shared/base/ids.ts';
import { readAuditEntries } from '../../shared/domain/audit/audit-store.ts';
import { disconnect, saveConnection } from '../../shared/domain/payments/connections/change-connection.ts';
import { connectionFor } from '../../shared/domain/payments/connections/connection.ts';
import { readConnections } from '../../shared/domain/payments/connections/connection-store.ts';
import { openProvider } from '../../shared/domain/payments/connections/open-provider.ts';
import { reencryptConnections } from '../../shared/domain/payments/connections/reencrypt.ts';
import type { ProviderCredentials } from '../../shared/domain/payments/provider/hosted-provider.ts';
import {
  addVersion,
  applyVersions,
  readVersions,
  removeVersion,
  retentionMs,
} from '../../shared/operations/rotation/rotate-secrets.ts';
import { providerSecret } from '../../shared/platform/secrets/provider-secret.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { ProcessCrashed } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
const interceptions: Interception[] = [];

const first: ProviderCredentials = {
  apiKey: 'sk_test_firstkey1111',
  notificationSecrets: ['whsec_firstsecret'],
};
const second: ProviderCredentials = {
  apiKey: 'sk_test_secondkey2222',
  notificationSecrets: ['whsec_secondsecret', 'whsec_firstsecret'],
};

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
beforeEach(async () => {
  clock = stopClock();
  owner = { account: (await newAccount(stack.baseUrl)).accountId, mode: 'test' };
});
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

const originOf = (action: AuditAction): AuditOrigin => ({
  actor: { type: 'operator', id: 'local:test' },
  action,
  requestId: null,
  source: null,
});
const save = (credentials: ProviderCredentials, to = owner) =>
  saveConnection(
    to,
    'stripe',
    () => ({
      credentials,
      currencies: ['USD', 'INR'],
      accountName: 'Example Shop',
      accountReference: 'acct_1',
    }),
    originOf('provider.connect'),
  );
/** Returns the credentials that the stored item decrypts to. */
async function storedCredentials(): Promise<ProviderCredentials | undefined> {
  let found: ProviderCredentials | undefined;
  await saveConnection(
    owner,
    'stripe',
    (current) => {
      found = current?.credentials;
      throw new Error('Nothing changes.');
    },
    undefined,
  ).catch(() => {});
  return found;
}
const itemOf = (of = owner) => table.get(tableKeys.connection(of, 'stripe'));
async function* onlyThisAccount(): AsyncGenerator<string[]> {
  yield [owner.account];
}
async function* bothOwners(): AsyncGenerator<Owner> {
  for (const mode of modes) yield { account: owner.account, mode };
}
const apply = () => applyVersions(onlyThisAccount(), () => {});

describe('a connection', () => {
  test('is listed without its credentials, which the table does not have in the clear', async () => {
    await save(first);
    const listed = await readConnections(owner);
    expect(listed).toEqual([
      {
        ...owner,
        provider: 'stripe',
        currencies: ['USD', 'INR'],
        accountName: 'Example Shop',
        accountReference: 'acct_1',
        connectedAt: clock.now(),
        disconnectedAt: undefined,
        keyLast4: '1111',
        notificationSecretCount: 1,
        rotatedAt: clock.now(),
      },
    ]);
    expect(await readConnections({ ...owner, mode: 'live' })).toEqual([]);
    expect(await storedCredentials()).toEqual(first);
    await untilRelayed(table, `${owner.account}#${owner.mode}`);
    const entries = await readAuditEntries(owner, undefined, 10, clock.now());
    for (const text of [JSON.stringify(await itemOf()), JSON.stringify(entries)])
      expect(text).not.toMatch(/firstkey|firstsecret/);
    expect(entries[0]).toMatchObject({
      action: 'provider.connect',
      resource: 'stripe',
      changes: expect.arrayContaining([{ field: 'keyLast4', before: null, after: '1111' }]),
    });
  });

  test('does not decrypt in the item of another account or mode', async () => {
    await save(first);
    const other: Owner = { ...owner, mode: 'live' };
    await table.put({ ...(await itemOf()), ...tableKeys.connection(other, 'stripe') });
    await expect(openProvider(other, 'stripe')).rejects.toThrow(/authenticate/);
  });

  test('that is disconnected begins no checkout, keeps its credentials, and can be connected again', async () => {
    await save(first);
    clock.advance(1_000);
    const ended = await disconnect(owner, 'stripe', originOf('provider.disconnect'));
    expect(ended?.disconnectedAt).toBe(clock.now());
    clock.advance(1_000);
    expect(await disconnect(owner, 'stripe', originOf('provider.disconnect'))).toEqual(ended);
    expect(connectionFor(await readConnections(owner), 'USD')).toBeUndefined();
    expect(await storedCredentials()).toEqual(first);
    expect(await save(second)).toMatchObject({ connectedAt: clock.now(), disconnectedAt: undefined });
    expect(connectionFor(await readConnections(owner), 'USD')).toMatchObject({ provider: 'stripe' });
    await untilRelayed(table, `${owner.account}#${owner.mode}`);
    const actions = (await readAuditEntries(owner, undefined, 10, clock.now())).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('provider.'))).toEqual([
      'provider.connect',
      'provider.disconnect',
      'provider.connect',
    ]);
  });

  test('keeps attributes that this release does not know', async () => {
    await save(first);
    await table.put({ ...(await itemOf()), newer: 'kept' });
    await save(second);
    expect(await itemOf()).toMatchObject({ newer: 'kept', keyLast4: '2222' });
  });

  test('prefers Razorpay for Indian rupees', () => {
    const [stripe, razorpay] = [
      { provider: 'stripe', currencies: ['USD', 'INR'], disconnectedAt: undefined },
      { provider: 'razorpay', currencies: ['INR'], disconnectedAt: undefined },
    ] as const;
    const chosen = (currency: 'USD' | 'INR' | 'BTN', ...all: (typeof stripe | typeof razorpay)[]) =>
      connectionFor(all, currency)?.provider;
    expect(chosen('INR', stripe, razorpay)).toBe('razorpay');
    expect(chosen('INR', stripe)).toBe('stripe');
    expect(chosen('USD', stripe, razorpay)).toBe('stripe');
    expect(chosen('BTN', stripe, razorpay)).toBeUndefined();
  });
});

describe('a rotation of the provider secret', () => {
  test('encrypts all credentials again, and then the old version can be removed', async () => {
    await save(first);
    const old = String((await itemOf())?.credentials).split(':')[0] ?? '';
    const version = await addVersion('providers');
    expect(version).toMatch(/^p\d+$/);
    const status = async () =>
      (await readVersions(bothOwners(), clock.now())).find((each) => each.version === old);
    const remove = async () => {
      const found = await status();
      if (found) await removeVersion(found);
    };
    expect(await status()).toMatchObject({ secret: 'providers', connections: 1, isCurrent: false });
    await expect(remove()).rejects.toThrow(/it encrypts the credentials of 1 connections/);
    expect(await apply()).toMatchObject({ connections: 1 });
    expect(await apply()).toMatchObject({ connections: 0 });
    expect(String((await itemOf())?.credentials)).toMatch(new RegExp(`^${version}:`));
    expect(await storedCredentials()).toEqual(first);
    await expect(remove()).rejects.toThrow(/can still need it until/);
    clock.advance(retentionMs);
    await remove();
    expect(await status()).toBeUndefined();
    providerSecret.forget();
    expect(await storedCredentials()).toEqual(first);
  });

  test('continues after a crash before or after its write', async () => {
    await save(first);
    for (const isAfter of [false, true]) {
      const version = await addVersion('providers');
      const interception = interceptCalls(async ({ operation, body }, send) => {
        if (operation !== 'UpdateItem' || !body.includes('PROVIDER#')) return send();
        if (isAfter) await send();
        throw new ProcessCrashed('apply');
      });
      await expect(apply()).rejects.toThrow();
      interception.remove();
      await apply();
      expect(String((await itemOf())?.credentials)).toMatch(new RegExp(`^${version}:`));
      expect(await storedCredentials()).toEqual(first);
    }
  });

  test('loses no credentials that are replaced at the same time, in either order', async () => {
    await save(first);
    await addVersion('providers');
    let isFirst = true;
    interceptions.push(
      interceptCalls(async ({ operation, body }, send) => {
        if (isFirst && operation === 'UpdateItem' && body.includes('PROVIDER#')) {
          isFirst = false;
          await save(second);
        }
        return send();
      }),
    );
    expect(await reencryptConnections(owner)).toBe(0);
    expect(await storedCredentials()).toEqual(second);

    await addVersion('providers');
    let isSaving = true;
    interceptions.push(
      interceptCalls(async ({ operation, body }, send) => {
        if (isSaving && operation === 'TransactWriteItems' && body.includes('PROVIDER#')) {
          isSaving = false;
          expect(await reencryptConnections(owner)).toBe(1);
        }
        return send();
      }),
    );
    await save(first);
    expect([isFirst, isSaving]).toEqual([false, false]);
    expect(await storedCredentials()).toEqual(first);
  });
});
