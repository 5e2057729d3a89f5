/**
 * Stores and deletes the connections of accounts to hosted providers, with their encrypted credentials.
 *
 * - Credentials are sealed for their item, so a copy in the item of another account or provider does not decrypt.
 * - Each change has a condition on the version that it read. So a change of the credentials and their encryption under a
 *   new version of the secret cannot overwrite each other.
 */
import { type AuditOrigin, changedSettings, type SettingValues } from '../../../base/audit-origin.ts';
import { env } from '../../../base/env.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Currency } from '../../../base/money.ts';
import { now, toTimestamp } from '../../../base/time.ts';
import { sealCredentials } from '../../../platform/secrets/provider-secret.ts';
import { tableKeys } from '../../../store/keys.ts';
import type { Item } from '../../../store/records.ts';
import { type TransactionItem, writeTransaction } from '../../../store/transactions.ts';
import { entryActions } from '../../audit/outbox-entry.ts';
import type { HostedProviderName, ProviderCredentials } from '../provider/hosted-provider.ts';
import type { ConnectionDetails, MaximumAmounts } from './connection.ts';
import { readConnectionItem } from './connection-store.ts';
import { credentialsIn } from './open-provider.ts';
import { parseSealed, sealingContext, toConnection } from './record.ts';

const maxAttempts = 10;

/** What `saveConnection` stores. */
export interface ConnectionChange {
  readonly credentials: ProviderCredentials;
  readonly currencies: readonly Currency[];
  readonly maximumAmounts?: MaximumAmounts | undefined;
  readonly accountName: string;
  readonly accountReference?: string | undefined;
  /** Undefined leaves the stored one. */
  readonly accountCountry?: string | undefined;
  /** A disconnected connection stays so. Otherwise checkouts can begin from now on. */
  readonly keepsStatus?: true;
}

/**
 * Connects a provider, or changes a connection, with the entry in the audit log.
 * @param decide returns the new values, or undefined to leave the connection as it is. Gets the connection and its
 *   credentials, or undefined if it does not exist. Runs again if another request changed the connection meanwhile.
 * @throws what `decide` throws; Error if other requests kept changing the connection
 */
export async function saveConnection(
  owner: Owner,
  name: HostedProviderName,
  decide: (
    current: (ConnectionDetails & { readonly credentials: ProviderCredentials }) | undefined,
  ) => ConnectionChange | undefined,
  origin: AuditOrigin | undefined,
): Promise<ConnectionDetails> {
  const saved = await changeConnection(owner, name, origin, async (item, current) => {
    const change = decide(current && item && { ...current, credentials: await credentialsIn(item) });
    if (!change) return undefined;
    const { credentials, currencies, maximumAmounts, keepsStatus } = change;
    const { accountName, accountReference, accountCountry } = change;
    const at = now();
    const isConnected = current !== undefined && current.disconnectedAt === undefined;
    const key = tableKeys.connection(owner, name);
    return {
      currencies,
      maximumAmounts,
      accountName,
      accountReference,
      ...(accountCountry !== undefined && { accountCountry }),
      ...(!keepsStatus && !isConnected && { connectedAt: at, disconnectedAt: undefined }),
      keyLast4: credentials.apiKey.slice(-4),
      notificationSecretCount: credentials.notificationSecrets.length,
      rotatedAt: at,
      credentials: await sealCredentials(JSON.stringify(credentials), sealingContext(key)),
    };
  });
  if (!saved) throw new Error(`The connection to ${name} was not saved.`);
  return saved;
}

/**
 * Disconnects a provider: no new checkout begins. The credentials stay, because refunds and open checkouts need them.
 * @returns undefined if the account and mode has no such connection
 */
export async function disconnect(
  owner: Owner,
  name: HostedProviderName,
  origin: AuditOrigin | undefined,
): Promise<ConnectionDetails | undefined> {
  return changeConnection(owner, name, origin, async (_, current) =>
    current && current.disconnectedAt === undefined ? { disconnectedAt: now() } : undefined,
  );
}

/**
 * Deletes a connection with its credentials, and adds the entry to the audit log in the same transaction.
 * @param requireAllowed throws if the connection must stay. Runs again if another request changed the connection meanwhile
 * @returns false if the account and mode has no such connection
 * @throws what `requireAllowed` throws; Error if other requests kept changing the connection
 */
export async function deleteConnection(
  owner: Owner,
  name: HostedProviderName,
  requireAllowed: (current: ConnectionDetails) => void,
  origin: AuditOrigin,
): Promise<boolean> {
  let exists = false;
  await changeConnection(owner, name, origin, async (_, current) => {
    exists = current !== undefined;
    if (!current) return undefined;
    requireAllowed(current);
    return 'deleted';
  });
  return exists;
}

/**
 * @param plan returns the attributes to change, or `deleted`. Undefined leaves the connection as it is. Runs again if another request
 *   changed the connection meanwhile.
 * @returns the connection after that
 */
async function changeConnection(
  owner: Owner,
  name: HostedProviderName,
  origin: AuditOrigin | undefined,
  plan: (
    item: Item | undefined,
    current: ConnectionDetails | undefined,
  ) => Promise<Item | 'deleted' | undefined>,
): Promise<ConnectionDetails | undefined> {
  const Key = tableKeys.connection(owner, name);
  const TableName = env.tableName();
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const item = await readConnectionItem(owner, name);
    const current = item && toConnection(owner, item);
    const changes = await plan(item, current);
    if (!changes) return current;
    const version = (item ? parseSealed(item).version : 0) + 1;
    // Attributes that this release does not know stay in the item.
    const next = changes === 'deleted' ? undefined : { ...item, ...Key, ...changes, version };
    const saved = next && toConnection(owner, next);
    const { written } = await writeTransaction([
      next
        ? { Put: { TableName, Item: next, ...unchanged(item) } }
        : { Delete: { TableName, Key, ...unchanged(item) } },
      ...auditActions(owner, name, origin, current, saved),
    ]);
    if (written) return saved;
  }
  throw new Error(`The connection to ${name} kept changing. Try again.`);
}

/** The condition that an item is as it was read. */
function unchanged(item: Item | undefined) {
  if (!item) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': item.version },
  };
}

function auditActions(
  owner: Owner,
  name: HostedProviderName,
  origin: AuditOrigin | undefined,
  before: ConnectionDetails | undefined,
  after: ConnectionDetails | undefined,
): TransactionItem[] {
  const changes = changedSettings(auditedValues(before), auditedValues(after));
  return entryActions([owner], origin, { resource: name, changes, at: now() });
}

function auditedValues(connection: ConnectionDetails | undefined): SettingValues | undefined {
  if (!connection) return undefined;
  const { accountName, accountReference, currencies, keyLast4, notificationSecretCount } = connection;
  const { maximumAmounts = {}, rotatedAt, disconnectedAt } = connection;
  const stated = Object.entries(maximumAmounts).map(([currency, amount]) => `${currency}=${amount}`);
  return {
    accountName,
    accountReference,
    currencies,
    maximumAmounts: stated.length > 0 ? stated : undefined,
    keyLast4,
    notificationSecretCount,
    credentialsFrom: toTimestamp(rotatedAt),
    disconnectedAt: disconnectedAt === undefined ? undefined : toTimestamp(disconnectedAt),
  };
}
