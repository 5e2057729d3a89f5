/**
 * Decides whether a request is allowed. Checks the API key, its address ranges, the rate limit, the permission and the
 * maintenance, in that order.
 *
 * - Each request asks the table, so revocation and expiry take effect with the next request. Only refusals are
 *   remembered, for five seconds at most.
 * - The key's own item decides what the key allows. It is read beside the call that counts the request. The entry in the
 *   account state only decides whether the request counts. A request that finds another entry than the item implies
 *   corrects it. So a change of a key is one transaction, and no crash after it leaves a key half changed.
 */
import { ApiError, type CodeWithMessage } from '../../base/errors.ts';
import type { Resource } from '../../base/ids.ts';
import type { StoredClock } from '../../base/test-clock.ts';
import type { Instant } from '../../base/time.ts';
import {
  accountStateAttributes,
  hourOf,
  IdKeys,
  type KeyRights,
  type Principal,
  requireAccountState,
  sellerIn,
} from '../../store/account-state.ts';
import { apiKeyEntries, changeApiKeyEntries, isClosed } from '../../store/account-state-keys.ts';
import type { Item } from '../../store/records.ts';
import { type AddressRanges, isAddressAllowed } from './address-ranges.ts';
import type { ParsedApiKey } from './api-key.ts';
import { type KeyFault, keyFaultOf, readKeyItem } from './key-item-store.ts';
import { areSameEntries, entryOf, rightsOfItem } from './key-rights.ts';
import { alternativesOf, isPermitted, type RequiredPermission } from './permissions.ts';
import { type Admission, admit, limitAccount, limitSourceAddress } from './rate-limit.ts';
import { exceedLimit, type LimitedRequest, rateLimitWindow } from './rate-limit-window.ts';
import { RefusalMemory } from './refusal-memory.ts';
import { rateLimitNetworkOf } from './source-address.ts';

/** Either a principal or a refusal, and in both cases the window that the request counted in. */
export interface AuthorizationResult extends LimitedRequest {
  readonly principal?: Principal;
  /** What the API key allows. Set once the key is known to be usable from the source address. */
  readonly rights?: KeyRights;
}

interface RequiredAccess {
  /** All of them are required. */
  readonly permissions: readonly RequiredPermission[];
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
    return isAddressAllowed(rights.ranges, sourceIp) ? { ...exceedLimit(limit, now), rights } : undefined;
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
  { permissions, creates, writes, requests }: RequiredAccess,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  const count = () => admit(apiKey, { creates, requests }, sourceIp, now);
  const [first, item] = await Promise.all([count(), readKeyItem(apiKey)]);
  const fault = keyFaultOf(item, now);
  if (!item || fault) return refuseKey(apiKey, first, fault ?? 'invalid_api_key', sourceIp, now);
  const rights = rightsOfItem(item);
  if (!isAddressAllowed(rights.ranges, sourceIp)) {
    // The entry let the request count, so it is wrong.
    if (first.allowed && first.accountState) await correctEntry(apiKey, first.accountState, rights);
    return refuseAddress(apiKey, rights.ranges, sourceIp, now);
  }
  if (first.accountState) requireAccountState(apiKey.owner, first.accountState);
  const { allowed, accountState } = await correctAndCount(apiKey, rights, first, count);
  if (!accountState || isClosed(accountState)) return refuseRequest('revoked_api_key', sourceIp, now);
  if (!allowed) return refuseBeyondLimit(apiKey, rights, accountState, now);
  const limit = accountState[accountStateAttributes.limit] as number;
  const used = accountState[accountStateAttributes.hour(hourOf(now))] as number;
  const window = rateLimitWindow(limit, used, now);
  const missing = permissions.find(
    (required) => !alternativesOf(required).some((each) => isPermitted(rights.permissionBits, each)),
  );
  if (missing) {
    const names = alternativesOf(missing)
      .map((each) => `\`${each}\``)
      .join(' or ');
    const message = `The API key does not have the ${names} permission. Use a key that has it.`;
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
  const principal = {
    owner,
    idKeys: new IdKeys(accountState),
    seq,
    rights,
    clock,
    seller: sellerIn(accountState),
  };
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
  const item = await readKeyItem(apiKey);
  const fault = keyFaultOf(item, now);
  if (!item || fault) return refuseRequest(fault ?? 'invalid_api_key', sourceIp, now);
  const rights = rightsOfItem(item);
  if (!isAddressAllowed(rights.ranges, sourceIp)) return refuseAddress(apiKey, rights.ranges, sourceIp, now);
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

/** Refuses a request whose key does not exist, has expired or is revoked. */
async function refuseKey(
  apiKey: ParsedApiKey,
  { allowed, accountState }: Admission,
  fault: KeyFault,
  sourceIp: string,
  now: Instant,
): Promise<AuthorizationResult> {
  if (fault === 'revoked_api_key') rememberedKeys.remember(apiKey.keyHash, { code: fault }, now);
  // The entry let the request count, so it is wrong.
  const correction = allowed && accountState ? correctEntry(apiKey, accountState, undefined) : undefined;
  const [result] = await Promise.all([refuseRequest(fault, sourceIp, now), correction]);
  return result;
}

/**
 * Corrects the entry of a key that was not allowed to count, and counts again. Changes nothing if the entry is correct: then
 * the rate limit is reached.
 */
async function correctAndCount(
  apiKey: ParsedApiKey,
  rights: KeyRights,
  first: Admission,
  count: () => Promise<Admission>,
): Promise<Admission> {
  let counted = first;
  for (let attempt = 0; attempt < maxCorrections; attempt++) {
    const { allowed, accountState } = counted;
    if (allowed || !accountState || isClosed(accountState)) return counted;
    if (!(await correctEntry(apiKey, accountState, rights))) return counted;
    counted = await count();
  }
  return counted;
}

/** Other calls can overwrite an entry with what they have read before. */
const maxCorrections = 3;

/**
 * Brings the entry of a key in line with what the key allows.
 * @param rights undefined: the key is not usable, so it has no entry
 * @returns whether the entry was wrong
 */
async function correctEntry(
  { owner, keyHash }: ParsedApiKey,
  accountState: Item,
  rights: KeyRights | undefined,
): Promise<boolean> {
  const entries = apiKeyEntries(accountState);
  const entry = entries[keyHash];
  const expected = rights && entryOf(rights);
  if (expected ? entry && areSameEntries(entry, expected) : !entry) return false;
  const change = expected ? { put: { [keyHash]: expected } } : { remove: [keyHash] };
  await changeApiKeyEntries(owner, entries, change);
  return true;
}

function refuseBeyondLimit(
  { keyHash }: ParsedApiKey,
  rights: KeyRights,
  accountState: Item,
  now: Instant,
): AuthorizationResult {
  const limit = accountState[accountStateAttributes.limit] as number;
  rememberedKeys.remember(keyHash, { code: 'rate_limit_exceeded', limit, rights }, now);
  return { ...exceedLimit(limit, now), rights };
}
