/**
 * Defines how functions may access account states. Each access is limited to the attributes that it needs, because the
 * item also holds the API keys, their signature and the keys of ids. `shared/store/account-state.ts` names them.
 *
 * - `UpdateItem` on other attributes is refused, so no function can sign API keys or open a closed account.
 * - An access that returns only updated attributes cannot read others, such as hashes of API keys.
 */
import {
  accountStateAttributes,
  allocationAttributes,
  countingAttributes,
  keyAttributes,
  usageAttributes,
} from '../shared/store/account-state.ts';
import type { AttributeAccess } from './attribute-access.ts';

const allocation: AttributeAccess = {
  action: 'UpdateItem',
  attributes: allocationAttributes,
  returnsUpdated: true,
};

/** The attributes of an API key's item in the account's list. */
const keyItemAttributes = [
  'pk',
  'sk',
  'account',
  'mode',
  'keyId',
  'name',
  'note',
  'last4',
  'permissions',
  'allowedAddresses',
  'createdAt',
  'validUntil',
  'hash',
  'checkVersion',
  'replaces',
];

/** The attributes that change in an API key's item in the account's list. */
const changedKeyItemAttributes = [
  'name',
  'note',
  'allowedAddresses',
  'validUntil',
  'revokedAt',
  'replacedBy',
  'lastUsed',
];

const readingKeys: readonly AttributeAccess[] = [
  { action: 'GetItem', attributes: keyAttributes },
  { action: 'Query', attributes: ['*'] },
];
const puttingKeys: AttributeAccess = { action: 'PutItem', attributes: keyItemAttributes };
/** Authorizes a request, and changes API keys. */
const requestAndKeys: AttributeAccess = {
  action: 'UpdateItem',
  attributes: [...new Set([...countingAttributes.request, ...keyAttributes, ...changedKeyItemAttributes])],
};

export const accountStateAccesses = {
  /** Authorizes requests with an API key. */
  authorizeRequests: [{ action: 'UpdateItem', attributes: countingAttributes.request }],
  /** Authorizes requests with an API key, and creates payments of checkouts that turn out to be paid. */
  authorizeAndAllocate: [{ action: 'UpdateItem', attributes: countingAttributes.request }, allocation],
  /** Counts requests against the limit, without a look at the API keys. */
  countRequests: [{ action: 'UpdateItem', attributes: countingAttributes.hour, returnsUpdated: true }],
  /** Allocates sequence numbers without an API key. */
  allocateNumbers: [allocation],
  /** Reads what pages show: the rate limit, its use, and what lists need. */
  readUsage: [{ action: 'GetItem', attributes: usageAttributes }],
  /** Creates, lists, changes and revokes API keys. Their items in the account's list have the same partition key. */
  manageKeys: [
    ...readingKeys,
    { action: 'UpdateItem', attributes: [...keyAttributes, ...changedKeyItemAttributes] },
    puttingKeys,
  ],
  /** The same for requests with an API key: they list keys, */
  readKeys: [{ action: 'UpdateItem', attributes: countingAttributes.request }, ...readingKeys],
  /** change and revoke keys, */
  changeKeys: [requestAndKeys, ...readingKeys],
  /** or create keys. */
  createKeys: [requestAndKeys, ...readingKeys, puttingKeys],
  /** Reads the allocated numbers, and the entries of API keys to compare them. */
  compareKeys: [allocation, { action: 'GetItem', attributes: ['pk', 'sk', accountStateAttributes.keys] }],
} as const satisfies Record<string, readonly AttributeAccess[]>;

export type AccountStateAccess = keyof typeof accountStateAccesses;
