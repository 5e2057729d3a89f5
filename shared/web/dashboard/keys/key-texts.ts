/** The texts of the pages of API keys. */

import { maxOverlapHours } from '../../../base/overlap-hours.ts';
import { maxNote } from '../../../domain/accounts/account.ts';
import { maxAddressRanges } from '../../../domain/auth/address-ranges.ts';
import type { Permission } from '../../../domain/auth/permissions.ts';

export const keyTexts = {
  title: 'API keys',
  table: 'API keys',
  create: 'Create API key',
  empty: 'This mode has no API key yet. A program needs one to use the API.',
  about: {
    test: 'Keys of test mode work with test cards only. No money moves.',
    live: 'Keys of live mode move real money. Keep each on the server that uses it.',
  },
  columns: {
    name: 'Name',
    value: 'Value',
    status: 'Status',
    permissions: 'Permissions',
    addresses: 'Allowed addresses',
    note: 'Note',
    created: 'Created',
    lastUsed: 'Last used',
    expires: 'Expires',
    actions: 'Actions',
  },
  all: 'All',
  never: 'Never',
  edit: 'Edit',
  editLabel: (name: string) => `Edit the key ${name}`,
  editTitle: 'Edit API key',
  save: 'Save',
  none: 'None',
  changed:
    'Another user changed this key after you opened this form. Nothing was saved. Check the values, then save again.',
  rollOver: 'Roll over',
  rollOverLabel: (name: string) => `Roll over the key ${name}`,
  rollOverTitle: 'Roll over API key',
  rollOverHint:
    'A new key with the same name, note, permissions and addresses replaces this one. You see its value once. This key still works for the overlap, so you can give the new value to its program without a gap. A key can be replaced only once.',
  rolledOverTitle: 'API key replaced',
  replaces: 'Replaces',
  replacedBy: 'Replaced by',
  replacedTable: (last4: string) => `Replaced by …${last4}`,
  unusable: 'This key can no longer be replaced, because it is revoked, expired or replaced.',
  overlapLimit: '10 replaced keys of this mode still work. Revoke one of them, or choose no overlap.',
  revoke: 'Revoke',
  revokeLabel: (name: string) => `Revoke the key ${name}`,
  statuses: { active: 'Active', expired: 'Expired', revoked: 'Revoked' },
  createdTitle: 'API key created',
  valueLabel: 'value of the API key',
  valueHint:
    'This is the only time that you see the value. Store it in a safe place, for example in the secret store of your server.',
  tryIt: 'Try it:',
  sample: 'A first request',
  revokeTitle: 'Revoke API key',
  revokeHint: 'The next request with this key is refused. A revoked key cannot be used again.',
  keep: 'Keep the key',
  back: 'All API keys',
  limit: 'This mode has 10 usable keys, which is the limit. Revoke one first.',
} as const;

export const keyFields = {
  name: {
    label: 'Name',
    hint: 'Where the key is used, for example “Shop server”.',
    message: 'Name must have 1 to 100 characters, and no control characters.',
  },
  access: {
    label: 'Permissions',
    all: 'All permissions, also future ones, but not those for API keys',
    chosen: 'Only these:',
  },
  permissions: { message: 'Choose at least one permission, or all of them.' },
  note: {
    label: 'Note',
    hint: 'Optional. For the people who manage the keys.',
    message: `Note must have at most ${maxNote} characters, and no control characters.`,
  },
  allowedAddresses: {
    label: 'Allowed addresses',
    hint: (present: string) =>
      `Optional. One address or range a line, at most ${maxAddressRanges}, for example 203.0.113.0/24. Without any, the key works from all addresses. Your address now: ${present}. The server that uses the key may have another one.`,
  },
  overlapHours: {
    label: 'Overlap in hours',
    hint: `For how long this key still works: 0 to ${maxOverlapHours}. With 0, it is revoked at once.`,
    message: `Overlap in hours must be a whole number from 0 to ${maxOverlapHours}.`,
  },
  rollOverExpiresOn:
    'The new key works until the end of this day, in the time zone of the account. Without a date, it gets the same lifetime as this key.',
  expiresOn: {
    label: 'Expires on',
    hint: 'The key works until the end of this day, in the time zone of the account. Without a date, it never expires.',
    message: 'Expires on must be a date that is not in the past, such as 2027-01-31.',
  },
} as const;

export const permissionTexts: Readonly<Record<Permission, string>> = {
  'invoices:read': 'Read invoices',
  'invoices:write': 'Create, change and cancel invoices',
  'payments:read': 'Read payments',
  'payments:write': 'Create payments',
  'refunds:read': 'Read refunds',
  'refunds:write': 'Create refunds, return money and void payments',
  'webhooks:read': 'Read webhook endpoints',
  'webhooks:write': 'Create and change webhook endpoints',
  'events:read': 'Read events',
  'audit:read': 'Read the audit log',
  'keys:read': 'List API keys',
  'keys:write': 'Create, change and revoke API keys',
  'customers:read': 'Read customers',
  'customers:write': 'Create, change and delete customers',
  'clock:read': 'Read the clock of test mode',
  'clock:write': 'Move the clock of test mode',
  'account:read': 'Read the account and who issues its invoices',
  'account:write': 'Change who issues invoices, in both modes',
  'products:read': 'Read products',
  'products:write': 'Create, change and delete products',
  'statements:read': 'Read bank statements',
  'statements:write': 'Import bank statements, and let their rows pay invoices',
  'exports:read': 'Read exports, of what the key may read',
  'exports:write': 'Create exports, of what the key may read',
};
