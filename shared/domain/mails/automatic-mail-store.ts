/**
 * Marks the steps of invoices, from which mails go by themselves, such as the receipt. Each step has one mail at most.
 *
 * - The first worker marks the step: it stores which mail the step has. A worker that comes second goes on with that mail, or leaves it
 *   to the first. So a timer that fires twice makes one mail.
 * - A worker that sends at its first attempt marks the step right before the call to SES, and stores the record of the mail with what
 *   came of it. A mark whose record does not follow is an attempt whose outcome nobody knows.
 * - A mail that waits, or is not sent, has a mark without an attempt, and its record says why.
 * - A mail whose kind is off, or that has no address, marks nothing and is not stored. One that somebody asked for, with `send` or by a
 *   schedule, is stored and says why it was not sent.
 * - A reminder that waits, and that its plan withdraws, leaves its step. So the step has its reminder if its time comes again, such as
 *   after the due date has moved.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Clock } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import { newMailId, type Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import { readItem } from '../../store/records.ts';
import { writeTransaction } from '../../store/transactions.ts';
import type { InvoiceMail, MailReason } from './mail.ts';
import { type StepMark, toInvoiceMail, toInvoiceMailItem } from './mail-item.ts';
import { putMail, readMail } from './mail-store.ts';
import { mailStepName, type StepReference, stepReferenceOf } from './mail-timer.ts';

/** Returns a mail of a step that is not stored: it has the version 0. */
export function newStepMail(step: StepReference, to: string, { account: at, real }: Clock): InvoiceMail {
  const id = newMailId(step.account, at);
  return { ...step, id, to, state: 'queued', createdAt: at, askedAt: real, isUncounted: true, version: 0 };
}

/**
 * Reads the mail of a step that a worker has marked. One whose record is not stored has the version 0, and is `sending` if its mark
 * has an attempt.
 * @returns undefined: no worker has marked the step
 * @throws MalformedItemError
 */
export async function readStepMail(
  step: StepReference,
  to: () => Promise<string>,
  clock: Clock,
): Promise<InvoiceMail | undefined> {
  const item = await readItem(tableKeys.invoiceMail(step.invoiceId, mailStepName(step)));
  if (!item) return undefined;
  const mark = toInvoiceMail(item);
  const stored = (await readMail(step, mark.mail)) as InvoiceMail | undefined;
  return stored ?? unstored(step, mark, await to(), clock);
}

function unstored(
  step: StepReference,
  { mail: id, attempt }: StepMark,
  to: string,
  clock: Clock,
): InvoiceMail {
  if (!attempt) return { ...newStepMail(step, to, clock), id };
  const { createdAt, triedAt } = attempt;
  return { ...step, id, to, state: 'sending', createdAt, askedAt: triedAt, triedAt, version: 0 };
}

/**
 * Marks a step with its mail.
 * @param mail one that `newStepMail` has returned. With the state `sending`, the mark has its attempt.
 * @returns false, with nothing changed, if the step has another mail
 */
export async function markStep(step: StepReference, mail: InvoiceMail): Promise<boolean> {
  const { id, createdAt, triedAt } = mail;
  const attempt = mail.state === 'sending' && triedAt !== undefined ? { createdAt, triedAt } : undefined;
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: toInvoiceMailItem(step.invoiceId, mailStepName(step), { mail: id, attempt }),
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
    // The answer to an earlier put of this worker can be lost. No other worker has this id.
    return toInvoiceMail(unmarshall(error.Item)).mail === id;
  }
}

/**
 * Skips a reminder of the plan that waits. Its step has no mail afterwards, and the invoice still shows the skipped one.
 * @param mail as it was read
 * @returns false, with nothing changed, if another writer has changed the mail meanwhile
 */
export async function withdrawReminder(mail: InvoiceMail, reason: MailReason): Promise<boolean> {
  const { id, invoiceId, reminderDay, version } = mail;
  const skipped = {
    ...mail,
    state: 'skipped',
    reason,
    isUncounted: undefined,
    version: version + 1,
  } as const;
  const step = mailStepName({ kind: 'reminder', reminderDay });
  const { written } = await writeTransaction([
    putMail(mail, skipped),
    { Put: { TableName: env.tableName(), Item: toInvoiceMailItem(invoiceId, `send/${id}`, { mail: id }) } },
    {
      Delete: {
        TableName: env.tableName(),
        Key: tableKeys.invoiceMail(invoiceId, step),
        ConditionExpression: 'mail = :mail',
        ExpressionAttributeValues: { ':mail': id },
      },
    },
  ]);
  return written;
}

/** Returns the mails of an invoice that are being sent, and whose records do not exist, as they would be stored first. */
export async function readUnstoredMails(
  owner: Owner,
  invoiceId: string,
  to: string,
): Promise<readonly InvoiceMail[]> {
  const { pk } = tableKeys.invoiceMail(invoiceId, '');
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  });
  const mails = items.map(async (item) => {
    const mark = toInvoiceMail(item);
    const reference = [owner.account, owner.mode, invoiceId, String(item.sk)].join('/');
    const step = stepReferenceOf({ reference });
    const { attempt } = mark;
    if (!step || !attempt || (await readMail(owner, mark.mail))) return [];
    return [{ ...unstored(step, mark, to, { account: attempt.createdAt, real: attempt.triedAt }) }];
  });
  return (await Promise.all(mails)).flat();
}
