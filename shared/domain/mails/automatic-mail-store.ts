/**
 * Makes the mails that go by themselves. Each is a step of its invoice, such as the receipt, and each step has one mail at most.
 *
 * - The first worker claims the step: it stores which mail the step has. All workers then go on with that mail, so a timer that fires
 *   twice makes one mail.
 * - The mail itself is stored together with what the worker does about it, so a receipt costs no write unit more than a mail that
 *   somebody asked for.
 * - A mail whose kind is off, or that has no address, claims nothing and is not stored.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Clock } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import { newMailId } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import type { InvoiceMail } from './mail.ts';
import { toInvoiceMail, toInvoiceMailItem } from './mail-item.ts';
import { readMail } from './mail-store.ts';
import { mailStepName, type StepReference } from './mail-timer.ts';

/**
 * Claims a step of an invoice, and returns its mail: the one that is stored, or a new one of the version 0, which is not.
 * @param to the address of a new mail
 * @throws MalformedItemError
 */
export async function claimStep(step: StepReference, to: string, clock: Clock): Promise<InvoiceMail> {
  const { account, mode, invoiceId, kind, reminderDay, about } = step;
  const owner = { account, mode };
  const newId = newMailId(account, clock.account);
  const id = await claim(invoiceId, mailStepName(step), newId);
  const stored = id === newId ? undefined : ((await readMail(owner, id)) as InvoiceMail | undefined);
  return (
    stored ?? {
      ...owner,
      id,
      invoiceId,
      kind,
      to,
      reminderDay,
      about,
      state: 'queued',
      createdAt: clock.account,
      askedAt: clock.real,
      isUncounted: true,
      version: 0,
    }
  );
}

/** Claims a step for a mail. Returns the id of the mail that has the step. */
async function claim(invoiceId: string, name: string, id: string): Promise<string> {
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: toInvoiceMailItem(invoiceId, name, id),
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return id;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
    return toInvoiceMail(unmarshall(error.Item)).mail;
  }
}
