/** Reads documents from the table. The relay of changes writes them, see `document-log.ts`. */
import { ApiError } from '../../base/errors.ts';
import { idPrefixes, isRecordId, type Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import { type Item, readItem, readItems } from '../../store/records.ts';
import { type MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { type ListDocuments, summarizeDocument } from './document.ts';
import { type StoredDocument, toDocument, toInvoiceNumber } from './document-item.ts';

/** Reads a document. Undefined: the owner has no such document. A malformed id costs no call. @throws MalformedItemError */
export async function readDocument(owner: Owner, id: string): Promise<StoredDocument | undefined> {
  const item = isRecordId('document', id) ? await readItem(tableKeys.document(owner, id)) : undefined;
  return item && toDocument(item);
}

/** Returns the document that was read. @throws ApiError `document_not_found` */
export function requireDocument(document: StoredDocument | undefined): StoredDocument {
  if (!document) throw new ApiError('document_not_found');
  return document;
}

/** Returns a page of the documents of an owner, newest first. Those that cannot be read are left out. */
export async function listDocumentPage(owner: Owner, { limit, kind, before }: ListDocuments) {
  const { pk, sk } = tableKeys.document(owner, before ?? `${idPrefixes.document}_~`);
  const found: Item[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': pk, ':before': sk },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit + 1,
  })) {
    found.push(...items.filter((item) => kind === undefined || item.kind === kind));
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  return pageOf(page, found.length > limit, page.at(-1)?.sk);
}

/**
 * Yields all documents of an owner, oldest first, a page at a time.
 * @param after the id of the last document that was read. Empty: from the first
 */
export async function* readAllDocuments(
  owner: Owner,
  after: string,
): AsyncGenerator<readonly (readonly [id: string, StoredDocument | MalformedItemError])[]> {
  const { pk, sk } = tableKeys.document(owner, after || `${idPrefixes.document}_`);
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': pk, ':after': sk },
    ConsistentRead: true,
  });
  for await (const items of pages)
    yield items.map((item) => [String(item.sk), parseOrError(item, toDocument)]);
}

/** DynamoDB's limit for one call. */
const maxRead = 100;

/**
 * Returns a page of the documents of an invoice, newest first. Those that cannot be read are left out. With `kind`, a page can have
 * fewer documents than there are.
 * @throws MalformedItemError if the number of the invoice cannot be read
 */
export async function listInvoiceDocuments(
  owner: Owner,
  invoiceId: string,
  { limit, kind, before }: ListDocuments,
) {
  const ids = await readDocumentIds(owner, invoiceId);
  const older = ids
    .filter((id) => before === undefined || id < before)
    .sort((one, other) => (one < other ? 1 : -1));
  const examined = older.slice(0, kind === undefined ? limit : maxRead);
  const items =
    examined.length === 0 ? [] : await readItems(examined.map((id) => tableKeys.document(owner, id)));
  const matching = items
    .filter((item) => kind === undefined || item.kind === kind)
    .sort((one, other) => (String(one.sk) < String(other.sk) ? 1 : -1));
  const hasMore = matching.length > limit || older.length > examined.length;
  const last = matching.length > limit ? matching[limit - 1]?.sk : examined.at(-1);
  return pageOf(matching.slice(0, limit), hasMore, last);
}

/** Returns the ids of the documents of an invoice. */
async function readDocumentIds(owner: Owner, invoiceId: string): Promise<readonly string[]> {
  const item = isRecordId('invoice', invoiceId) && (await readItem(tableKeys.invoiceNumber(invoiceId)));
  if (!item || item.account !== owner.account || item.mode !== owner.mode) return [];
  return toInvoiceNumber(item).documents;
}

function pageOf(items: readonly Item[], hasMore: boolean, last: unknown) {
  const documents = leaveOutMalformed(items.map((item) => parseOrError(item, toDocument)));
  return {
    data: documents.map(summarizeDocument),
    cursor: { hasMore, next: last === undefined ? null : String(last) },
  };
}
