/**
 * Marks the accounts that send reminders, for the relay: an attribute of the item of the event cursor, which the relay reads in any case.
 * So only these accounts cost a read of their profile for each new invoice and each due date that moves.
 *
 * - The transaction that changes the plan changes the mark.
 * - A mark that is lost costs no reminder that is more than a day away, because the daily reconciliation reads the profile.
 */
import { env } from '../../base/env.ts';
import { modes } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import type { TransactionItem } from '../../store/transactions.ts';

/** The attributes of the cursor that a change of the plan names. It never changes the position, but a new cursor needs one. */
export const reminderMarkAttributes: readonly string[] = ['pk', 'sk', 'position', 'hasReminders'];

/** Returns the actions that mark both modes of an account, or remove the marks. */
export function reminderMarkActions(account: string, hasReminders: boolean): readonly TransactionItem[] {
  return modes.map((mode) => ({
    Update: {
      TableName: env.tableName(),
      Key: tableKeys.eventCursor({ account, mode }),
      UpdateExpression: 'SET #position = if_not_exists(#position, :first), #mark = :mark',
      ExpressionAttributeNames: { '#position': 'position', '#mark': 'hasReminders' },
      ExpressionAttributeValues: { ':first': 0, ':mark': hasReminders },
    },
  }));
}

/** Whether the item of a cursor marks an account that sends reminders. Undefined: the cursor does not exist. */
export const isMarkedForReminders = (cursor: Item | undefined): boolean => cursor?.hasReminders === true;
