/** Limits an access to some attributes of items, as a condition of IAM. */
import { connectionAttributes } from '../shared/domain/payments/connections/connection.ts';

export interface AttributeAccess {
  readonly action: 'GetItem' | 'UpdateItem' | 'PutItem' | 'Query' | 'DeleteItem';
  /** The names of the attributes, as IAM patterns. */
  readonly attributes: readonly string[];
  /** Whether a write returns only what it updates. `orNothing`: it can also be a part of a transaction, which returns nothing. */
  readonly returnsUpdated?: true | 'orNothing';
}

/** Lists connections without the encrypted credentials. */
export const connectionListing: AttributeAccess = { action: 'Query', attributes: connectionAttributes };

/** Stores that a session is in use. */
export const usingSession: AttributeAccess = { action: 'UpdateItem', attributes: ['pk', 'sk', 'usedAt'] };

/** Returns the IAM condition of an access. */
export function conditionOf(
  patterns: readonly string[],
  { action, attributes, returnsUpdated }: AttributeAccess,
) {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns, 'dynamodb:Attributes': attributes },
    ...(returnsUpdated === true && { StringEquals: { 'dynamodb:ReturnValues': 'UPDATED_NEW' } }),
    ...(returnsUpdated === 'orNothing' && {
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_NEW'] },
    }),
    // Without this, a read that names no attributes would return all of them.
    ...((action === 'GetItem' || action === 'Query') &&
      !attributes.includes('*') && { StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' } }),
  };
}
