/** Tests `npx remit secrets`: rotations while clients work, after interruptions, and the removal of old versions. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { secretFileVariables } from '../../infra/local/secret-files.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { modes, type Owner } from '../../shared/base/ids.ts';
import { createKey, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { changeMembers, readMembers } from '../../shared/domain/users/member-store.ts';
import { forgetPublicKeys } from '../../shared/domain/users/public-key-store.ts';
import { startSession, useSession } from '../../shared/domain/users/session-store.ts';
import { currentSigningKeyId, signingKeyIdOf } from '../../shared/domain/users/signed-item.ts';
import {
  addVersion,
  applyVersions,
  readVersions,
  removeVersion,
  retentionMs,
} from '../../shared/operations/rotation/rotate-secrets.ts';
import { deploymentSecret } from '../../shared/platform/secrets/deployment-secret.ts';
import { signingKeyOf, signingSecret } from '../../shared/platform/secrets/signing-secret.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { run, runJson } from '../support/command-line.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { ProcessCrashed } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let account: TestAccount;
let owner: Owner;
let receiver: WebhookReceiver;
let files: ReturnType<typeof secretFileVariables>;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  files = secretFileVariables(stack.deploymentSecretFile);
  receiver = await startWebhookReceiver();
});
beforeEach(async () => {
  clock = stopClock();
  account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
});
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(async () => {
  await receiver.close();
  await stack.close();
});

async function* onlyThisAccount(): AsyncGenerator<string[]> {
  yield [account.accountId];
}
async function* bothOwners(): AsyncGenerator<Owner> {
  for (const mode of modes) yield { account: account.accountId, mode };
}
const apply = () => applyVersions(onlyThisAccount(), () => {});
const versions = () => readVersions(bothOwners(), clock.now());
const statusOf = async (secret: string, version: string) =>
  (await versions()).find((each) => each.secret === secret && each.version === version);
const remove = async (secret: string, version: string) => {
  const status = await statusOf(secret, version);
  if (!status) throw new Error(`There is no version ${version}.`);
  await removeVersion(status);
};
const readSecretFile = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

async function newEndpoint(path: string) {
  const { json } = await account.test.post('/api/webhooks', { url: receiver.urlOf(path), events: ['*'] });
  receiver.trust(path, json.secret);
  return json;
}
const ciphertextsOf = async (id: string): Promise<string[]> =>
  (await table.get(tableKeys.webhook(owner, id)))?.secrets.map(
    ({ ciphertext }: { ciphertext: string }) => ciphertext,
  );
/** Creates an invoice, and waits until the endpoint at `path` has verified its event. */
async function expectDelivery(path: string): Promise<void> {
  const before = receiver.receivedAt(path).length;
  expect((await account.test.post('/api/invoices', invoiceBody())).status).toBe(201);
  await waitUntil('the delivery', () => receiver.receivedAt(path).length > before);
  expect(receiver.receivedAt(path).at(-1)?.verifiedBy).toHaveLength(1);
}

describe('a rotation of the signing secret', () => {
  const member = {
    user: 'usr_1',
    issuer: 'https://login.example.com',
    subject: '1',
    email: 'dorji@example.bt',
    role: 'owner',
    since: 1,
  } as const;
  const session = () =>
    startSession(
      { ...member, isEmailVerified: true },
      { authenticatedAt: clock.now(), browser: 'test', now: clock.now() },
      undefined,
    );
  const membersItem = () => table.get(tableKeys.members(account.accountId));
  const addMember = () => changeMembers(account.accountId, (current) => ({ ...current, members: [member] }));

  test('leaves sessions and members valid, and its removal ends what only the old version has signed', async () => {
    await addMember();
    const before = await membersItem();
    const old = (await signingSecret.content()).current;
    const [first, later] = [await session(), await session()];

    expect(await addVersion('signing')).not.toBe(old);
    // The new key is in the table before a function signs with it, because functions may not store it.
    const key = await signingKeyOf((await signingSecret.content()).current);
    const stored = await table.get(tableKeys.signingKey(key ? signingKeyIdOf(key) : ''));
    expect(stored?.publicKey).toBe(key?.publicKey);
    expect(await useSession(first, clock.now())).toMatchObject({ subject: '1' });
    expect((await readMembers(account.accountId)).members).toEqual([member]);

    expect(await statusOf('signing', old)).toMatchObject({ members: 1, isCurrent: false });
    await expect(remove('signing', old)).rejects.toThrow(/signed the members of 1 accounts\. Run .* apply/);
    expect(await apply()).toMatchObject({ accounts: 1, members: 1 });
    expect(await apply()).toMatchObject({ accounts: 1, members: 0 });
    expect((await membersItem())?.signature).not.toBe(before?.signature);
    expect((await readMembers(account.accountId)).members).toEqual([member]);
    await expect(remove('signing', old)).rejects.toThrow(/sessions .* can still need it until/);
    expect(await useSession(later, clock.now())).toBeDefined();

    clock.advance(retentionMs);
    await remove('signing', old);
    expect(await statusOf('signing', old)).toBeUndefined();
    await table.put({ ...before, version: (await membersItem())?.version } as TestItem);
    forgetPublicKeys();
    await expect(readMembers(account.accountId)).rejects.toThrow(/no valid signature/);
    await table.delete(tableKeys.members(account.accountId));
  });

  test('deletes the public keys of other secrets, and stores its own if it is missing', async () => {
    const own = await currentSigningKeyId();
    const foreign = tableKeys.signingKey('A'.repeat(22));
    await table.put({ ...foreign, publicKey: 'x' });
    await table.delete(tableKeys.signingKey(own));
    await apply();
    expect(await table.get(foreign)).toBeUndefined();
    expect(await table.get(tableKeys.signingKey(own))).toBeDefined();
  });

  test('does not sign what is forged, and signs the members of the other accounts', async () => {
    await addMember();
    const forged = { ...(await membersItem()), members: [member, { ...member, user: 'usr_2' }] };
    await table.put(forged as TestItem);
    const other = (await newAccount(stack.baseUrl)).accountId;
    await changeMembers(other, (current) => ({ ...current, members: [member] }));
    await addVersion('signing');
    const counts: number[] = [];
    const both = (async function* () {
      yield [account.accountId, other];
    })();
    const applied = applyVersions(both, ({ members }) => counts.push(members));
    await expect(applied).rejects.toThrow(/no valid signature/);
    expect(counts).toEqual([0, 1]);
    expect(await membersItem()).toEqual(forged);
    await table.delete(tableKeys.members(account.accountId));
  });
});

describe('a rotation', () => {
  test('leaves keys, webhooks and lists as they work, and then the old versions can be removed', async () => {
    const endpoint = await newEndpoint('/rotated');
    const oldVersion = (await ciphertextsOf(endpoint.id))[0]?.split(':')[0] ?? '';
    expect(oldVersion).toMatch(/^w\d+$/);
    expect((await account.test.post('/api/invoices', invoiceBody({ customerId: 'cust_kept' }))).status).toBe(
      201,
    );
    const [deploymentBefore = ''] = [(await deploymentSecret.content()).current];
    const answer = await account.test.post('/api/invoices', invoiceBody(), {
      headers: { 'Idempotency-Key': 'k' },
    });

    const added = [await addVersion('deployment'), await addVersion('webhooks'), await addVersion('keys')];
    expect(await apply()).toMatchObject({ accounts: 1, reencrypted: 1 });
    expect(await apply()).toMatchObject({ accounts: 1, reencrypted: 0 });
    expect((await ciphertextsOf(endpoint.id))[0]?.split(':')[0]).toBe(added[1]);

    await expectDelivery('/rotated');
    const { value } = await createKey({ owner, name: 'New' });
    for (const key of [account.test.apiKey, value]) {
      const { json } = await apiOf(stack.baseUrl, key).get('/api/invoices?customerId=cust_kept');
      expect(json.pagination.total).toBe(1);
    }
    const again = await account.test.post('/api/invoices', invoiceBody(), {
      headers: { 'Idempotency-Key': 'k' },
    });
    expect(again.json).toEqual(answer.json);

    const webhooks = await statusOf('webhooks', oldVersion);
    expect(webhooks).toMatchObject({ webhookSecrets: 0, neededUntil: clock.now() + retentionMs });
    await expect(remove('webhooks', oldVersion)).rejects.toThrow(/can still need it until/);
    clock.advance(retentionMs);
    await remove('webhooks', oldVersion);
    expect(await statusOf('webhooks', oldVersion)).toBeUndefined();

    // The first key of each mode contains the old check.
    const old = await statusOf('deployment', deploymentBefore);
    expect(old?.keys).toHaveLength(2);
    await expect(remove('deployment', deploymentBefore)).rejects.toThrow(/API keys contain its check: key_/);
    for (const mode of modes)
      for (const keyId of old?.keys ?? []) await revokeKey({ account: account.accountId, mode }, keyId);
    await remove('deployment', deploymentBefore);
    expect(Object.keys(await readSecretFile(files.DEPLOYMENT_SECRET_FILE))).not.toContain(deploymentBefore);
    const { json } = await apiOf(stack.baseUrl, value).get('/api/invoices?customerId=cust_kept');
    expect(json.pagination.total).toBe(1);
    account = { ...account, test: apiOf(stack.baseUrl, value) as TestAccount['test'] };
    await expectDelivery('/rotated');
  });

  test('can be interrupted before and after every write, and continues', async () => {
    const ids = await Promise.all(['/a', '/b', '/c'].map(async (path) => (await newEndpoint(path)).id));
    const version = await addVersion('webhooks');
    let crashes = 0;
    for (let at = 0, done = false; !done; at++) {
      for (const isAfter of [false, true]) {
        let writes = 0;
        const interception = interceptCalls(async ({ operation }, send) => {
          if (operation !== 'UpdateItem' || writes++ < at) return send();
          if (isAfter) await send();
          throw new ProcessCrashed('apply');
        });
        done = await apply().then(
          () => true,
          () => false,
        );
        interception.remove();
        crashes += done ? 0 : 1;
        expect((await account.test.get('/api/webhooks')).status).toBe(200);
      }
    }
    expect(crashes).toBeGreaterThan(2);
    for (const id of ids) expect((await ciphertextsOf(id))[0]?.startsWith(`${version}:`)).toBe(true);
    await Promise.all(['/a', '/b', '/c'].map(expectDelivery));
  });

  test('keeps a secret that a client rotates at the same time', async () => {
    const { id } = await newEndpoint('/racing');
    const version = await addVersion('webhooks');
    let isFirst = true;
    interceptions.push(
      interceptCalls(async ({ operation, body }, send) => {
        if (isFirst && operation === 'UpdateItem' && body.includes(id)) {
          isFirst = false;
          const { json } = await account.test.post(`/api/webhooks/${id}/rotate-secret`, { overlapHours: 0 });
          receiver.trust('/racing', json.secret);
        }
        return send();
      }),
    );
    await apply();
    expect(isFirst).toBe(false);
    expect((await ciphertextsOf(id)).every((each) => each.startsWith(`${version}:`))).toBe(true);
    await expectDelivery('/racing');
  });
});

test('the command rotates, shows and refuses to remove what is needed', async () => {
  await newEndpoint('/command');
  const rotated = await runJson('secrets', ['rotate', '--secret', 'webhooks']);
  expect(rotated).toMatchObject({ current: { webhooks: expect.stringMatching(/^w\d+$/) } });
  expect(rotated.reencrypted).toBeGreaterThan(0);
  const shown = await runJson('secrets', ['status']);
  expect(shown).toContainEqual(
    expect.objectContaining({ secret: 'webhooks', version: rotated.current.webhooks, isCurrent: true }),
  );
  const args = ['remove', '--secret', 'webhooks', '--version', rotated.current.webhooks];
  const refused = await run('secrets', args);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('it is the current version')]);
  const missing = await run('secrets', ['remove', '--secret', 'webhooks', '--version', 'w999']);
  expect([missing.code, missing.error]).toEqual([2, expect.stringContaining('has no version w999')]);
});
