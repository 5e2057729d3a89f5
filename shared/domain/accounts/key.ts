/** Defines the API key as clients see it: its fields, the bodies of its requests, and the answers. */
import * as v from 'valibot';
import { parseDueDate } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import { idPatternOf } from '../../base/ids.ts';
import { overlapHoursSchema } from '../../base/overlap-hours.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { refuseCardNumber } from '../../base/text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import { unlessRepeated } from '../../store/lists/filters/list-filters.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { parseAddressRanges } from '../auth/address-ranges.ts';
import { permissions } from '../auth/permissions.ts';
import { apiVersionMessage, apiVersions } from '../versions/versions.ts';
import { type ApiKey, apiKeyStatus, isName, isNote, type ListedKey, maxNote } from './account.ts';

export const keyStatuses = ['active', 'expired', 'revoked'] as const;

const nameMessage =
  'name must be text of 1 to 100 characters. It must not be only white space, or contain control characters.';
const noteMessage = `note must be text of 1 to ${maxNote} characters. It must not be only white space, or contain control characters other than line feeds.`;
const permissionsMessage = `permissions must be an array of at least one permission without duplicates. The permissions are ${permissions.join(', ')}.`;
const expiresAtMessage =
  'expiresAt must be an ISO 8601 date and time such as 2099-01-31T12:00:00Z, or a date such as 2099-01-31.';
const addressesMessage =
  'allowedAddresses must be an array of address ranges, such as ["203.0.113.0/24"]. To allow all addresses, leave it out.';
const statusMessage = `status must be one of ${keyStatuses.join(', ')}.`;

const nameSchema = v.pipe(v.string(nameMessage), v.check(isName, nameMessage), refuseCardNumber('name'));
const noteSchema = v.pipe(v.string(noteMessage), v.check(isNote, noteMessage), refuseCardNumber('note'));

/** The output is an instant. */
const expiresAtSchema = v.pipe(
  v.string(expiresAtMessage),
  v.transform((text) => parseDueDate(text)?.instant),
  v.number(expiresAtMessage),
);

/** The output are the ranges in canonical form. */
const allowedAddressesSchema = v.pipe(
  v.array(v.string(addressesMessage), addressesMessage),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsed = parseAddressRanges(dataset.value);
    if (parsed.ok) return [...parsed.ranges];
    addIssue({ message: `allowedAddresses is not valid. ${parsed.message}` });
    return NEVER;
  }),
);

export const createKeyBody = v.strictObject({
  name: nameSchema,
  note: v.nullish(noteSchema),
  permissions: v.nullish(
    v.pipe(
      v.array(v.picklist(permissions, permissionsMessage), permissionsMessage),
      v.minLength(1, permissionsMessage),
      v.check((list) => new Set(list).size === list.length, permissionsMessage),
    ),
  ),
  expiresAt: v.nullish(expiresAtSchema),
  allowedAddresses: v.nullish(allowedAddressesSchema),
  apiVersion: v.optional(v.picklist(apiVersions, apiVersionMessage)),
});

/** The body of an update. Absent fields do not change. Null removes the note, and allows all addresses. */
export const updateKeyBody = v.strictObject({
  name: v.optional(nameSchema),
  note: v.nullish(noteSchema),
  allowedAddresses: v.nullish(allowedAddressesSchema),
  apiVersion: v.optional(v.picklist(apiVersions, apiVersionMessage)),
});

export const rollOverKeyBody = v.strictObject({
  overlapHours: overlapHoursSchema,
  expiresAt: v.nullish(expiresAtSchema),
});

export const listKeysQuery = v.strictObject({
  ...paginationQuery,
  status: v.optional(v.picklist(keyStatuses, unlessRepeated('status', statusMessage))),
});

export type CreateKeyBody = v.InferOutput<typeof createKeyBody>;
export type UpdateKeyBody = v.InferOutput<typeof updateKeyBody>;
export type RollOverKeyBody = v.InferOutput<typeof rollOverKeyBody>;
export type ListKeysQuery = v.InferOutput<typeof listKeysQuery>;

const keyIdSchema = v.pipe(v.string(), v.regex(idPatternOf('key')));

const shownFields = {
  id: keyIdSchema,
  name: v.string(),
  note: v.nullable(v.string()),
  last4: v.string(),
  permissions: v.nullable(v.array(v.picklist(permissions))),
  allowedAddresses: v.nullable(v.array(v.string())),
  apiVersion: v.picklist(apiVersions),
  status: v.picklist(keyStatuses),
  createdAt: timestampSchema,
  expiresAt: v.nullable(timestampSchema),
  revokedAt: v.nullable(timestampSchema),
  lastUsedAt: v.nullable(timestampSchema),
  replaces: v.nullable(keyIdSchema),
  replacedBy: v.nullable(keyIdSchema),
};

/** The key in responses. All fields are always present. */
export const keySchema = v.strictObject(shownFields);

/** The key with its value, which only the responses to creation and roll over show. */
export const keyWithValueSchema = v.strictObject({
  ...shownFields,
  value: v.pipe(v.string(), v.regex(/^sk_(test|live)_[0-9a-z]+$/)),
});

export const keyRevocationSchema = v.strictObject({ id: keyIdSchema, revokedAt: timestampSchema });

export type ShownKey = v.InferOutput<typeof keySchema>;
export type ShownKeyWithValue = v.InferOutput<typeof keyWithValueSchema>;
export type KeyRevocation = v.InferOutput<typeof keyRevocationSchema>;

/** Returns the key as the API shows it. */
export function showKey(key: ApiKey, now: Instant): ShownKey {
  const timestamp = (instant: Instant | undefined) => (instant === undefined ? null : toTimestamp(instant));
  return {
    id: key.keyId,
    name: key.name,
    note: key.note ?? null,
    last4: key.last4,
    permissions: key.permissions ? [...key.permissions] : null,
    allowedAddresses: key.allowedAddresses ? [...key.allowedAddresses] : null,
    apiVersion: key.apiVersion,
    status: apiKeyStatus(key, now),
    createdAt: toTimestamp(key.createdAt),
    expiresAt: timestamp(key.expiresAt),
    revokedAt: timestamp(key.revokedAt),
    lastUsedAt: timestamp(key.lastUsedAt),
    replaces: key.replaces ?? null,
    replacedBy: key.replacedBy ?? null,
  };
}

/** Returns the key with this id. @throws ApiError `key_not_found`; MalformedItemError if it cannot be read */
export function requireKey(keys: readonly ListedKey[], id: string): ApiKey {
  const found = keys.find((key) => (key instanceof MalformedItemError ? key.item : key.keyId) === id);
  if (found instanceof MalformedItemError) throw found;
  return requireFoundKey(found);
}

/** Returns `key`, if it exists. @throws ApiError `key_not_found` */
export function requireFoundKey<T>(key: T | undefined): T {
  if (key === undefined) throw new ApiError('key_not_found');
  return key;
}
