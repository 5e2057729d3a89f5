/**
 * Says which rights an API key may give to a key that it creates, changes or rolls over. A key never gives more than it has
 * itself: no other permission, no longer life, and no other address.
 */

import { ApiError } from '../../base/errors.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import type { KeyRights, Principal } from '../../store/account-state.ts';
import { type AddressRanges, areWithin, rangeTextsOf, toAddressRanges } from '../auth/address-ranges.ts';
import { mustBeNamed, type Permission, permissionsIn } from '../auth/permissions.ts';
import type { ApiKey } from './account.ts';
import type { ShownKeyWithValue } from './key.ts';

/**
 * Returns the permissions of a new key.
 * @param asked undefined: those of the caller, except those that a list must name
 * @throws ApiError `invalid_permissions` if the caller does not have one of them
 */
export function passedPermissions(
  { permissionBits }: KeyRights,
  asked: readonly Permission[] | undefined,
): readonly Permission[] {
  const own = permissionsIn(permissionBits);
  if (asked === undefined) {
    const passed = own.filter((permission) => !mustBeNamed(permission));
    if (passed.length > 0) return passed;
    throw invalidPermissions('permissions must be sent, because the calling API key can only manage keys.');
  }
  const missing = asked.find((permission) => !own.includes(permission));
  if (missing === undefined) return asked;
  throw invalidPermissions(
    `permissions must be among those of the calling API key, which does not have ${missing}.`,
  );
}

/**
 * Returns the expiry of a new key.
 * @param asked undefined: `preferred`, or the expiry of the caller if that is earlier
 * @throws ApiError `invalid_expires_at` if it is not in the future, or later than the expiry of the caller
 */
export function passedExpiry(
  { validUntil }: KeyRights,
  asked: Instant | undefined,
  preferred: Instant | undefined,
  now: Instant,
): Instant | undefined {
  if (asked === undefined) {
    if (validUntil === undefined) return preferred;
    return Math.min(preferred ?? validUntil, validUntil);
  }
  if (asked <= now) throw invalidExpiry('expiresAt must be in the future.');
  if (validUntil === undefined || asked <= validUntil) return asked;
  const latest = toTimestamp(validUntil);
  throw invalidExpiry(`expiresAt must not be later than the expiry of the calling API key, ${latest}.`);
}

/**
 * Returns the address ranges of a new key.
 * @param asked undefined: those of the caller. Null: all addresses.
 * @throws ApiError `invalid_allowed_addresses` if they contain an address from which the caller may not be used
 */
export function passedAddresses(
  { ranges: own }: KeyRights,
  asked: readonly string[] | null | undefined,
): readonly string[] | undefined {
  if (asked === undefined) return own && rangeTextsOf(own);
  const ranges = asked ?? undefined;
  if (isWithin(ranges, own)) return ranges;
  const texts = own ? rangeTextsOf(own).join(', ') : '';
  const message = `allowedAddresses must lie within the ranges of the calling API key: ${texts}.`;
  throw new ApiError('invalid_allowed_addresses', { field: 'allowedAddresses', message });
}

/**
 * Checks that a key allows nothing that the caller does not allow. Otherwise the caller could obtain it through that key. A
 * key without a list of permissions has more than any caller, because it also has future permissions.
 * @throws ApiError `insufficient_permissions`
 */
export function requireNoMoreRights(
  { permissionBits, ranges }: KeyRights,
  { permissions, allowedAddresses }: Pick<ApiKey, 'permissions' | 'allowedAddresses'>,
): void {
  const own = permissionsIn(permissionBits);
  const hasPermissions = permissions?.every((permission) => own.includes(permission));
  if (hasPermissions && isWithin(allowedAddresses, ranges)) return;
  const message =
    'The other API key has permissions or addresses that the calling API key does not have. Use a key that has them.';
  throw new ApiError('insufficient_permissions', { message });
}

/**
 * Checks that the caller may get the value of a key again that it has created. The caller can have fewer rights now.
 * @throws ApiError `insufficient_permissions`
 */
export function permitReplayOfKey(
  { permissions, allowedAddresses }: ShownKeyWithValue,
  { rights = {} }: Principal,
): void {
  requireNoMoreRights(rights, {
    permissions: permissions ?? undefined,
    allowedAddresses: allowedAddresses ?? undefined,
  });
}

/** Whether a key with these ranges may be used only from addresses that `own` allows. Undefined: all addresses. */
const isWithin = (ranges: readonly string[] | undefined, own: AddressRanges | undefined): boolean =>
  own === undefined || (ranges !== undefined && areWithin(toAddressRanges(ranges), own));

const invalidPermissions = (message: string) =>
  new ApiError('invalid_permissions', { field: 'permissions', message });
const invalidExpiry = (message: string) =>
  new ApiError('invalid_expires_at', { field: 'expiresAt', message });
