/** Reads the names of API keys, for pages that show who did something, and what a search shows of a key. Reads no other attributes. */
import { keyIdOf, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { keyHashOf, tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import { defineItem, instant, optional, text } from '../../store/stored-fields.ts';
import type { KeyItem } from '../auth/key-item.ts';
import { type ApiKey, apiKeyStatus } from './account.ts';

/** Returns the names of all keys of an account and mode, also of revoked ones, by the id of the key. */
export async function readKeyNames(owner: Owner): Promise<Map<string, string>> {
  const items = await queryKeys(owner, 'pk, sk, #name');
  return new Map(items.map(({ sk, name }) => [keyIdOf(keyHashOf(sk)), String(name)]));
}

/** What a search shows of a key. */
export interface KeySummary extends Pick<ApiKey, 'name' | 'createdAt'> {
  readonly status: ReturnType<typeof apiKeyStatus>;
}

/** Reads what a search shows of a key. Undefined: the account and mode has no such key. One call. @throws MalformedItemError */
export async function readKeySummary(
  owner: Owner,
  keyId: string,
  now: Instant,
): Promise<KeySummary | undefined> {
  const items = await queryKeys(owner, 'pk, sk, #name, createdAt, validUntil, revokedAt');
  const item = items.find(({ sk }) => keyIdOf(keyHashOf(sk)) === keyId);
  if (!item) return undefined;
  const { name, createdAt, validUntil, revokedAt } = parseSummary(item);
  return { name, createdAt, status: apiKeyStatus({ expiresAt: validUntil, revokedAt }, now) };
}

const parseSummary = defineItem<Pick<KeyItem, 'name' | 'createdAt' | 'validUntil' | 'revokedAt'>>(
  ({ sk }) => keyIdOf(keyHashOf(sk)),
  {
    name: text,
    createdAt: instant,
    validUntil: optional(instant),
    revokedAt: optional(instant),
  },
);

const queryKeys = (owner: Owner, attributes: string) =>
  queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
    ExpressionAttributeValues: { ':pk': tableKeys.accountKeys(owner).pk, ':keys': 'KEY#' },
    Select: 'SPECIFIC_ATTRIBUTES',
    ProjectionExpression: attributes,
    ExpressionAttributeNames: { '#name': 'name' },
  });
