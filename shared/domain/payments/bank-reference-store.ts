/**
 * Stores the references of banks to the money that they received: one item for each, which names the payment. So the same transfer
 * never pays two invoices, also if two people record it at the same time.
 *
 * - The transaction that records the payment puts the item, if it does not exist. Only the transaction that voids this payment deletes
 *   it, so that the transfer can be recorded again. An erasure removes bank and reference from the payment, and the item stays, because
 *   its key has only a keyed hash.
 * - People type references in capital or small letters, and with or without spaces. All of these are the same.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { dynamodb } from '../../store/client.ts';
import type { Reservation } from '../../store/commit/command.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { defineItem, text } from '../../store/stored-fields.ts';
import type { Payment } from './payment.ts';

/** Returns the item that reserves a reference of a bank for the new payment `id`. If it is taken: `reference_already_used`. */
export async function reserveBankReference(
  owner: Owner,
  bank: string,
  reference: string,
  id: string,
): Promise<Reservation> {
  return {
    item: { ...(await bankReferenceKey(owner, bank, reference)), id },
    refuse: (existing) => {
      const message = `Your payment ${parseItem(existing).id} has this reference of this bank. Read that payment, or send allowDuplicateReference: true if this is other money.`;
      return new ApiError('reference_already_used', { message });
    },
  };
}

const parseItem = defineItem<{ readonly id: string }>(({ pk }) => String(pk), { id: text });

/**
 * Returns the key of the item that names a payment. Undefined: the payment has no bank or reference, or the item names another payment.
 * At most one call, strongly consistent.
 * @throws MalformedItemError
 */
export async function findOwnBankReference(payment: Payment): Promise<Key | undefined> {
  const { account, mode, id, bank, reference } = payment;
  if (bank === undefined || reference === null) return undefined;
  const key = await bankReferenceKey({ account, mode }, bank, reference);
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: key, ConsistentRead: true }),
  );
  return item && parseItem(item).id === id ? key : undefined;
}

/** Returns the key of the item of a reference. */
export async function bankReferenceKey(owner: Owner, bank: string, reference: string): Promise<Key> {
  const hash = await tableHash('bank-reference', [bank, reference].map(toComparable).join('\0'));
  return tableKeys.bankReference(owner, hash);
}

const toComparable = (typed: string): string => typed.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
