/**
 * Sets up what the canary uses: an account, a test key and a webhook endpoint. Afterwards the account has no other key
 * and no other endpoint.
 *
 * - The new key and endpoint are stored before the old ones are removed. So the canary works at all times.
 * - The setup can be repeated at any time. If it was interrupted, the next one removes what it left behind.
 */
import { Remit } from '../client/src/remit.ts';
import { isCanaryAccount, modes } from '../shared/base/ids.ts';
import { now } from '../shared/base/time.ts';
import type { Permission } from '../shared/domain/auth/permissions.ts';
import type { CanaryConfig } from '../shared/operations/canary/canary-config.ts';
import { canaryEventType } from '../shared/operations/canary/run-canary.ts';
import { auditOperation, operatorOrigin } from './audit-operation.ts';
import { loadAccountStores } from './table-connection.ts';

/** The name of the account, for people. */
const canaryAccountName = 'Remit canary';

const permissions: readonly Permission[] = [
  'invoices:read',
  'invoices:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
];

export interface CanarySetup {
  /** The URL of the service. */
  readonly baseUrl: string;
  /** The URL of the function that receives the webhooks. */
  readonly receiverUrl: string;
  readonly read: () => Promise<CanaryConfig | undefined>;
  readonly write: (config: CanaryConfig) => Promise<void>;
}

/**
 * Creates the account if it does not exist, and a new key and endpoint. Stores them, and removes the old ones.
 * @returns the stored configuration; it contains secrets
 */
export function setUpCanary(setup: CanarySetup): Promise<CanaryConfig> {
  return auditOperation({ action: 'canary.enable' }, () => replaceCanary(setup));
}

async function replaceCanary({ baseUrl, receiverUrl, read, write }: CanarySetup): Promise<CanaryConfig> {
  const stored = await read();
  const accountId = await findOrCreateAccount(stored);
  await revokeKeysExcept(accountId, stored?.keyId);
  const { createKey } = await loadAccountStores();
  const owner = { account: accountId, mode: 'test' } as const;
  const { keyId, value: apiKey } = await createKey({
    owner,
    name: 'Canary',
    permissions,
    origin: await operatorOrigin('key.create'),
  });
  const remit = new Remit({ baseUrl, apiKey });
  await deleteEndpointsExcept(remit, stored?.webhookId);
  const { id: webhookId, secret: webhookSecret } = await remit.webhooks.create({
    url: receiverUrl,
    events: [canaryEventType],
    description: 'Remit canary',
  });
  const config = { accountId, keyId, apiKey, webhookId, webhookSecret, baseUrl };
  await write(config);
  await revokeKeysExcept(accountId, keyId);
  await deleteEndpointsExcept(remit, webhookId);
  return config;
}

/** Returns the stored account or another one of the canary, if it is open. Otherwise creates one. */
async function findOrCreateAccount(stored: CanaryConfig | undefined): Promise<string> {
  const { createAccount, listAccounts } = await loadAccountStores();
  const open = (await listAccounts()).flatMap(({ accountId, closedAt }) =>
    closedAt === undefined && isCanaryAccount(accountId) ? [accountId] : [],
  );
  const [found] = open.includes(stored?.accountId ?? '') ? [stored?.accountId] : open;
  if (found !== undefined) return found;
  const origin = await operatorOrigin('account.create');
  const account = { name: canaryAccountName, plan: 'standard', origin, isCanary: true } as const;
  return (await createAccount(account)).accountId;
}

async function revokeKeysExcept(account: string, keptKeyId: string | undefined): Promise<void> {
  const { listKeys, revokeKey } = await loadAccountStores();
  for (const mode of modes) {
    const keys = await listKeys({ account, mode });
    for (const { keyId, revokedAt, expiresAt = Number.POSITIVE_INFINITY } of keys) {
      if (keyId === keptKeyId || revokedAt !== undefined || expiresAt <= now()) continue;
      const operation = { action: 'key.revoke', account, mode, resource: keyId } as const;
      await auditOperation(operation, () => revokeKey({ account, mode }, keyId));
    }
  }
}

async function deleteEndpointsExcept(remit: Remit, keptId: string | undefined): Promise<void> {
  for (const { id } of (await remit.webhooks.list({ limit: 100 })).data) {
    if (id !== keptId) await remit.webhooks.delete(id);
  }
}
