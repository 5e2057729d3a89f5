/**
 * Defines how functions may access account states. Each access is limited to the attributes that it needs, because the
 * item also holds the entries of API keys and the keys of ids. `shared/store/account-state.ts` names them.
 *
 * - `UpdateItem` on other attributes is refused, so no function can open a closed account.
 * - An access that returns only updated attributes cannot read others, such as hashes of API keys.
 */
import {
  accountStateAttributes,
  allocationAttributes,
  clockAttributes,
  countingAttributes,
  keyAttributes,
  shownClockAttributes,
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
  'name',
  'note',
  'last4',
  'permissions',
  'allowedAddresses',
  'apiVersion',
  'createdAt',
  'validUntil',
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

/** All attributes of an API key's item in the account's list, besides its key. */
export const keyItemAttributeNames: readonly string[] = [
  ...new Set([...keyItemAttributes, ...changedKeyItemAttributes]),
].filter((name) => !['pk', 'sk'].includes(name));

/** The attributes of the item that guards the list of API keys. */
const keyListAttributes = ['version', 'closedAt'];

const readingKeys: readonly AttributeAccess[] = [
  { action: 'GetItem', attributes: keyAttributes },
  { action: 'Query', attributes: ['*'] },
];
/** Reads the clock of test mode, with the sequence numbers. */
const readingClock: AttributeAccess = { action: 'GetItem', attributes: clockAttributes };
/** Reads the clock of test mode, for the frame of the dashboard's pages. */
const showingClock: AttributeAccess = { action: 'GetItem', attributes: shownClockAttributes };
const puttingKeys: AttributeAccess = { action: 'PutItem', attributes: keyItemAttributes };
/** Authorizes a request, and changes API keys. */
const requestAndKeys: AttributeAccess = {
  action: 'UpdateItem',
  attributes: [
    ...new Set([
      ...countingAttributes.request,
      ...keyAttributes,
      ...changedKeyItemAttributes,
      ...keyListAttributes,
    ]),
  ],
};

export const accountStateAccesses = {
  /** Authorizes requests with an API key. */
  authorizeRequests: [{ action: 'UpdateItem', attributes: countingAttributes.request }],
  /** Authorizes requests with an API key, and creates payments of checkouts that turn out to be paid. */
  authorizeAndAllocate: [{ action: 'UpdateItem', attributes: countingAttributes.request }, allocation],
  /** Counts requests against the limit, without a look at the API keys. */
  countRequests: [{ action: 'UpdateItem', attributes: countingAttributes.hour, returnsUpdated: true }],
  /** Authorizes requests with an API key, and reads, moves and resets the clock of test mode. */
  moveClock: [
    {
      action: 'UpdateItem',
      attributes: [...new Set([...countingAttributes.request, ...clockAttributes])],
    },
    readingClock,
  ],
  /** Reads the clock of test mode. */
  readClock: [readingClock],
  /** The same, and allocates sequence numbers. */
  readClockAndAllocate: [readingClock, allocation],
  /** Reads the clock of test mode alone. */
  showClock: [showingClock],
  /** The same, and allocates sequence numbers. */
  showClockAndAllocate: [showingClock, allocation],
  /** Reads, moves and resets the clock of test mode without an API key. Reads also the keys of ids, for lists. */
  moveClockWithoutKey: [
    { action: 'GetItem', attributes: [...clockAttributes, accountStateAttributes.idKeys] },
    { action: 'UpdateItem', attributes: clockAttributes, returnsUpdated: true },
  ],
  /** Allocates sequence numbers without an API key. */
  allocateNumbers: [allocation],
  /** Reads what pages show: the clock of test mode, the rate limit, its use, and what lists need. */
  readUsage: [{ action: 'GetItem', attributes: usageAttributes }],
  /**
   * Reads the clock of test mode, and creates, lists, changes and revokes API keys. Their items in the account's list have the
   * same partition key.
   */
  manageKeys: [
    showingClock,
    ...readingKeys,
    {
      action: 'UpdateItem',
      attributes: [...keyAttributes, ...changedKeyItemAttributes, ...keyListAttributes],
    },
    puttingKeys,
  ],
  /** The same for requests with an API key: they list keys, */
  readKeys: [{ action: 'UpdateItem', attributes: countingAttributes.request }, ...readingKeys],
  /** change and revoke keys, */
  changeKeys: [requestAndKeys, ...readingKeys],
  /** or create keys. */
  createKeys: [requestAndKeys, ...readingKeys, puttingKeys],
  /** Closes ended sandboxes, reads their allocated numbers, and deletes their account states and keys. */
  deleteSandboxes: [
    ...readingKeys,
    {
      action: 'UpdateItem',
      attributes: [
        ...new Set([...keyAttributes, 'revokedAt', 'lastUsed', 'closedAt', ...allocationAttributes]),
      ],
    },
    { action: 'DeleteItem', attributes: ['pk', 'sk', accountStateAttributes.closed] },
  ],
  /** Reads the allocated numbers and the clock of test mode, and the entries of API keys to compare them. */
  compareKeys: [
    allocation,
    showingClock,
    { action: 'GetItem', attributes: ['pk', 'sk', accountStateAttributes.keys] },
    { action: 'Query', attributes: ['*'] },
  ],
} as const satisfies Record<string, readonly AttributeAccess[]>;

export type AccountStateAccess = keyof typeof accountStateAccesses;
