/** Encrypts the credentials of connections with the current version of the provider secret. */
import type { Owner } from '../../../base/ids.ts';
import {
  isCurrentSealing,
  sealCredentials,
  unsealCredentials,
} from '../../../platform/secrets/provider-secret.ts';
import { sealedVersionOf } from '../../../platform/secrets/sealed-text.ts';
import { tableKeys } from '../../../store/keys.ts';
import { queryAll } from '../../../store/query-pages.ts';
import type { Item } from '../../../store/records.ts';
import { rewriteItem } from '../../../store/rewrite-item.ts';
import { parseSealed, sealingContext } from './record.ts';

/**
 * Encrypts the credentials of an account and mode again that an older version has encrypted. Can be repeated at any time.
 * @returns the number of connections that changed
 */
export async function reencryptConnections(owner: Owner): Promise<number> {
  let changed = 0;
  for (const item of await readItems(owner)) {
    const old = parseSealed(item).credentials;
    if (await isCurrentSealing(old)) continue;
    const context = sealingContext(item);
    const credentials = await sealCredentials(await unsealCredentials(old, context), context);
    // Credentials that were replaced meanwhile are new, so the current version has encrypted them.
    if (await rewriteItem(item, (current) => (current.credentials === old ? { credentials } : undefined)))
      changed += 1;
  }
  return changed;
}

/** Returns the version of the secret that encrypted each connection of an account and mode. */
export async function listCredentialVersions(owner: Owner): Promise<string[]> {
  return (await readItems(owner)).map((item) => sealedVersionOf(parseSealed(item).credentials));
}

function readItems(owner: Owner): Promise<Item[]> {
  return queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.connection(owner, '').pk },
  });
}
