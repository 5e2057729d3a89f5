/**
 * Defines how functions may access account states and the lists of API keys, which have the same partition key. Each access is
 * limited to the attributes that it needs, because an account state also holds the entries of API keys and the keys of ids.
 * `shared/store/account-state.ts` names them.
 *
 * - `UpdateItem` on other attributes is refused, so no function can open a closed account.
 * - An access that returns only updated attributes cannot read others, such as hashes of API keys.
 */
import type { Resource } from '../shared/base/ids.ts';
import { accountStateAttributes, hourPattern } from '../shared/store/account-state.ts';
import type { AttributeAccess } from './attribute-access.ts';

const { clock, closed, idKeys, keys, limit, maintenance, seller, seq } = accountStateAttributes;
const numbers: readonly string[] = Object.values(seq);

/** IAM also asks for the attributes of the primary key. */
const onAttributes = (
  action: AttributeAccess['action'],
  attributes: readonly string[],
  options: Pick<AttributeAccess, 'returnsUpdated'> = {},
): AttributeAccess => ({ action, attributes: ['pk', 'sk', ...attributes], ...options });

/**
 * Counts a request with an API key against the limit, and returns the account state.
 * @param creates what the request creates. The same update allocates its number.
 */
export const authorizing = (creates?: Resource): AttributeAccess =>
  onAttributes('UpdateItem', [keys, limit, hourPattern, ...(creates ? [seq[creates]] : [])]);

/** Counts requests against the limit, without a look at the API keys. */
export const counting = onAttributes('UpdateItem', [limit, hourPattern], { returnsUpdated: true });

/** Allocates sequence numbers without an API key. */
export const allocating = (...resources: readonly Resource[]): AttributeAccess =>
  onAttributes('UpdateItem', [idKeys, ...resources.map((resource) => seq[resource])], {
    returnsUpdated: true,
  });

/** The same, also on the condition that the account is open and not in maintenance. */
export const allocatingIfOpen = (...resources: readonly Resource[]): AttributeAccess =>
  onAttributes('UpdateItem', [closed, maintenance, idKeys, ...resources.map((resource) => seq[resource])], {
    returnsUpdated: true,
  });

/** Reads the allocated numbers of all resources. The update sets them to their present values. */
export const readingNumbers: AttributeAccess = allocating(...(Object.keys(seq) as Resource[]));

/** Writes the summary of the seller profile. */
export const writingSeller = onAttributes('UpdateItem', [seller]);

/** Reads the summary of the seller profile. */
export const readingSeller = onAttributes('GetItem', [seller]);

/** Reads the clock of test mode. */
export const showingClock = onAttributes('GetItem', [clock]);
/** Reads the clock of test mode, with the sequence numbers. */
export const readingClock = onAttributes('GetItem', [clock, ...numbers]);
/** The same, with the keys of ids, for lists. */
export const readingClockForLists = onAttributes('GetItem', [clock, ...numbers, idKeys]);
/** Moves the clock of test mode. */
export const movingClock = onAttributes('UpdateItem', [clock], { returnsUpdated: true });
/** Moves the clock of test mode, and resets it while no number has been allocated since it was set. */
export const resettingClock = onAttributes('UpdateItem', [clock, ...numbers], {
  returnsUpdated: 'orNothing',
});

/** Reads what pages show, in one read: the clock of test mode, the rate limit, its use, and what lists need. */
export const readingUsage = onAttributes('GetItem', [clock, limit, idKeys, hourPattern]);

/** Reads the list of API keys. */
export const listingKeys: AttributeAccess = { action: 'Query', attributes: ['*'] };
/** Reads the names of API keys in their list. */
export const readingKeyNames = onAttributes('Query', ['name']);
/** Reads what a search shows of API keys in their list. */
export const summarizingKeys = onAttributes('Query', ['name', 'createdAt', 'validUntil', 'revokedAt']);
/** Reads the entries of API keys, and whether the account is closed. */
export const readingEntries = onAttributes('GetItem', [closed, keys]);
/** Reads the entries of API keys alone. */
export const comparingEntries = onAttributes('GetItem', [keys]);

/** Brings the entries of API keys in line with the list. */
export const changingEntries = onAttributes('UpdateItem', [keys]);
/** Changes the list of API keys. @param attributes what it writes or compares, besides the last use of keys without an entry */
export const changingKeys = (...attributes: readonly string[]): AttributeAccess =>
  onAttributes('UpdateItem', ['lastUsed', ...attributes]);

/** The attributes of the item that guards the list of API keys. */
export const guardOfKeys = ['version', 'closedAt'] as const;
/** The attributes of an API key that can change, and that must not change while another key replaces it. */
export const keptKeySettings = ['name', 'note', 'allowedAddresses'] as const;
/** The attributes of an API key that can change. */
export const keySettings = [...keptKeySettings, 'apiVersion'] as const;
/** The attributes that change in an API key when another one replaces it. */
export const replacedKey = ['validUntil', 'revokedAt', 'replacedBy'] as const;
/** The attributes of a new API key. */
const newKeyAttributes = [
  ...keySettings,
  'account',
  'mode',
  'last4',
  'permissions',
  'apiVersion',
  'createdAt',
  'validUntil',
  'checkVersion',
];
/** Puts new API keys into the list. */
export const puttingKeys = onAttributes('PutItem', newKeyAttributes);
/** Puts new API keys into the list, also those that replace another one. */
export const puttingReplacements = onAttributes('PutItem', [...newKeyAttributes, 'replaces']);

/** All attributes of the items of API keys, besides their keys. */
export const keyItemAttributeNames: readonly string[] = [
  ...newKeyAttributes,
  ...replacedKey,
  'replaces',
  'lastUsed',
];

/** Closes ended sandboxes, and deletes their account states and lists of API keys. */
export const deletingStates: readonly AttributeAccess[] = [
  onAttributes('UpdateItem', [closed, keys, 'lastUsed', 'revokedAt', 'closedAt']),
  onAttributes('DeleteItem', [closed]),
];
