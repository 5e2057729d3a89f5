/** Describes the fields of API keys. */
import { createdAt, type FieldTexts, pagination } from './common-field-texts.ts';

const shownKey = {
  id: 'The ID of the key.',
  name: 'The name of the key.',
  note: 'The note for people. Null if the key has none.',
  last4: 'The last 4 characters of the value.',
  permissions:
    'The permissions of the key. Null: all permissions, also future ones, except `keys:read`, `keys:write` and `account:write`.',
  allowedAddresses: 'The address ranges from which the key may be used. Null: all addresses.',
  apiVersion: 'The version of the API that requests with the key have if they name none in `X-API-Version`.',
  status: 'The status of the key: `active`, `expired` or `revoked`.',
  createdAt,
  expiresAt: 'The time at which the key expires. Null if it never expires.',
  revokedAt: 'The time at which the key was revoked. Null if it is not revoked.',
  lastUsedAt: 'The time of the last request with the key. Null if it was never used.',
  replaces: 'The ID of the key that this key replaces. Null if it replaces none.',
  replacedBy: 'The ID of the key that replaces this key. Null if it is not replaced.',
};
const keyName = 'The name of the key, up to 100 characters.';
const keyNote = 'A note for people, up to 500 characters. It can have several lines.';
const ranges =
  'Up to 8 address ranges in CIDR notation, IPv4 or IPv6. A plain address is a range of one address. They must lie within those of the calling key.';

export const keyFieldTexts: Pick<
  FieldTexts,
  | 'ApiKey'
  | 'ApiKeyList'
  | 'ApiKeyWithValue'
  | 'ApiKeyRevocation'
  | 'CreateApiKey'
  | 'UpdateApiKey'
  | 'RollOverApiKey'
> = {
  ApiKey: shownKey,
  ApiKeyList: { data: 'The API keys, newest first.', pagination },
  ApiKeyWithValue: {
    ...shownKey,
    value: 'The value of the key. Only this response contains it, so store it now.',
  },
  ApiKeyRevocation: { id: 'The ID of the key.', revokedAt: 'The time at which the key was revoked.' },
  CreateApiKey: {
    name: keyName,
    note: keyNote,
    permissions:
      'The permissions of the key, each listed once. The default is those of the calling key, except `keys:read`, `keys:write` and `account:write`.',
    expiresAt:
      'When the key expires: an ISO 8601 date and time, or a date, which means the end of that day in UTC. The default is the expiry of the calling key.',
    allowedAddresses: `${ranges} The default is those of the calling key.`,
    apiVersion:
      'The version of the API that requests with the key have if they name none. The default is the version of the calling key.',
  },
  UpdateApiKey: {
    name: keyName,
    note: `${keyNote} Send null to remove it.`,
    allowedAddresses: `${ranges} Send null to allow all addresses.`,
    apiVersion:
      'The version of the API that requests with the key have if they name none. It applies from the next request on.',
  },
  RollOverApiKey: {
    overlapHours: 'How many hours the old key still works. 0 revokes it at once.',
    expiresAt:
      'When the new key expires. By default, it lives as long from now as the old key from its creation, but not longer than the calling key.',
  },
};
