/** Compares credit notes with what their invoices count as credited. */
import type { Owner } from '../../base/ids.ts';
import { type StoredDocument, toDocument, toInvoiceNumber } from '../../domain/documents/document-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { readItems } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import type { DocumentDifference, ItemDifference } from './difference.ts';
import { checkCredits, differenceOf } from './document-checks.ts';
import { malformedItem } from './item-differences.ts';
import { mapInChunks } from './reconciliation-store.ts';

type Found = DocumentDifference | ItemDifference;

/** DynamoDB reads so many items in one call. */
const itemsPerRead = 100;

/** Compares the credit notes of each invoice with it, once. */
export async function compareCredits(owner: Owner, notes: readonly StoredDocument[]): Promise<Found[]> {
  const byInvoice = [...Map.groupBy(notes, ({ invoiceId }) => invoiceId).values()];
  const lists = await mapInChunks(byInvoice, itemsPerRead, async (chunk) => {
    const keys = chunk.map(([note]) => tableKeys.invoiceNumber(note?.invoiceId ?? ''));
    const numberItems = await readItems(keys);
    const parsed = new Map(
      numberItems.map((item) => [String(item.pk), parseOrError(item, toInvoiceNumber)] as const),
    );
    const ids = [...parsed.values()].flatMap((each) =>
      each instanceof MalformedItemError ? [] : each.documents,
    );
    const documents = await readDocuments(owner, ids);
    const found = chunk.flatMap(([note]): Found[] => {
      if (!note) return [];
      const number = parsed.get(note.invoiceId);
      if (number instanceof MalformedItemError) return [malformedItem(owner, number)];
      return checkCredits(note, number, documents).map((each) => differenceOf(owner, note, each));
    });
    return found;
  });
  return lists.flat();
}

async function readDocuments(owner: Owner, ids: readonly string[]): Promise<Map<string, StoredDocument>> {
  const items = await mapInChunks([...new Set(ids)], itemsPerRead, (chunk) =>
    readItems(chunk.map((id) => tableKeys.document(owner, id))),
  );
  return new Map(
    items.flat().flatMap((item) => {
      const document = parseOrError(item, toDocument);
      return document instanceof MalformedItemError ? [] : [[document.id, document] as const];
    }),
  );
}
