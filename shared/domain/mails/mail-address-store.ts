/**
 * Stores what an account must know of addresses: to which it sends no reminders any more. An item names its address by a keyed hash, so
 * an erasure leaves it: it holds nothing that names the payer, and the payer still wants no reminders.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { readItem } from '../../store/records.ts';
import { defineItem, instant, optional } from '../../store/stored-fields.ts';

/** What is known of an address. */
interface MailAddressState {
  /** When its reader stopped the reminders. Undefined: never. */
  readonly unsubscribedAt: RealTime | undefined;
}

const parseState = defineItem<MailAddressState>(({ pk }) => `an address of ${String(pk)}`, {
  unsubscribedAt: optional(instant),
});

/** The address in any case is one address, as for the limits of mails. */
async function keyOf({ account, mode }: Owner, address: string): Promise<Key> {
  const hash = await tableHash('mails:address', `${account}#${mode}#${address.toLowerCase()}`);
  return tableKeys.mailAddress({ account, mode }, hash);
}

/** Whether the reader of an address wants no reminders of an account. @throws MalformedItemError */
export async function isUnsubscribed(owner: Owner, address: string): Promise<boolean> {
  const item = await readItem(await keyOf(owner, address));
  return item !== undefined && parseState(item).unsubscribedAt !== undefined;
}

/** Stops the reminders of an account to an address. Calling it again changes nothing. */
export async function unsubscribe(owner: Owner, address: string, at: RealTime): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: await keyOf(owner, address),
      UpdateExpression: 'SET unsubscribedAt = if_not_exists(unsubscribedAt, :at)',
      ExpressionAttributeValues: { ':at': at },
    }),
  );
}
