/**
 * Stores the references that clients give to their invoices: one item for each, which names the invoice.
 *
 * - The transaction that creates the invoice puts the item, if it does not exist. So two invoices never have the same
 *   reference, also if their requests run at the same time and have no idempotency key.
 * - An invoice that replaces another one takes its reference over: the transaction changes the item, if it still names the replaced
 *   invoice.
 * - The item is never deleted. An erasure removes the reference from the invoice, and the item stays, because its key
 *   has only a keyed hash.
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

/**
 * Returns the item that reserves a reference for the new invoice `id`. If it is taken: `reference_taken`.
 * @param replaced the invoice that has the reference, and gives it to the new one
 */
export async function reserveReference(
  owner: Owner,
  reference: string,
  id: string,
  replaced?: string,
): Promise<Reservation> {
  return {
    item: { ...(await referenceKey(owner, reference)), id },
    ...(replaced !== undefined && { movesFrom: replaced }),
    refuse: (existing) => {
      const message = `Your invoice ${parseReference(existing).id} has this reference. Read that invoice, or send a reference that you have not used.`;
      return new ApiError('reference_taken', { message });
    },
  };
}

/** Returns the id of the invoice that was created with a reference, or undefined. One call, strongly consistent. @throws MalformedItemError */
export async function findInvoiceId(owner: Owner, reference: string): Promise<string | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: await referenceKey(owner, reference),
      ConsistentRead: true,
    }),
  );
  return item && parseReference(item).id;
}

const parseReference = defineItem<{ readonly id: string }>(({ pk }) => String(pk), { id: text });

/** Returns the key of the item of a reference. */
export async function referenceKey(owner: Owner, reference: string): Promise<Key> {
  return tableKeys.invoiceReference(owner, await tableHash('reference', reference));
}
