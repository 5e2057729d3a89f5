/**
 * Decides whether a request is allowed. Checks the API key, its address ranges, the rate limit, the permission and the
 * maintenance, in that order.
 *
 * Each request asks the table, so revocation and expiry take effect with the next request. Only refusals are
 * remembered, for five seconds at most.
 */
import { ApiError, type CodeWithMessage } from '../errors.ts';
import type { Resource } from '../ids.ts';
import {
  type ApiKeyEntry,
  accountStateAttributes,
  hourOf,
  IdKeys,
  type Principal,
} from '../store/account-state.ts';
import type { Item } from '../store/records.ts';
import type { StoredClock } from '../test-clock.ts';
import { type Instant, toSeconds } from '../time.ts';
import { type AddressRanges, isAddressAllowed } from './address-ranges.ts';
import type { ParsedApiKey } from './api-key.ts';
import { type KeyRights, preparePublicKeys, rightsOf, rightsOfItem } from './key-rights.ts';
import { isPermitted, type Permission } from './permissions.ts';
import { countRequest, limitAccount, limitSourceAddress } from './rate-limit.ts';
import { exceedLimit, type LimitedRequest, rateLimitWindow } from './rate-limit-window.ts';
import { RefusalMemory } from './refusal-memory.ts';
import { rateLimitNetworkOf } from './source-address.ts';
import { keyFaultOf, readKeyFault, readKeyItem } from './store.ts';

/** Either a principal or a refusal, and in both cases the window that the request counted in. */
export interface AuthorizationResult extends LimitedRequest {
  readonly principal?: Principal;
  /** What the API key allows. Set once the key is known to be usable from the source address. */
  readonly rights?: KeyRights;
}

interface RequiredAccess {
  readonly permission: Permission | undefined;
  /** The resource that the request creates, if any. Its next sequence number is allocated. */
  readonly creates: Resource | undefined;
  /** The request can change something, so it is refused during maintenance. */
  readonly writes: boolean;
  /** As how many requests it counts against the rate limit. */
  readonly requests: number;
}

const rememberedKeys = new RefusalMemory<
  | { code: 'revoked_api_key' }
  | { code: 'address_not_allowed'; ranges: AddressRanges | undefined }
  | { code: 'rate_limit_exceeded'; limit: number; rights: KeyRights }
>();

/**
 * The refusal that this instance remembers for an API key and a source address, if any. Only addresses that may use the
 * key learn its rate limit. The others of a network are refused together, because one person can have all its addresses.
 */
export async function recallRefusal(
  { keyHash }: ParsedApiKey,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult | undefined> {
  const remembered =
    rememberedKeys.recall(keyHash, now) ?? rememberedKeys.recall(keyAndNetwork(keyHash, sourceIp), now);
  if (!remembered) return undefined;
  if (remembered.code === 'revoked_api_key') return refuseRequest(remembered.code, sourceIp, now);
  if (remembered.code === 'rate_limit_exceeded') {
    const { limit, rights } = remembered;
    return isAddressAllowed(rights.a, sourceIp) ? { ...exceedLimit(limit, now), rights } : undefined;
  }
  const isAllowed = isAddressAllowed(remembered.ranges, sourceIp);
  return isAllowed ? undefined : refuseRequest(remembered.code, sourceIp, now);
}

/**
 * Authorizes a request that presents an API key of this deployment.
 * @param sourceIp the address that the gateway saw; a request counts against it if it has no usable key, or one that may
 *   not be used from this address
 */
export async function authorizeRequest(
  apiKey: ParsedApiKey,
  { permission, creates, writes, requests }: RequiredAccess,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  preparePublicKeys(now);
  const { allowed, accountState } = await countRequest(apiKey, { creates, requests }, sourceIp, now);
  if (!allowed || !accountState) return explainRefusal(apiKey, accountState, sourceIp, now);
  const rights = await rightsOf(apiKey, accountState, now);
  if ('fault' in rights) return refuseRequest(rights.fault, sourceIp, now);
  if (!isAddressAllowed(rights.a, sourceIp)) return refuseAddress(apiKey, rights.a, sourceIp, now);
  const limit = accountState[accountStateAttributes.limit] as number;
  const used = accountState[accountStateAttributes.hour(hourOf(now))] as number;
  const window = rateLimitWindow(limit, used, now);
  if (permission && !isPermitted(rights.p, permission)) {
    const message = `The API key does not have the \`${permission}\` permission. Use a key that has it.`;
    return { window, rights, refusal: new ApiError('insufficient_permissions', { message }) };
  }
  if (writes && accountState[accountStateAttributes.maintenance] !== undefined)
    return { window, rights, refusal: new ApiError('maintenance') };
  const seq = creates ? (accountState[accountStateAttributes.seq[creates]] as number) : 0;
  const { owner } = apiKey;
  // Live mode has the real time, even if the attribute exists by mistake.
  const clock =
    owner.mode === 'test'
      ? (accountState[accountStateAttributes.clock] as StoredClock | undefined)
      : undefined;
  const principal = { owner, idKeys: new IdKeys(accountState), seq, rights, clock };
  return { window, rights, principal };
}

/**
 * Authorizes a request to a path that has no route. It needs no permission. So the function that answers it has no access
 * to the entries of API keys, and asks the key's own item.
 */
export async function authorizeUnknownPath(
  apiKey: ParsedApiKey,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  const item = await readKeyItem(apiKey.keyHash);
  const fault = keyFaultOf(item, now);
  if (!item || fault) return refuseRequest(fault ?? 'invalid_api_key', sourceIp, now);
  const rights = rightsOfItem(item);
  if (!isAddressAllowed(rights.a, sourceIp)) return refuseAddress(apiKey, rights.a, sourceIp, now);
  const limited = await limitAccount(apiKey.owner, now);
  return limited ? { ...limited, rights } : refuseRequest('invalid_api_key', sourceIp, now);
}

/**
 * Refuses a request without a usable API key, or with one that may not be used from its address. It counts against its
 * source address, and gets 429 beyond that limit.
 */
export async function refuseRequest(
  fault: CodeWithMessage | ApiError,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  const { window, refusal } = await limitSourceAddress(sourceIp, now);
  return { window, refusal: refusal ?? (fault instanceof ApiError ? fault : new ApiError(fault)) };
}

/**
 * Refuses a request with a usable API key from an address that may not use it. The refusal is remembered only beyond the
 * limit of its network. Then somebody who stole the key cannot keep the account state busy.
 */
async function refuseAddress(
  { keyHash }: ParsedApiKey,
  ranges: AddressRanges | undefined,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  const code = 'address_not_allowed';
  const result = await refuseRequest(code, sourceIp, now);
  if (result.refusal?.code !== code)
    rememberedKeys.remember(keyAndNetwork(keyHash, sourceIp), { code, ranges }, now);
  return result;
}

const keyAndNetwork = (keyHash: string, sourceIp: string) => `${keyHash} ${rateLimitNetworkOf(sourceIp)}`;

/**
 * Finds out why the update refused the request: the rate limit, the address, an expired or revoked key, or one that never
 * existed.
 */
async function explainRefusal(
  apiKey: ParsedApiKey,
  accountState: Item | undefined,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  const { keyHash } = apiKey;
  const entry = accountState && keyEntryOf(accountState, apiKey);
  if (accountState && entry && (entry.e === undefined || entry.e > toSeconds(now))) {
    if (!isAddressAllowed(entry.a, sourceIp)) return refuseAddress(apiKey, entry.a, sourceIp, now);
    const limit = accountState[accountStateAttributes.limit] as number;
    rememberedKeys.remember(keyHash, { code: 'rate_limit_exceeded', limit, rights: entry }, now);
    return { ...exceedLimit(limit, now), rights: entry };
  }
  const [{ window, refusal }, code] = await Promise.all([
    limitSourceAddress(sourceIp, now),
    entry ? ('expired_api_key' as const) : readKeyFault(keyHash, now),
  ]);
  if (code === 'revoked_api_key') rememberedKeys.remember(keyHash, { code }, now);
  return { window, refusal: refusal ?? new ApiError(code) };
}

function keyEntryOf(accountState: Item, { keyHash }: ParsedApiKey): ApiKeyEntry | undefined {
  return (accountState[accountStateAttributes.keys] as Record<string, ApiKeyEntry>)[keyHash];
}
