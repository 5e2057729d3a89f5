/** Encrypts the secrets of webhook endpoints with the current version of the webhook secret. */
import type { Owner } from '../../base/ids.ts';
import { decrypt, encrypt, isCurrentCiphertext } from '../../platform/secrets/encryption.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { rewriteItem } from '../../store/rewrite-item.ts';

interface StoredSecret {
  readonly ciphertext: string;
}

/**
 * Encrypts the secrets of an account and mode again that an older version has encrypted. Can be repeated at any time.
 * @returns the number of endpoints that changed
 */
export async function reencryptWebhooks(owner: Owner): Promise<number> {
  let changed = 0;
  for (const item of await readEndpointItems(owner)) {
    const fresh = new Map<string, string>();
    for (const { ciphertext } of secretsOf(item)) {
      if (await isCurrentCiphertext(ciphertext)) continue;
      const context = String(item.sk);
      fresh.set(ciphertext, await encrypt(await decrypt(ciphertext, context), context));
    }
    const isChanged = await rewriteItem(item, (current) => {
      const secrets = secretsOf(current);
      if (!secrets.some(({ ciphertext }) => fresh.has(ciphertext))) return undefined;
      return {
        secrets: secrets.map((secret) => ({
          ...secret,
          ciphertext: fresh.get(secret.ciphertext) ?? secret.ciphertext,
        })),
      };
    });
    if (isChanged) changed += 1;
  }
  return changed;
}

/** Returns the version of the secret in each ciphertext of an account and mode. */
export async function listCiphertextVersions(owner: Owner): Promise<string[]> {
  const items = await readEndpointItems(owner);
  return items.flatMap((item) => secretsOf(item).map(({ ciphertext }) => ciphertext.split(':')[0] ?? ''));
}

function readEndpointItems(owner: Owner): Promise<Item[]> {
  return queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': tableKeys.webhook(owner, '').pk, ':prefix': 'wh_' },
  });
}

const secretsOf = (item: Item) => (item.secrets as readonly StoredSecret[] | undefined) ?? [];
