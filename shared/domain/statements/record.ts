/** Defines how statements and their rows are stored. */
import type { Owner } from '../../base/ids.ts';
import { modes } from '../../base/ids.ts';
import { currencies } from '../../base/money.ts';
import { tableKeys } from '../../store/keys.ts';
import { defineNumberedType, type Item } from '../../store/records.ts';
import {
  arrayOf,
  compressibleText,
  defineItem,
  instant,
  integer,
  objectOf,
  oneOf,
  optional,
  parseJson,
  positive,
  text,
} from '../../store/stored-fields.ts';
import { type StoredText, toStoredText } from '../../store/stored-text.ts';
import { type ColumnMapping, dayForms } from './column-mapping.ts';
import type { BankStatement, StatementRow } from './statement.ts';

export const statementType = defineNumberedType<BankStatement>('statement', {
  attributes: {
    bank: text,
    currency: oneOf(...currencies),
    rowCount: positive,
    rowItems: positive,
    firstDay: text,
    lastDay: text,
    mapping: optional(
      objectOf<ColumnMapping>({
        day: optional(text),
        amount: optional(text),
        credit: optional(text),
        debit: optional(text),
        direction: optional(text),
        currency: optional(text),
        reference: optional(text),
        text: optional(text),
        name: optional(text),
        dayForm: optional(oneOf(...dayForms)),
      }),
    ),
    triedUntil: optional(text),
    createdAt: instant,
    updatedAt: instant,
  },
});

const storedRows = arrayOf(
  objectOf<StatementRow>({
    id: text,
    day: text,
    amount: integer,
    reference: optional(text),
    text: optional(text),
    name: optional(text),
    invoices: optional(arrayOf(text)),
  }),
);

const parseItem = defineItem<Owner & { readonly rows: string }>(({ pk }) => `the rows of ${pk}`, {
  account: text,
  mode: oneOf(...modes),
  rows: compressibleText as never,
});

/** How much JSON an item of rows has at most. The item of it is far below the 400 KB of DynamoDB. */
const maxItemBytes = 128 * 1024;

/** Returns the items that store the rows of a statement in their order, beside its record. Each row has some KB at most. */
export function toRowsItems({ account, mode }: Owner, id: string, rows: readonly StatementRow[]): Item[] {
  const texts: string[][] = [[]];
  let bytes = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > maxItemBytes) {
      texts.push([]);
      bytes = 0;
    }
    texts.at(-1)?.push(text);
    bytes += size;
  }
  return texts.map((part, index) => ({
    ...tableKeys.statementRows(id, index + 1),
    account,
    mode,
    rows: toStoredText(`[${part.join()}]`),
  }));
}

/** Returns what an item of rows stores of other rows. */
export const storedRowsOf = (rows: readonly StatementRow[]): StoredText => toStoredText(JSON.stringify(rows));

/** Returns the rows in an item. @throws MalformedItemError */
export function fromRowsItem(item: Item): StatementRow[] {
  const { rows } = parseItem(item);
  return parseJson(
    `the rows of ${item.pk}`,
    'rows',
    rows as StoredText,
    storedRows as never,
  ) as StatementRow[];
}
