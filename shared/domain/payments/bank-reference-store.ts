/**
 * Stores the references of banks to the money that they received: one item for each, which names the payment. So the same transfer
 * never pays two invoices, also if two people record it at the same time.
 *
 * - The transaction that records the payment puts the item, if it does not exist. Only the transaction that voids this payment deletes
 *   it, so that the transfer can be recorded again. An erasure removes bank and reference from the payment, and the item stays, because
 *   its key has only a keyed hash.
 * - The item of a row of a bank statement is for all payments of the row, which say so in `referenceHash`. A void gives it to another
 *   payment of the row, and only that of the last one deletes it.
 * - Other money with the same reference puts the item, too, if it does not exist. So its reference is taken from then on.
 * - A payment without the name of a bank has an item of its own. The same reference with a bank is another one.
 * - People type references in capital or small letters, and with or without spaces. All of these are the same. What banks and people
 *   write in place of a reference, such as zeros, is none.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { dynamodb } from '../../store/client.ts';
import type { Reservation } from '../../store/commit/command.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { defineItem, text } from '../../store/stored-fields.ts';
import type { Payment } from './payment.ts';
import type { RowUse } from './row-use.ts';
import { isReference, toComparable } from './transfer.ts';

/** The reference of a transfer, with the item that reserves it. */
export interface ReservedReference extends Reservation {
  readonly hash: string;
}

/**
 * Returns the item that reserves a reference of a bank for the payment `id`. If it is taken: `reference_already_used`.
 * @param bank undefined: no bank is named
 * @returns undefined if the text is written in place of a reference
 */
export async function reserveBankReference(
  owner: Owner,
  bank: string | undefined,
  reference: string,
  id: string,
): Promise<ReservedReference | undefined> {
  const hash = await hashOf(bank, reference);
  if (hash === undefined) return undefined;
  return {
    hash,
    item: { ...tableKeys.bankReference(owner, hash), id },
    refuse: (existing) => {
      const where = bank === undefined ? 'without a bank' : 'of this bank';
      const message = `Your payment ${parseItem(existing).id} has this reference ${where}. Read that payment, or send allowDuplicateReference: true if this is other money.`;
      return new ApiError('reference_already_used', { message });
    },
  };
}

/** Returns the command options with which a command decides again without a reservation, if other money has the reference. */
export const allowingDuplicate = (isAllowed: boolean, leaveOut: () => void) => ({
  resolveRefusal: async (refusal: unknown) => {
    if (!isAllowed || !(refusal instanceof ApiError) || refusal.code !== 'reference_already_used')
      return false;
    leaveOut();
    return true;
  },
});

const parseItem = defineItem<{ readonly id: string }>(({ pk }) => String(pk), { id: text });

/**
 * Returns the key of the item that names a payment. Undefined: the payment has no reference, or the item names another payment.
 * At most one call, strongly consistent.
 * @throws MalformedItemError
 */
export async function findOwnBankReference(payment: Payment): Promise<Key | undefined> {
  const { account, mode, id, bank, reference } = payment;
  if (reference === null) return undefined;
  const key = await bankReferenceKey({ account, mode }, bank, reference);
  if (!key) return undefined;
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: key, ConsistentRead: true }),
  );
  return item && parseItem(item).id === id ? key : undefined;
}

/**
 * Returns the key of the item of a reference. Undefined: the text is written in place of a reference.
 * @param bank undefined: no bank is named
 */
export async function bankReferenceKey(
  owner: Owner,
  bank: string | undefined,
  reference: string,
): Promise<Key | undefined> {
  const hash = await hashOf(bank, reference);
  return hash === undefined ? undefined : tableKeys.bankReference(owner, hash);
}

/** Returns what a transaction does with the item of a row, if it takes a payment from the row. @param after the row without the payment */
export function referenceAfter(
  before: RowUse,
  after: RowUse,
): { readonly key?: Key; readonly puts: readonly Item[]; readonly deletes: readonly Key[] } {
  const { referenceHash } = before;
  if (referenceHash === undefined) return { puts: [], deletes: [] };
  const key = tableKeys.bankReference(before, referenceHash);
  const [other] = after.payments;
  return other
    ? { key, puts: [{ ...key, id: other.paymentId }], deletes: [] }
    : { key, puts: [], deletes: [key] };
}

async function hashOf(bank: string | undefined, reference: string): Promise<string | undefined> {
  return isReference(reference)
    ? tableHash('bank-reference', [bank ?? '', reference].map(toComparable).join('\0'))
    : undefined;
}
