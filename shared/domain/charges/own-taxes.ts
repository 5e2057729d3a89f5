/**
 * Defines the taxes of an account: tax codes of its own, each with a name and with rates from days on. A line takes the name and the
 * rate of the day of its invoice, and keeps them. Pure.
 */
import * as v from 'valibot';
import { isDay } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import { type FilledLine, percentSchema } from './line.ts';
import { isOwnTax, type OwnTaxCode, ownTaxPattern } from './tax-codes.ts';

interface OwnRate {
  /** The first day on which the rate holds, in the time zone of the seller: `YYYY-MM-DD`. */
  readonly from: string;
  /** In percent, as a decimal number. */
  readonly percent: string;
}

/** A tax of an account. */
export interface OwnTax {
  readonly code: OwnTaxCode;
  /** What documents call it. */
  readonly name: string;
  /** The rates, the oldest first. */
  readonly rates: readonly OwnRate[];
}

const maxOwnTaxes = 20;
const maxRates = 20;

const taxesMessage = `seller.taxes must be an array of at most ${maxOwnTaxes} objects with code, name and rates.`;
const codeMessage =
  'The code of a tax must be own_ and 1 to 30 lowercase letters, digits and _, such as own_hotel.';
const ratesMessage = `The rates of a tax must be an array of 1 to ${maxRates} objects with from and percent.`;
const fromMessage = 'The first day of a rate must be a date from 2000-01-01 on, such as 2026-07-01.';
const ratePercentMessage =
  'The percent of a rate must be a decimal number as text from 0 to 100, with at most 6 places, such as "12.5".';
const twiceMessage = 'Two taxes must not have the same code, and two rates of a tax not the same first day.';

const areDifferent = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const newTaxRateSchema = v.strictObject(
  {
    from: v.pipe(
      v.string(fromMessage),
      v.check((text) => isDay(text, '2000-01-01'), fromMessage),
      v.metadata({ format: 'date' }),
    ),
    percent: percentSchema(ratePercentMessage),
  },
  ratesMessage,
);

export const newAccountTaxSchema = v.strictObject(
  {
    code: v.pipe(v.string(codeMessage), v.regex(ownTaxPattern, codeMessage)),
    name: v.pipe(typedText('The name of a tax', 50), refuseHiddenCharacters('The name of a tax', 'line')),
    rates: v.pipe(
      v.array(newTaxRateSchema, ratesMessage),
      v.minLength(1, ratesMessage),
      v.maxLength(maxRates, ratesMessage),
      v.check((rates) => areDifferent(rates.map(({ from }) => from)), twiceMessage),
    ),
  },
  taxesMessage,
);

/** The taxes of an account in a request. */
export const newAccountTaxesSchema = v.pipe(
  v.array(newAccountTaxSchema, taxesMessage),
  v.maxLength(maxOwnTaxes, taxesMessage),
  v.check((taxes) => areDifferent(taxes.map(({ code }) => code)), twiceMessage),
);

export const taxRateSchema = v.strictObject({
  from: v.pipe(v.string(), v.metadata({ format: 'date' })),
  percent: v.string(),
});

export const accountTaxSchema = v.strictObject({
  code: v.pipe(v.string(), v.regex(ownTaxPattern)),
  name: v.string(),
  rates: v.array(taxRateSchema),
});

/** Returns taxes as they are stored, with the oldest rate of each first. */
export const toOwnTaxes = (taxes: v.InferOutput<typeof newAccountTaxesSchema>): OwnTax[] =>
  taxes.map(({ code, name, rates }) => ({
    code: code as OwnTaxCode,
    name,
    rates: rates
      .map(({ from, percent }) => ({ from, percent }))
      .toSorted((one, other) => (one.from < other.from ? -1 : 1)),
  }));

/** A body whose lines say all but the rates of the taxes of the account. */
export interface RatedBody {
  readonly lines?: readonly FilledLine[] | null | undefined;
}

/** Whether a line has a tax of the account, whose rate must be read. */
export const hasOwnTax = ({ lines }: RatedBody): boolean =>
  lines?.some(({ tax }) => tax != null && isOwnTax(tax)) ?? false;

/**
 * Returns a body whose lines with a tax of the account have its name and its rate. The result no longer depends on the account.
 * @param day the day of the invoice in the time zone of the seller: `YYYY-MM-DD`
 * @throws ApiError `invalid_lines` if the account has no such tax, or if its first rate begins later
 */
export function withRates<Body extends RatedBody>(body: Body, taxes: readonly OwnTax[], day: string): Body {
  const rated = (line: FilledLine, index: number): FilledLine => {
    const { tax } = line;
    if (tax == null || !isOwnTax(tax)) return line;
    const found = taxes.find(({ code }) => code === tax);
    if (!found)
      throw invalidTax(
        index,
        `Your account has no tax ${tax}. Add it to seller.taxes of the account, or name another tax.`,
      );
    const { name, rates } = found;
    const rate = rates.findLast(({ from }) => from <= day);
    if (!rate)
      throw invalidTax(
        index,
        `The tax ${tax} exists from ${rates[0]?.from} on, and the invoice is of ${day}.`,
      );
    return { ...line, taxPercent: rate.percent, taxName: name };
  };
  return body.lines ? { ...body, lines: body.lines.map(rated) } : body;
}

function invalidTax(index: number, message: string): ApiError {
  return new ApiError('invalid_lines', { field: `lines.${index}.tax`, message });
}

/** Returns taxes as lines of text, one for each rate: `own_hotel 3 2026-01-01 Hotel levy`. */
export const textsOfTaxes = (taxes: readonly OwnTax[]): string[] =>
  taxes.flatMap(({ code, name, rates }) =>
    rates.map(({ from, percent }) => `${code} ${percent} ${from} ${name}`),
  );

/** Returns what lines of text say, for `newAccountTaxesSchema`, which finds what is wrong. @param texts as `textsOfTaxes` */
export function taxesInTexts(texts: readonly string[]): v.InferInput<typeof newAccountTaxesSchema> {
  const rates = texts.map((text) => {
    const [, code = text, percent = '', from = '', name = ''] =
      /^(\S+)\s+(\S+)\s+(\S+)\s+(.+)$/.exec(text.trim()) ?? [];
    return { code, name, rate: { from, percent } };
  });
  const byTax = Map.groupBy(rates, ({ code, name }) => `${code} ${name}`);
  return [...byTax.values()].map((ofTax) => {
    const [{ code, name } = { code: '', name: '' }] = ofTax;
    return { code, name, rates: ofTax.map(({ rate }) => rate) };
  });
}
