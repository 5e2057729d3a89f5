/**
 * Remembers the endpoints of accounts in this instance, so that the relay needs no call to read them.
 *
 * - The version of the registry rises in the transaction of each change that the relay must see (`record.ts`). The relay reads it
 *   after the change that it relays, strongly consistent, together with index pages.
 * - A plain read can see one item of a transaction before another. So a list is remembered only after a transaction has read the
 *   registry and the endpoints at one moment, and if the registry counts as many. Then the list is complete.
 * - A list with a malformed endpoint is not remembered: its repair does not raise the version.
 * - A change that is being committed may be seen or not, because its client has no answer yet.
 * - Other changes of an endpoint do not matter: the dispatcher reads each endpoint again before it sends.
 */
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { fromItem, fromItems, type Item } from '../../store/records.ts';
import { readTransaction } from '../../store/transactions.ts';
import { registryKey, registryType, webhookType } from './record.ts';
import type { Webhook } from './webhook.ts';
import { readWebhooks } from './webhook-store.ts';

interface KnownWebhooks {
  /** The version of the registry. 0: no endpoint has ever existed. */
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
  const name = nameOf(owner);
  const remembered = known.get(name);
  if (remembered?.version === (registry?.version ?? 0)) return remembered.webhooks;
  const listed = await readWebhooks(owner);
  const read = await readAtOneMoment(owner, listed);
  if (!read) return listed;
  if (known.size >= maxKnown) known.clear();
  known.set(name, read);
  return read.webhooks;
}

const nameOf = (owner: Owner) => `${env.tableName()} ${registryKey(owner).pk}`;

/** Reads the registry and endpoints at one moment. Returns undefined if these are not all endpoints. */
async function readAtOneMoment(owner: Owner, listed: readonly Webhook[]): Promise<KnownWebhooks | undefined> {
  const keys = listed.map(({ id }) => tableKeys.webhook(owner, id));
  const [registryItem, ...items] = await readTransaction([registryKey(owner), ...keys]);
  const { version = 0, count = 0 } = fromItem(registryType, owner, registryItem) ?? {};
  const present = items.filter((item) => item !== undefined);
  const { records, malformed } = fromItems(webhookType, owner, present);
  const isComplete = malformed.size === 0 && records.size === count;
  return isComplete ? { version, webhooks: [...records.values()] } : undefined;
}
