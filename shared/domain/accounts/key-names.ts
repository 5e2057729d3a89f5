/** Reads the names of API keys, for pages that show who did something. Reads no other attribute of the keys. */
import { keyIdOf, type Owner } from '../../base/ids.ts';
import { keyHashOf, tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';

/** Returns the names of all keys of an account and mode, also of revoked ones, by the id of the key. */
export async function readKeyNames(owner: Owner): Promise<Map<string, string>> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
    ExpressionAttributeValues: { ':pk': tableKeys.accountKeys(owner).pk, ':keys': 'KEY#' },
    Select: 'SPECIFIC_ATTRIBUTES',
    ProjectionExpression: 'pk, sk, #name',
    ExpressionAttributeNames: { '#name': 'name' },
  });
  return new Map(items.map(({ sk, name }) => [keyIdOf(keyHashOf(sk)), String(name)]));
}
