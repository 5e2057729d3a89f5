/** Finds documents that are not as they were issued, or do not add up, alone or with the other documents of their invoice. Pure. */
import { createHash } from 'node:crypto';
import type { Owner } from '../../base/ids.ts';
import { isComputed, isSum } from '../../domain/charges/verify-charges.ts';
import type { InvoiceNumber, StoredDocument } from '../../domain/documents/document-item.ts';
import { partsOfNumber } from '../../domain/documents/series.ts';
import type { DocumentDifference } from './difference.ts';

type Found = Pick<DocumentDifference, 'rule' | 'expected' | 'found'>;

/** Compares a document with its hash, and what it says with its sums. An erasure changes texts and names, so the hash is of no use then. */
export function checkDocument({
  content,
  sha256,
  isErased,
  ...attributes
}: Omit<StoredDocument, 'id' | 'account' | 'mode'>): Found[] {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const found: Found[] = [];
  if (!isErased && hash !== sha256) found.push({ rule: 'document_altered', expected: sha256, found: hash });
  for (const name of ['kind', 'number', 'invoiceId'] as const) {
    if (attributes[name] !== content[name])
      found.push({ rule: 'document_altered', expected: content[name], found: attributes[name] });
  }
  const addsUp = content.kind === 'invoice' ? isComputed(content, content.isReverseCharge) : isSum(content);
  if (!addsUp) found.push({ rule: 'document_sums_differ', expected: 'equal sums', found: content.amount });
  return found;
}

/**
 * Compares the credit notes of an invoice with it.
 * @param note one of the credit notes
 * @param number what is known of the documents of the invoice. Undefined: it has no number
 * @param documents those that `number` names, by their ids. One that cannot be read is missing
 */
export function checkCredits(
  note: StoredDocument,
  number: InvoiceNumber | undefined,
  documents: ReadonlyMap<string, StoredDocument>,
): Found[] {
  if (!number?.documents.includes(note.id))
    return [{ rule: 'document_invoice_missing', expected: note.invoiceId, found: 'none' }];
  const named = number.documents.map((id) => documents.get(id));
  // A document that is missing or malformed is a difference of its own.
  if (named.includes(undefined)) return [];
  const notes = named.filter((document) => document?.kind === 'credit_note');
  const sum = notes.reduce((total, document) => total + (document?.content.amount ?? 0), 0);
  const credited = number.credited?.amount ?? 0;
  const amount = documents.get(number.lastIssue)?.content.amount ?? 0;
  return [
    ...(sum === credited ? [] : [{ rule: 'credited_sum_differs', expected: sum, found: credited } as const]),
    ...(sum <= amount
      ? []
      : [{ rule: 'credited_above_invoice', expected: `at most ${amount}`, found: sum } as const]),
  ];
}

/** Returns what was found as a difference of a document. */
export const differenceOf = (
  { account, mode }: Owner,
  { id, number }: Pick<StoredDocument, 'id' | 'number'>,
  found: Pick<DocumentDifference, 'rule' | 'expected' | 'found'>,
): DocumentDifference => ({
  account,
  mode,
  resource: 'document',
  seq: partsOfNumber(number)?.count ?? 0,
  id,
  ...found,
  evidence: '',
});
