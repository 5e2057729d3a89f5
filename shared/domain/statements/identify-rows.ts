/**
 * Gives the rows of a statement their ids, and finds the payment references in them. Pure.
 *
 * - The id follows from bank, currency, day, amount, reference and the place among rows that agree in all of these. So the same file,
 *   and files that overlap, have the same rows. Text and name are no part of it, because banks shorten them in some files.
 * - The payment references in a row are part of its id if the bank gives no reference. So rows that name different invoices never take
 *   each other's place, also if a file ends in the middle of a day.
 * - Rows that agree are counted in the order of their texts, and not in that of the file. So the order of a file changes no id.
 * - Files have whole days. Otherwise, another number of rows that agree could be in each file.
 */
import { statementRowId } from '../../base/ids.ts';
import type { TableHash } from '../../platform/secrets/deployment-secret.ts';
import { parsePaymentReference } from '../invoices/payment-reference.ts';
import { isReference } from '../payments/transfer.ts';
import type { NewRow, NewStatement, StatementRow } from './statement.ts';

/**
 * Returns the rows of a statement in its order.
 * @param invoiceOf returns the id of the invoice that has a payment reference, if one can have it
 */
export function identifyRows(
  hash: TableHash,
  { bank, currency, rows }: NewStatement,
  invoiceOf: (paymentReference: string) => string | undefined,
): StatementRow[] {
  const names = rows.map((row) =>
    JSON.stringify([
      comparable(bank),
      currency,
      row.day,
      row.amount,
      referenceOf(row),
      ...ownReferencesOf(row),
    ]),
  );
  const ordinals = ordinalsOf(rows, names);
  return rows.map((row, index) => {
    const { day, amount, reference, text, name } = row;
    const invoices = referencesIn(row).flatMap((each) => invoiceOf(each) ?? []);
    return {
      id: statementRowId(Date.parse(day), hash('statement-row', `${names[index]}${ordinals.get(index)}`)),
      day,
      amount,
      ...(reference != null && { reference }),
      ...(text != null && { text }),
      ...(name != null && { name }),
      ...(invoices.length > 0 && { invoices }),
    };
  });
}

/** Returns the place of each row among those that agree with it. @param names what each row says, without text and name */
function ordinalsOf(rows: readonly NewRow[], names: readonly string[]): ReadonlyMap<number, number> {
  const textOf = (index: number) => JSON.stringify([rows[index]?.text, rows[index]?.name]);
  const groups = Map.groupBy(rows.keys(), (index) => names[index]);
  const ordered = [...groups.values()].map((group) =>
    group.sort((one, other) => (textOf(one) < textOf(other) ? -1 : textOf(one) > textOf(other) ? 1 : 0)),
  );
  return new Map(ordered.flatMap((group) => group.map((index, ordinal) => [index, ordinal] as const)));
}

const referenceOf = ({ reference }: NewRow): string => (reference == null ? '' : comparable(reference));

/** Returns the payment references in a row to which the bank gives no reference. */
const ownReferencesOf = (row: NewRow): string[] =>
  isReference(row.reference ?? '') ? [] : referencesIn(row).sort();

const comparable = (typed: string): string => typed.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

/** Returns the payment references in a row, each once. Their check characters are right. */
export function referencesIn({ reference, text }: Pick<NewRow, 'reference' | 'text'>): string[] {
  const found = [reference, text].flatMap((each) => (each == null ? [] : candidatesIn(each)));
  return [...new Set(found.flatMap((each) => parsePaymentReference(each) ?? []))];
}

/** Returns the words of a text with the length of a payment reference, and those in two halves. */
function candidatesIn(text: string): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  return words.flatMap(({ 0: word, index }, position) => {
    if (word.length === 8) return [word];
    const next = words[position + 1];
    if (word.length !== 4 || next?.[0].length !== 4) return [];
    const between = text.slice(index + 4, next.index);
    return /^[\s\p{Pd}]$/u.test(between) ? [word + next[0]] : [];
  });
}
