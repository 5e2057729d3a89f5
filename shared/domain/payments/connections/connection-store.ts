/**
 * Stores the connections of accounts to hosted providers: one item for each account, mode and provider, which contains the
 * encrypted credentials.
 *
 * - Credentials are sealed for their item, so a copy in the item of another account or provider does not decrypt.
 * - Each change has a condition on the version that it read. So a change of the credentials and their encryption under a
 *   new version of the secret cannot overwrite each other.
 */
import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type AuditOrigin, changedSettings, type SettingValues } from '../../../base/audit-origin.ts';
import { env } from '../../../base/env.ts';
import type { Owner } from '../../../base/ids.ts';
import { type Currency, maxAmount } from '../../../base/money.ts';
import { ShortCache } from '../../../base/short-cache.ts';
import { type Instant, now, toTimestamp } from '../../../base/time.ts';
import { sealCredentials, unsealCredentials } from '../../../platform/secrets/provider-secret.ts';
import { dynamodb } from '../../../store/client.ts';
import { tableKeys } from '../../../store/keys.ts';
import { leaveOutMalformed } from '../../../store/left-out-items.ts';
import { queryAll } from '../../../store/query-pages.ts';
import type { Item } from '../../../store/records.ts';
import { type MalformedItemError, parseOrError } from '../../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../../store/transactions.ts';
import { entryActions } from '../../audit/outbox-entry.ts';
import { takesAmount } from '../provider/amount-limits.ts';
import type { HostedProvider, HostedProviderName, ProviderCredentials } from '../provider/hosted-provider.ts';
import { hostedProviderFor } from '../provider/hosted-providers.ts';
import { observedProvider } from '../provider/observed-provider.ts';
import { type ConnectionDetails, connectionAttributes, type MaximumAmounts } from './connection.ts';
import { parseSealed, sealingContext, toConnection } from './record.ts';

const maxAttempts = 10;

/** Reads the connections of an account and mode without their credentials, strongly consistent. Leaves malformed ones out. */
export async function readConnections(owner: Owner): Promise<ConnectionDetails[]> {
  return leaveOutMalformed(await readAllConnections(owner));
}

/** Reads the same, with an error for each malformed connection. */
export async function readAllConnections(owner: Owner): Promise<(ConnectionDetails | MalformedItemError)[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.connection(owner, '').pk },
    // The permissions of functions that call no provider allow only these attributes.
    Select: 'SPECIFIC_ATTRIBUTES',
    ProjectionExpression: connectionAttributes.join(', '),
  });
  return items
    .map((item) => parseOrError(item, () => toConnection(owner, item)))
    .filter((connection) => connection !== undefined);
}

const pageConnections = /* @__PURE__ */ new ShortCache<ConnectionDetails[]>();

/** Returns the connections that the payment page needs to show. They are at most 30 seconds old. */
export function readPageConnections(owner: Owner, at: Instant): Promise<ConnectionDetails[]> {
  return pageConnections.get(`${owner.account}#${owner.mode}`, at, () => readConnections(owner));
}

/**
 * Returns the connection for a new checkout in a currency: connected, and taking the currency and the amount. Razorpay comes
 * first for Indian rupees, because it offers UPI.
 * @param amountMinor undefined leaves the limits of amounts out
 */
export function connectionFor<
  C extends Pick<ConnectionDetails, 'provider' | 'currencies' | 'maximumAmounts' | 'disconnectedAt'>,
>(connections: readonly C[], currency: Currency, amountMinor?: number): C | undefined {
  const usable = connections.filter(
    ({ provider, currencies, maximumAmounts, disconnectedAt }) =>
      disconnectedAt === undefined &&
      currencies.includes(currency) &&
      (amountMinor === undefined ||
        (takesAmount(provider, currency, amountMinor) &&
          amountMinor <= (maximumAmounts?.[currency] ?? maxAmount))),
  );
  const preferred = currency === 'INR' ? 'razorpay' : 'stripe';
  return usable.find(({ provider }) => provider === preferred) ?? usable[0];
}

/**
 * Returns the provider of a connection, with its credentials. Also for a connection that was disconnected, because its
 * payments can still be refunded. Undefined if the account and mode has no such connection.
 * @param options `timeoutMs` limits each operation
 * @throws Error if the credentials cannot be decrypted
 */
export async function openProvider(
  owner: Owner,
  name: HostedProviderName,
  options?: { readonly timeoutMs: number },
): Promise<HostedProvider | undefined> {
  const item = await readItem(owner, name);
  if (!item) return undefined;
  const { accountCountry: country } = parseSealed(item);
  return observedProvider(hostedProviderFor(name, await credentialsIn(item), { ...options, country }));
}

/**
 * Returns the provider that reads the notifications to an account and mode. Without a connection, it has random secrets, which are
 * decrypted like stored ones. So the time of an answer does not tell which accounts use a provider.
 * @returns `isConnected`: whether the notifications that it accepts are those of the account
 * @throws Error if the credentials cannot be decrypted
 */
export async function openForNotifications(
  owner: Owner,
  name: HostedProviderName,
): Promise<{ readonly hosted: HostedProvider; readonly isConnected: boolean }> {
  const item = await readItem(owner, name);
  const credentials = await credentialsIn(item ?? (await decoys.get('decoy', now(), sealDecoy)));
  return { hosted: observedProvider(hostedProviderFor(name, credentials)), isConnected: item !== undefined };
}

/** A short cache, because a version of the secret that sealed the decoy may be removed. */
const decoys = /* @__PURE__ */ new ShortCache<Item>();

/** Returns credentials that nobody knows, as an item has them. No item is stored. */
async function sealDecoy(): Promise<Item> {
  const key = { pk: 'DECOY', sk: 'DECOY', version: 1 };
  const credentials = { apiKey: 'sk_live_decoy', notificationSecrets: [randomBytes(32).toString('base64')] };
  return { ...key, credentials: await sealCredentials(JSON.stringify(credentials), sealingContext(key)) };
}

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
  const Key = tableKeys.connection(owner, name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const item = await readItem(owner, name);
    const current = item && toConnection(owner, item);
    if (!current) return false;
    requireAllowed(current);
    const { written } = await writeTransaction([
      { Delete: { TableName: env.tableName(), Key, ...unchanged(item) } },
      ...auditActions(owner, name, origin, current, undefined),
    ]);
    if (written) return true;
  }
  throw keptChanging(name);
}

/** @param plan returns the attributes to change. Undefined leaves the connection as it is. */
async function changeConnection(
  owner: Owner,
  name: HostedProviderName,
  origin: AuditOrigin | undefined,
  plan: (item: Item | undefined, current: ConnectionDetails | undefined) => Promise<Item | undefined>,
): Promise<ConnectionDetails | undefined> {
  const key = tableKeys.connection(owner, name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const item = await readItem(owner, name);
    const current = item && toConnection(owner, item);
    const changes = await plan(item, current);
    if (!changes) return current;
    const version = (item ? parseSealed(item).version : 0) + 1;
    // Attributes that this release does not know stay in the item.
    const next = { ...item, ...key, ...changes, version };
    const saved = toConnection(owner, next);
    const { written } = await writeTransaction([
      { Put: { TableName: env.tableName(), Item: next, ...unchanged(item) } },
      ...auditActions(owner, name, origin, current, saved),
    ]);
    if (written) return saved;
  }
  throw keptChanging(name);
}

const keptChanging = (name: string) => new Error(`The connection to ${name} kept changing. Try again.`);

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

async function readItem(owner: Owner, name: HostedProviderName): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.connection(owner, name),
      ConsistentRead: true,
    }),
  );
  return item;
}

async function credentialsIn(item: Item): Promise<ProviderCredentials> {
  return JSON.parse(await unsealCredentials(parseSealed(item).credentials, sealingContext(item)));
}
