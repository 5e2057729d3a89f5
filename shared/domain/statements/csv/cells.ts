/** Reads the days and amounts of a CSV file. All cells of a column have one form, which the file as a whole shows. Pure. */
import { isPlainDate, parseDueDate } from '../../../base/due-date.ts';
import type { DayForm } from '../column-mapping.ts';
import { StatementFileError } from './file-error.ts';

/** A cell with the line of the file in which it is. */
export interface Cell {
  readonly line: number;
  readonly text: string;
}

/** The sign before the hundredths. */
export type DecimalSign = '.' | ',';

const numeric = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?!\d)/;
const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const named = /^(\d{1,2})[-/. ]?([A-Za-z]{3,9})[-/., ]*(\d{4}|\d{2})(?!\d)/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Returns the form of the days of a file. A file in which no day is later than the 12th of a month has the order of Bhutan and India.
 * @throws StatementFileError if two days have different forms
 */
export function dayFormOf(cells: readonly Cell[]): { readonly form: DayForm; readonly isAssumed: boolean } {
  const seen = new Map<DayForm, Cell>();
  let hasNumeric: Cell | undefined;
  for (const cell of cells) {
    const form = formIn(cell.text);
    if (form === 'either') hasNumeric ??= cell;
    else if (form && !seen.has(form)) seen.set(form, cell);
  }
  const fixed = [...seen].filter(([form]) => form === 'ymd' || form === 'month');
  const orders = [...seen].filter(([form]) => form === 'dmy' || form === 'mdy');
  const distinct = [
    ...fixed,
    ...(orders.length > 0 ? orders : hasNumeric ? [['dmy', hasNumeric] as const] : []),
  ];
  const [first, second] = distinct;
  if (first && second)
    throw new StatementFileError(
      `The days have two forms: ${first[1].text} in line ${first[1].line}, and ${second[1].text} in line ${second[1].line}. Write all of them in one form, such as 2026-03-31.`,
    );
  return { form: first?.[0] ?? 'dmy', isAssumed: seen.size === 0 };
}

/** Whether a text begins as a day does. */
export const isDayLike = (text: string): boolean => formIn(text) !== undefined;

/** Returns the form of a day. `either`: the order of day and month does not show. */
function formIn(text: string): DayForm | 'either' | undefined {
  if (yearFirst.test(text)) return 'ymd';
  if (named.test(text)) return 'month';
  const [, one, other] = numeric.exec(text) ?? [];
  if (one === undefined) return undefined;
  if (Number(one) > 12) return 'dmy';
  return Number(other) > 12 ? 'mdy' : 'either';
}

/** Reads a day, also with a time after it. Returns it as `YYYY-MM-DD`. Undefined: it has another form, or does not exist. */
export function readDay(text: string, form: DayForm): string | undefined {
  const [year, month, day] = partsOf(text, form) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const full = year.length === 2 ? `20${year}` : year;
  const shown = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isPlainDate(shown) && parseDueDate(shown) ? shown : undefined;
}

function partsOf(text: string, form: DayForm): readonly (string | undefined)[] | undefined {
  if (form === 'ymd') return yearFirst.exec(text)?.slice(1, 4);
  if (form === 'month') {
    const [, day, name = '', year] = named.exec(text) ?? [];
    const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
    return month > 0 ? [year, String(month), day] : undefined;
  }
  const [, one, other, year] = numeric.exec(text) ?? [];
  return form === 'dmy' ? [year, other, one] : [year, one, other];
}

/** Signs and names of currencies, and white space, beside the digits. */
const beside = /[\s\u00a0'’]|nu\.?|rs\.?|btn|inr|usd|[₹$]/gi;

/**
 * Returns the sign before the hundredths of the amounts of a file.
 * @throws StatementFileError if two amounts have different ones
 */
export function decimalSignOf(cells: readonly Cell[]): DecimalSign {
  const seen = new Map<DecimalSign, Cell>();
  for (const cell of cells) {
    const sign = /([.,])\d{1,2}(?:\D*)$/.exec(cell.text.replace(beside, ''))?.[1] as DecimalSign | undefined;
    if (sign && !seen.has(sign)) seen.set(sign, cell);
  }
  const [point, comma] = [seen.get('.'), seen.get(',')];
  if (point && comma)
    throw new StatementFileError(
      `The amounts have two decimal signs: ${point.text} in line ${point.line}, and ${comma.text} in line ${comma.line}. Write all of them with one sign.`,
    );
  return comma ? ',' : '.';
}

/**
 * Reads an amount in units of the currency. A minus, brackets or `Dr` make it negative.
 * @returns the amount in the smallest unit. Undefined: it is no amount, or has more than two decimal places
 */
export function readAmount(text: string, sign: DecimalSign): number | undefined {
  const plain = text.replace(beside, '');
  const parts = /^([-+(]?)([\d.,]+)([-)]?)(cr|dr)?\.?$/i.exec(plain);
  if (!parts) return undefined;
  const [, before = '', digits = '', after = '', side = ''] = parts;
  const grouping = sign === '.' ? ',' : '.';
  const [whole = '', hundredths = '', ...more] = digits.split(sign);
  const isGrouped = /^\d{1,3}([.,]\d{2,3})*$|^\d+$/.test(whole);
  if (more.length > 0 || !isGrouped || !/^\d{0,2}$/.test(hundredths)) return undefined;
  const amount = Number(whole.replaceAll(grouping, '') + hundredths.padEnd(2, '0'));
  if (!Number.isSafeInteger(amount)) return undefined;
  const isNegative = before === '-' || before === '(' || after !== '' || side.toLowerCase() === 'dr';
  return isNegative ? -amount : amount;
}
