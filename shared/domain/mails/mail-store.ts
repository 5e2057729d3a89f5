/** Reads, lists and changes mails in the table. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { idPrefixes, isRecordId, type Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryAll, queryPages } from '../../store/query-pages.ts';
import { type Item, readItem, readItems } from '../../store/records.ts';
import { type MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { type ListMails, type Mail, showMail } from './mail.ts';
import { toInvoiceMail, toMail, toMailItem } from './mail-item.ts';

/** Reads a mail. Undefined: the owner has no such mail. @throws MalformedItemError */
export async function readMail(owner: Owner, id: string): Promise<Mail | undefined> {
  const item = isRecordId('mail', id) ? await readItem(tableKeys.mail(owner, id)) : undefined;
  return item && toMail(item);
}

/**
 * Changes a mail, if it still has the version that was read. Stores a new one of the version 0, if nobody has.
 * @returns the changed mail. Undefined: another writer was faster, and nothing changed.
 */
export async function changeMail(
  mail: Mail,
  change: Partial<Pick<Mail, 'state' | 'reason' | 'triedAt' | 'sentAt' | 'sesId' | 'isUncounted'>>,
): Promise<Mail | undefined> {
  const changed = { ...mail, reason: undefined, ...change, version: mail.version + 1 };
  try {
    await dynamodb.send(new PutCommand(putMail(mail, changed).Put));
    return changed;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Returns the action that puts the next state of a mail, if it still has the version of `before`. */
export function putMail(before: Mail, changed: Mail) {
  const condition =
    before.version === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': before.version },
        };
  return { Put: { TableName: env.tableName(), Item: toMailItem(changed), ...condition } };
}

/**
 * Yields all mails of an owner, oldest first, a page at a time.
 * @param after the id of the last mail that was read. Empty: from the first
 */
export async function* readAllMails(
  owner: Owner,
  after: string,
): AsyncGenerator<readonly (readonly [id: string, Mail | MalformedItemError])[]> {
  const { pk, sk } = tableKeys.mail(owner, after || `${idPrefixes.mail}_`);
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': pk, ':after': sk },
  });
  for await (const items of pages) yield items.map((item) => [String(item.sk), parseOrError(item, toMail)]);
}

/** Returns the items of all mails of an invoice. */
export async function readMailItems(owner: Owner, invoiceId: string): Promise<Item[]> {
  const ids = await readMailIds(invoiceId);
  return ids.length === 0 ? [] : readItems(ids.map((id) => tableKeys.mail(owner, id)));
}

/**
 * Returns a page of the mails of an owner, newest first. Those that cannot be read are left out.
 * @param isWanted chooses mails by their kinds. Default: all
 */
export async function listMailPage(
  owner: Owner,
  { limit, before }: ListMails,
  isWanted: (mail: Pick<Mail, 'kind'>) => boolean = () => true,
) {
  const { pk, sk } = tableKeys.mail(owner, before ?? `${idPrefixes.mail}_~`);
  const found: Item[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': pk, ':before': sk },
    ScanIndexForward: false,
    Limit: limit + 1,
  })) {
    found.push(...items.filter(({ kind }) => isWanted({ kind: kind as Mail['kind'] })));
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  return pageOf(page, found.length > limit, page.at(-1)?.sk);
}

/** Returns a page of the mails of an invoice, newest first. Those that cannot be read are left out. */
export async function listInvoiceMails(owner: Owner, invoiceId: string, { limit, before }: ListMails) {
  if (!isRecordId('invoice', invoiceId)) return pageOf([], false, undefined);
  const ids = (await readMailIds(invoiceId)).filter((id) => before === undefined || id < before).reverse();
  const page = ids.slice(0, limit);
  const items = page.length === 0 ? [] : await readItems(page.map((id) => tableKeys.mail(owner, id)));
  const newestFirst = [...items].sort((one, other) => (String(one.sk) < String(other.sk) ? 1 : -1));
  return pageOf(newestFirst, ids.length > limit, page.at(-1));
}

/** Returns mails with these ids. Those that cannot be read are left out. */
export async function readMails(owner: Owner, ids: readonly string[]): Promise<Mail[]> {
  const items = ids.length === 0 ? [] : await readItems(ids.map((id) => tableKeys.mail(owner, id)));
  return leaveOutMalformed(items.map((item) => parseOrError(item, toMail)));
}

/** Returns the ids of the mails of an invoice, oldest first. Items that cannot be read are left out. */
export async function readMailIds(invoiceId: string): Promise<string[]> {
  const named = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.invoiceMail(invoiceId, '').pk },
  });
  return leaveOutMalformed(named.map((item) => parseOrError(item, toInvoiceMail)))
    .map(({ mail }) => mail)
    .sort();
}

function pageOf(items: readonly Item[], hasMore: boolean, last: unknown) {
  const mails = leaveOutMalformed(items.map((item) => parseOrError(item, toMail)));
  return {
    data: mails.map(showMail),
    cursor: { hasMore, next: last === undefined ? null : String(last) },
  };
}
