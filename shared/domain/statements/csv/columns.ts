/** Says which columns of a CSV file are which fields of a row. Pure. */
import { type ColumnField, type ColumnNames, columnFields } from '../column-mapping.ts';
import { MissingColumnError } from './file-error.ts';

/** The position of the column of each field, and of the row with the names. */
export interface FoundColumns {
  readonly header: number;
  /** How many cells the row with the names has, also those without a name. */
  readonly width: number;
  /** The position of the last cell with a name. */
  readonly lastNamed: number;
  /** All names of the row, also those of columns that no field has. */
  readonly names: readonly string[];
  readonly columns: ColumnNames;
  readonly positions: { readonly [Field in ColumnField]?: number };
}

/**
 * The names that banks of Bhutan and India use, as they are compared (github.com/FFFSTANZA/SharaLedger, docs/INDIAN_BANK_FORMATS.md). Of several columns that fit, the first name of this list that the
 * file has wins: a value date is used only if there is no other day.
 */
const knownNames: Readonly<Record<ColumnField, readonly string[]>> = {
  day: [
    'txndate',
    'transactiondate',
    'trandate',
    'postdate',
    'postingdate',
    'bookingdate',
    'date',
    'valuedate',
    'valuedt',
    'day',
  ],
  amount: ['amount', 'transactionamount', 'txnamount', 'amountinaccountcurrency'],
  credit: [
    'credit',
    'creditamount',
    'deposit',
    'deposits',
    'depositamt',
    'depositamount',
    'cr',
    'moneyin',
    'paidin',
  ],
  debit: [
    'debit',
    'debitamount',
    'withdrawal',
    'withdrawals',
    'withdrawalamt',
    'withdrawalamount',
    'dr',
    'moneyout',
    'paidout',
  ],
  direction: ['drcr', 'crdr', 'debitcredit', 'creditdebit', 'type', 'transactiontype', 'txntype'],
  currency: ['currency', 'ccy', 'curr'],
  reference: [
    'referenceno',
    'reference',
    'refno',
    'refnochequeno',
    'chqrefno',
    'chqrefnumber',
    'chequerefno',
    'chequenoreference',
    'transactionid',
    'txnid',
    'tranid',
    'journalno',
    'journalnumber',
    'jrnlno',
    'utr',
    'utrno',
    'rrn',
    'instrumentid',
    'instrumentno',
    'chequeno',
    'chequenumber',
  ],
  text: [
    'narration',
    'description',
    'transactiondescription',
    'particulars',
    'transactionparticulars',
    'transactionremarks',
    'remarks',
    'transactiondetails',
    'details',
    'memo',
  ],
  name: [
    'name',
    'payername',
    'payer',
    'counterparty',
    'counterpartyname',
    'sendername',
    'remittername',
    'remitter',
  ],
};

/** Banks add the currency or a unit in brackets: `Deposit Amt (INR)`. */
const comparable = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\([^)]*\)/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The names are in one of the first lines. Banks put the account and the period before them. */
const maxLinesBefore = 40;

/**
 * Finds the columns of a file.
 * @param chosen the names that the caller gives or has given before. Other fields are recognized
 * @throws MissingColumnError if the day or the amount has no column, or if a chosen name does not exist
 */
export function findColumns(rows: readonly (readonly string[])[], chosen: ColumnNames = {}): FoundColumns {
  const tried = rows.slice(0, maxLinesBefore).map((names, header) => columnsIn(names, header, chosen));
  const wanted = columnFields.filter((field) => chosen[field]);
  const found = tried.find(
    (each) => isComplete(each) && wanted.every((field) => each.positions[field] !== undefined),
  );
  if (found) return found;
  const best = tried.toSorted((one, other) => countOf(other) - countOf(one))[0];
  const names = shownNames(best?.names ?? []);
  throw new MissingColumnError(missingMessage(best, names, chosen), names);
}

const shownNames = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim()).filter(Boolean)),
];

const countOf = ({ positions }: FoundColumns) => Object.keys(positions).length;

const isComplete = ({ positions: { day, amount, credit, debit } }: FoundColumns): boolean =>
  day !== undefined && (amount !== undefined || (credit ?? debit) !== undefined);

function columnsIn(names: readonly string[], header: number, chosen: ColumnNames): FoundColumns {
  const compared = names.map(comparable);
  const positions: { [Field in ColumnField]?: number } = {};
  for (const field of columnFields) {
    if (chosen[field] === '') continue;
    const wanted = chosen[field] === undefined ? knownNames[field] : [comparable(chosen[field])];
    const position = wanted.map((name) => compared.indexOf(name)).find((index) => index >= 0);
    if (position !== undefined && compared[position] !== '') positions[field] = position;
  }
  // A file with both columns of amounts can also have a column with the balance, which no field has.
  if (positions.credit !== undefined && positions.debit !== undefined && chosen.amount === undefined)
    delete positions.amount;
  if (positions.amount === undefined) delete positions.direction;
  const columns = Object.fromEntries(
    Object.entries(positions).map(([field, position]) => [field, names[position]?.trim() ?? '']),
  );
  const lastNamed = names.findLastIndex((name) => name.trim() !== '');
  return { header, width: names.length, lastNamed, names: shownNames(names), columns, positions };
}

function missingMessage(
  best: FoundColumns | undefined,
  names: readonly string[],
  chosen: ColumnNames,
): string {
  const unknown = columnFields.find((field) => chosen[field] && best?.positions[field] === undefined);
  const has = names.length > 0 ? ` It has: ${names.slice(0, 20).join(', ')}.` : '';
  if (unknown !== undefined)
    return `The file has no column ${chosen[unknown]}.${has} Check the name of the column.`;
  const missing = best?.positions.day === undefined ? 'day' : 'amount';
  const needed = missing === 'day' ? 'day' : 'amount, or for credit and debit,';
  return `No column for the ${needed} was found.${has} Name the column.`;
}
