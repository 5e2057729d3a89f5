/** Defines how the columns of a CSV file are read, and the schemas in which requests and responses say it. */
import * as v from 'valibot';
import { typedText } from '../../base/text.ts';

/** The fields that a column can have. `credit` and `debit` are two columns of amounts, `direction` says which one an amount is. */
export const columnFields = [
  'day',
  'amount',
  'credit',
  'debit',
  'direction',
  'currency',
  'reference',
  'text',
  'name',
] as const;
export type ColumnField = (typeof columnFields)[number];

/** The name of the column of each field. An empty name: no column has the field, also if one would be recognized. */
export type ColumnNames = { readonly [Field in ColumnField]?: string };

/** How days are written: the order of their parts. `month` is the name of a month in English, such as `31-Mar-2026`. */
export const dayForms = ['dmy', 'mdy', 'ymd', 'month'] as const;
export type DayForm = (typeof dayForms)[number];

/** How a file of a bank was read. The next file of the bank is read in the same way. */
export type ColumnMapping = { readonly [Field in ColumnField]?: string | undefined } & {
  readonly dayForm?: DayForm | undefined;
};

const mappingMessage = 'mapping must be an object with the names of columns, such as {"day":"Txn Date"}.';
const dayFormMessage = `dayForm must be one of ${dayForms.join(', ')}.`;
const columnName = (field: ColumnField) => v.nullish(typedText(field, 100));

/** A mapping in requests. */
export const newColumnMappingSchema = v.strictObject(
  {
    day: columnName('day'),
    amount: columnName('amount'),
    credit: columnName('credit'),
    debit: columnName('debit'),
    direction: columnName('direction'),
    currency: columnName('currency'),
    reference: columnName('reference'),
    text: columnName('text'),
    name: columnName('name'),
    dayForm: v.nullish(v.picklist(dayForms, dayFormMessage)),
  },
  mappingMessage,
);

const shownName = v.nullable(v.string());

/** A mapping in responses. It always has all of these fields. */
export const columnMappingSchema = v.strictObject({
  day: shownName,
  amount: shownName,
  credit: shownName,
  debit: shownName,
  direction: shownName,
  currency: shownName,
  reference: shownName,
  text: shownName,
  name: shownName,
  dayForm: v.nullable(v.picklist(dayForms)),
});

export type ShownColumnMapping = v.InferOutput<typeof columnMappingSchema>;

/** Returns the mapping as it is stored. Undefined: it names no column. */
export function toColumnMapping(
  sent: v.InferOutput<typeof newColumnMappingSchema> | null | undefined,
): ColumnMapping | undefined {
  const set = Object.entries(sent ?? {}).filter(([, name]) => name !== null && name !== undefined);
  return set.some(([field]) => field !== 'dayForm') ? (Object.fromEntries(set) as ColumnMapping) : undefined;
}

/**
 * Returns the columns that a client has sent: a field that it left out is recognized, and one that is null has no column. So the mapping
 * of an earlier statement reads the next file in the same way.
 */
export const columnsOfSent = (
  sent: v.InferOutput<typeof newColumnMappingSchema> | null | undefined,
): ColumnNames =>
  Object.fromEntries(
    columnFields.flatMap((field) => (sent?.[field] === undefined ? [] : [[field, sent[field] ?? '']])),
  );

/** Returns the mapping as the API shows it. */
export function showColumnMapping(mapping: ColumnMapping): ShownColumnMapping {
  const { day, amount, credit, debit, direction, currency, reference, text, name, dayForm } = mapping;
  return {
    day: day ?? null,
    amount: amount ?? null,
    credit: credit ?? null,
    debit: debit ?? null,
    direction: direction ?? null,
    currency: currency ?? null,
    reference: reference ?? null,
    text: text ?? null,
    name: name ?? null,
    dayForm: dayForm ?? null,
  };
}

/** Returns the columns of a mapping for the next file: a field without a column has none there either. */
export const columnsOfMapping = (mapping: ShownColumnMapping): ColumnNames =>
  Object.fromEntries(columnFields.map((field) => [field, mapping[field] ?? '']));
