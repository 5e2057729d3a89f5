/**
 * Stores what an account must know of addresses: to which it sends no reminders any more, and to which it sends nothing. An item names
 * its address by a keyed hash, so an erasure leaves it: it holds nothing that names the payer, and the payer still wants no mails.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { readItems } from '../../store/records.ts';
import { defineItem, instant, optional, textOf } from '../../store/stored-fields.ts';
import type { TransactionItem } from '../../store/transactions.ts';

/** Why an account sends nothing to an address any more: a mail to it bounced for good, or its reader complained. */
export type Suppression = 'bounced' | 'complained';

/** What is known of an address. */
export interface MailAddressState {
  /** When its reader stopped the reminders. Undefined: never. */
  readonly unsubscribedAt: RealTime | undefined;
  /** Undefined: mails may go to it. */
  readonly suppression: Suppression | undefined;
}

const nameOf = ({ pk }: { readonly pk?: unknown }) => `an address of ${String(pk)}`;
const parseAddress = defineItem<Pick<MailAddressState, 'unsubscribedAt'>>(nameOf, {
  unsubscribedAt: optional(instant),
});
const parseSuppression = defineItem<{ readonly suppression: Suppression }>(nameOf, {
  suppression: textOf<Suppression>(),
});

/** The address in any case is one address, as for the limits of mails. */
const hashOf = ({ account, mode }: Owner, address: string): Promise<string> =>
  tableHash('mails:address', `${account}#${mode}#${address.toLowerCase()}`);

/** Reads what an account knows of an address, in one call. @throws MalformedItemError */
export async function readMailAddress(owner: Owner, address: string): Promise<MailAddressState> {
  const hash = await hashOf(owner, address);
  const keys = [tableKeys.mailAddress(owner, hash), tableKeys.mailSuppression(owner, hash)];
  const items = await readItems(keys);
  const [own, suppressed] = keys.map((key) => items.find(({ sk }) => sk === key.sk));
  return {
    unsubscribedAt: own && parseAddress(own).unsubscribedAt,
    suppression: suppressed && parseSuppression(suppressed).suppression,
  };
}

/** Stops the reminders of an account to an address. Calling it again changes nothing. */
export async function unsubscribe(owner: Owner, address: string, at: RealTime): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.mailAddress(owner, await hashOf(owner, address)),
      UpdateExpression: 'SET unsubscribedAt = if_not_exists(unsubscribedAt, :at)',
      ExpressionAttributeValues: { ':at': at },
    }),
  );
}

/** Returns the key of the item that stops all mails of an account to an address. */
export const suppressionKey = async (owner: Owner, address: string): Promise<Key> =>
  tableKeys.mailSuppression(owner, await hashOf(owner, address));

/** Returns the action that stops all mails of an account to an address. */
export async function suppressAddress(
  owner: Owner,
  address: string,
  suppression: Suppression,
  at: RealTime,
): Promise<TransactionItem> {
  const item = { ...(await suppressionKey(owner, address)), suppression, suppressedAt: at };
  return { Put: { TableName: env.tableName(), Item: item } };
}
