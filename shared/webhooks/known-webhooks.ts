/**
 * Remembers the endpoints of accounts in this instance, so that the relay needs no call to read them.
 *
 * - The version of the registry rises in the transaction of each change that the relay must see (`record.ts`). The relay reads it
 *   after the change that it relays, strongly consistent, together with index pages.
 * - A list is read after the version under which it is remembered. So it is at least as new as that version.
 * - Other changes of an endpoint do not matter: the dispatcher reads each endpoint again before it sends.
 * - Release 0.1.0 does not raise the version if an endpoint is updated. So format 1 must not use this.
 */
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import type { Item } from '../store/records.ts';
import { registryKey } from './record.ts';
import { readWebhooks } from './store.ts';
import type { Webhook } from './webhook.ts';

interface KnownWebhooks {
  readonly version: number;
  readonly webhooks: readonly Webhook[];
}

/** By the table and the partition of the endpoints. */
const known = new Map<string, KnownWebhooks>();
const maxKnown = 1_000;

/**
 * Returns all endpoints of an owner, as they are at a version of the registry or later.
 * @param registry the item of the registry. Undefined: no endpoint has ever existed.
 */
export async function webhooksAt(owner: Owner, registry: Item | undefined): Promise<readonly Webhook[]> {
  const name = `${env.tableName()} ${registryKey(owner).pk}`;
  const version = Number(registry?.version ?? 0);
  const remembered = known.get(name);
  if (remembered?.version === version) return remembered.webhooks;
  const webhooks = await readWebhooks(owner);
  if (known.size >= maxKnown) known.clear();
  known.set(name, { version, webhooks });
  return webhooks;
}
