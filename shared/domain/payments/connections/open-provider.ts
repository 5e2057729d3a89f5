/** Opens hosted providers with the stored credentials of an account and mode. */
import { randomBytes } from 'node:crypto';
import type { Owner } from '../../../base/ids.ts';
import { ShortCache } from '../../../base/short-cache.ts';
import { now } from '../../../base/time.ts';
import { sealCredentials, unsealCredentials } from '../../../platform/secrets/provider-secret.ts';
import type { Item } from '../../../store/records.ts';
import type { HostedProvider, HostedProviderName, ProviderCredentials } from '../provider/hosted-provider.ts';
import { hostedProviderFor } from '../provider/hosted-providers.ts';
import { observedProvider } from '../provider/observed-provider.ts';
import { readConnectionItem } from './connection-store.ts';
import { parseSealed, sealingContext } from './record.ts';

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
  const item = await readConnectionItem(owner, name);
  if (!item) return undefined;
  const { accountCountry: country } = parseSealed(item);
  return observedProvider(hostedProviderFor(name, await credentialsIn(item), { ...options, country }), owner);
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
  const item = await readConnectionItem(owner, name);
  const credentials = await credentialsIn(item ?? (await decoys.get('decoy', now(), sealDecoy)));
  return {
    hosted: observedProvider(hostedProviderFor(name, credentials), owner),
    isConnected: item !== undefined,
  };
}

/** A short cache, because a version of the secret that sealed the decoy may be removed. */
const decoys = /* @__PURE__ */ new ShortCache<Item>();

/** Returns credentials that nobody knows, as an item has them. No item is stored. */
async function sealDecoy(): Promise<Item> {
  const key = { pk: 'DECOY', sk: 'DECOY', version: 1 };
  const credentials = { apiKey: 'sk_live_decoy', notificationSecrets: [randomBytes(32).toString('base64')] };
  return { ...key, credentials: await sealCredentials(JSON.stringify(credentials), sealingContext(key)) };
}

/** Decrypts the credentials in an item. @throws Error if they cannot be decrypted */
export async function credentialsIn(item: Item): Promise<ProviderCredentials> {
  return JSON.parse(await unsealCredentials(parseSealed(item).credentials, sealingContext(item)));
}
