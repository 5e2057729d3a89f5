/**
 * Decides and counts the rate limit: how many requests an account and mode may make in a clock hour (UTC), how many a
 * source address may make without a valid API key, and how many of the payment page.
 *
 * - One conditional `UpdateItem` on the account state checks the key's entry and the rate limit, counts the request and
 *   notes the key's last use. For a request that creates a record, it also allocates the sequence number. So parallel
 *   requests cannot exceed the limit, and refused requests cost the account none of it. The first request in an instance
 *   after a key got address ranges makes a second call.
 * - Requests without a valid key and requests of the payment page are counted by source address, apart from every
 *   account: in the memory of the instance first, and in the table in batches.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner, Resource } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { accountStateAttributes, hourOf, staleHours } from '../../store/account-state.ts';
import { apiKeyEntries } from '../../store/account-state-keys.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { membersContaining } from './address-ranges.ts';
import type { ParsedApiKey } from './api-key.ts';
import { countInHour } from './hour-count-store.ts';
import { exceedLimit, type LimitedRequest, rateLimitWindow, sourceLimit } from './rate-limit-window.ts';
import { rateLimitNetworkOf } from './source-address.ts';
import { SourceCounts } from './source-counts.ts';

const sourceCounts = new SourceCounts();

/** Views of the payment page from one address in a clock hour. Enough for a mobile carrier with one public address. */
const pageLimit = 3_000;
const pageCounts = new SourceCounts(100);

export interface Admission {
  /** The key is usable from the source address, and the rate limit is not exceeded. */
  readonly allowed: boolean;
  /** If allowed, the account state after this request. Otherwise the unchanged account state, if the account exists. */
  readonly accountState: Item | undefined;
}

/**
 * Admits a request that presents an API key, if the key is usable from the source address and the rate limit allows the
 * request, and counts it.
 * @param creates the resource that the request creates, if any. Its next sequence number is allocated.
 * @param requests as how many requests it counts. It is allowed if one request is left.
 * @param sourceIp the address that the gateway saw
 */
export async function admit(
  apiKey: ParsedApiKey,
  count: { readonly creates: Resource | undefined; readonly requests: number },
  sourceIp: string,
  now: Instant,
): Promise<Admission> {
  const { owner, keyHash } = apiKey;
  const { creates, requests } = count;
  const hour = hourOf(now);
  const isOpen = openKeys.has(keyHash);
  const { isMember, members } = isOpen ? noAddressCheck : addressCheckOf(sourceIp);
  try {
    const { Attributes: accountState = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        UpdateExpression: `SET #keys.#key.u = :now, #hour = if_not_exists(#hour, :zero) + :requests${
          creates ? ', #seq = if_not_exists(#seq, :zero) + :one' : ''
        }`,
        ConditionExpression:
          'attribute_exists(#keys.#key) AND (attribute_not_exists(#keys.#key.e) OR #keys.#key.e > :now) ' +
          `AND (attribute_not_exists(#keys.#key.a)${isMember}) ` +
          'AND (attribute_not_exists(#hour) OR #hour < #limit)',
        ExpressionAttributeNames: {
          '#keys': accountStateAttributes.keys,
          '#key': keyHash,
          '#hour': accountStateAttributes.hour(hour),
          '#limit': accountStateAttributes.limit,
          ...(creates && { '#seq': accountStateAttributes.seq[creates] }),
        },
        ExpressionAttributeValues: {
          ':now': toSeconds(now),
          ':zero': 0,
          ':requests': requests,
          ...(creates && { ':one': 1 }),
          ...members,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    if (!isOpen && !hasRanges(accountState, keyHash)) rememberOpenKey(keyHash);
    await removeStaleHours(owner, accountState, hour);
    return { allowed: true, accountState };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const accountState = error.Item && unmarshall(error.Item);
    if (isOpen && accountState && hasRanges(accountState, keyHash)) {
      openKeys.delete(keyHash);
      return admit(apiKey, count, sourceIp, now);
    }
    return { allowed: false, accountState };
  }
}

/** What a request sends so that the table checks the address ranges of its key, if it has any. */
interface AddressCheck {
  /** The part of the condition that a key without ranges does not need. */
  readonly isMember: string;
  /** The values of the condition: the members that contain the address. */
  readonly members: Readonly<Record<string, Uint8Array>>;
}

const noAddressCheck: AddressCheck = { isMember: '', members: {} };

/**
 * The keys that had no address ranges when they were last used. Their requests ask the table only whether this is still so,
 * which makes them half as large.
 */
const openKeys = new Set<string>();
const maxOpenKeys = 1_000;

function rememberOpenKey(keyHash: string): void {
  if (openKeys.size >= maxOpenKeys) openKeys.clear();
  openKeys.add(keyHash);
}

function hasRanges(accountState: Item, keyHash: string): boolean {
  return apiKeyEntries(accountState)?.[keyHash]?.a !== undefined;
}

/** The checks of the last source addresses. Most requests come from few addresses. */
const addressChecks = new Map<string, AddressCheck>();
const maxAddressChecks = 1_000;

function addressCheckOf(sourceIp: string): AddressCheck {
  const known = addressChecks.get(sourceIp);
  if (known) return known;
  const members = membersContaining(sourceIp).map((member, index) => [`:a${index}`, member] as const);
  const isMember = members.map(([name]) => ` OR contains(#keys.#key.a, ${name})`).join('');
  const check = { isMember, members: Object.fromEntries(members) };
  if (addressChecks.size >= maxAddressChecks) addressChecks.clear();
  addressChecks.set(sourceIp, check);
  return check;
}

/**
 * Counts a request against the limit of an account and mode, without a look at its API keys.
 * @returns the window, and the refusal `rate_limit_exceeded` beyond the limit. Undefined if the account does not exist.
 */
export async function limitAccount(owner: Owner, now: Instant): Promise<LimitedRequest | undefined> {
  const { limit, hour } = accountStateAttributes;
  const hourName = hour(hourOf(now));
  try {
    const { Attributes: counted = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        // The answer contains the attributes that are set. So the limit is set to its own value, and read that way.
        UpdateExpression: 'SET #hour = if_not_exists(#hour, :zero) + :one, #limit = #limit',
        ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#hour) OR #hour < #limit)',
        ExpressionAttributeNames: { '#hour': hourName, '#limit': limit },
        ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { window: rateLimitWindow(counted[limit] as number, counted[hourName] as number, now) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item && exceedLimit(unmarshall(error.Item)[limit] as number, now);
  }
}

/**
 * Counts a request without a valid API key against its source address.
 * @param sourceIp the address that the gateway saw
 * @returns the window of that address, and the refusal `rate_limit_exceeded` beyond 1,000 requests in the hour. Requests
 *   that other instances have not written yet are missing in both.
 */
export async function limitSourceAddress(sourceIp: string, now: Instant): Promise<LimitedRequest> {
  const network = rateLimitNetworkOf(sourceIp);
  const { known, toWrite } = sourceCounts.add(network, now);
  if (known > sourceLimit) return exceedLimit(sourceLimit, now);
  const written = toWrite > 0 ? await writeSourceCount(network, toWrite, now) : 0;
  const count = Math.max(known, written);
  if (count > sourceLimit) return exceedLimit(sourceLimit, now);
  return { window: rateLimitWindow(sourceLimit, count, now) };
}

/** Adds requests from a network to its count in the table. Returns the count of this clock hour. */
async function writeSourceCount(network: string, requests: number, now: Instant): Promise<number> {
  const key = tableKeys.source(await tableHash('source', network), hourOf(now));
  const written = await countInHour(key, sourceLimit, now, { by: requests });
  sourceCounts.learn(network, written, now);
  return written;
}

/**
 * Counts a request of the payment page against its source address. Counts in the memory of this instance first, and in
 * the table in batches.
 * @param weight as how many page views the request counts
 * @returns whether the address is within 3,000 page views in this clock hour. Requests that other instances have not
 *   written yet are missing.
 */
export async function isWithinPageLimit(sourceIp: string, weight: number, now: Instant): Promise<boolean> {
  const network = rateLimitNetworkOf(sourceIp);
  const { known, toWrite } = pageCounts.add(network, now, weight);
  if (known > pageLimit || toWrite === 0) return known <= pageLimit;
  const key = tableKeys.source(await tableHash('page', network), hourOf(now));
  const written = await countInHour(key, pageLimit, now, { by: toWrite });
  pageCounts.learn(network, written, now);
  return written <= pageLimit;
}

/** Removes the counts of past hours, so the account state stays small. */
async function removeStaleHours(owner: Owner, accountState: Item, hour: number): Promise<void> {
  const stale = staleHours(accountState, hour);
  if (stale.length === 0) return;
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: `REMOVE ${stale.map((_, index) => `#h${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(stale.map((name, index) => [`#h${index}`, name])),
    }),
  );
}
