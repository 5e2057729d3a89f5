/**
 * Defines the seller profile of an account: who issues its invoices, and how they are numbered. `seller-rules.ts` has the rules
 * that concern several fields.
 */
import * as v from 'valibot';
import { identifierText, refuseHiddenCharacters, typedText } from '../../base/text.ts';
import { accountTaxSchema, newAccountTaxesSchema, type OwnTax } from '../charges/own-taxes.ts';
import {
  acceptedTaxes,
  hasOwnRate,
  type TaxCodeName,
  taxCodeNames,
  taxCodeSchema,
} from '../charges/tax-codes.ts';
import { type Address, addressSchema, newAddressSchema, type TaxId, taxIdSchema } from '../parties/party.ts';
import { isTimeZone } from './account.ts';
import { type Logo, logoSchema, newLogoSchema } from './logo.ts';

/** How the documents of a kind are numbered. */
export interface Series {
  /**
   * What each number begins with. `{year}` stands for the year of the document: `2026`, or `26-27` if the fiscal year does not begin
   * in January. It does not end with a digit, so two series never have the same number.
   */
  readonly prefix: string;
  /** The smallest number of digits. Zeros fill the number up. */
  readonly digits: number;
  /** Whether the numbers begin at 1 again in each fiscal year. Then the prefix has `{year}`. */
  readonly restart: 'never' | 'yearly';
}

/** Who issues the invoices of an account. */
export interface Seller {
  /** The legal name. */
  readonly legalName: string;
  readonly address: Address;
  readonly taxIds: readonly TaxId[];
  /** The time zone of the account, which decides days and times: an IANA name. */
  readonly timeZone: string;
  /** The first month of the fiscal year: 1 to 12. */
  readonly fiscalYearStart: number;
  readonly series: Readonly<Record<SeriesKind, Series>>;
  /** When an invoice without a due date is due: this many days after it is created, at the end of the day. Null: in 30 days. */
  readonly paymentDays: number | null;
  /** Whether invoices whose creation does not say so can be paid in parts. */
  readonly acceptPartial: boolean;
  /** The largest share of an invoice that a payment can write off, in percent. 0: nothing is written off. */
  readonly writeOffPercent: number;
  /** The tax of lines that name none. Null: none. */
  readonly defaultTax: TaxCodeName | null;
  /** The taxes that the account has beside those that all accounts have. */
  readonly taxes: readonly OwnTax[];
  readonly terms: string | null;
  readonly footer: string | null;
  readonly signatory: string | null;
  /** The color of headings: `#` and six hexadecimal digits. */
  readonly color: string | null;
  readonly logo: Logo | null;
}

/** The kinds of documents, as the series of a profile name them. */
export const seriesKinds = ['invoice', 'creditNote', 'receipt'] as const;
export type SeriesKind = (typeof seriesKinds)[number];

/**
 * The maximum number of characters of the number of an Indian tax invoice: rule 46(b) of the Central Goods and Services Tax Rules,
 * 2017. Rule 53(1A) says the same of credit notes, and rule 50 of receipts for advances.
 */
export const maxIndianNumber = 16;

/** Whether the numbers of a seller have at most `maxIndianNumber` characters. */
export const hasShortNumbers = ({ taxIds }: Pick<Seller, 'taxIds'>): boolean =>
  taxIds.some(({ type }) => type === 'in_gstin');

/** The kinds of tax numbers that a seller can have. */
export const sellerTaxIdTypes = ['bt_tpn', 'in_gstin', 'us_ein', 'eu_vat', 'other'] as const;
export const seriesRestarts = ['never', 'yearly'] as const;

/** The series of a new profile. */
export const defaultSeries: Seller['series'] = {
  invoice: { prefix: 'INV-', digits: 4, restart: 'never' },
  creditNote: { prefix: 'CN-', digits: 4, restart: 'never' },
  receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
};

/** The maximum numbers of characters. */
const sellerLimits = { legalName: 200, prefix: 20, terms: 2000, footer: 500, signatory: 100 } as const;
const maxDigits = 10;
const maxNext = 999_999_999;
const maxSellerTaxIds = 10;
const maxPaymentDays = 365;
/** The codes whose rate a line need not say. */
export const defaultTaxes = taxCodeNames.filter((code) => !hasOwnRate(code));

/** A text of one line. @param field the path of the field, as messages name it */
const line = (field: string, max: number) =>
  v.pipe(typedText(field, max), refuseHiddenCharacters(field, 'line'));
/** A text of several lines, which end with a line feed. */
const lines = (field: string, max: number) =>
  v.pipe(typedText(field, max), refuseHiddenCharacters(field, 'lines'));

const sellerMessage =
  'seller must be an object with legalName, address, taxIds, timeZone, fiscalYearStart, series, paymentDays, acceptPartial, writeOffPercent, defaultTax, taxes, terms, footer, signatory, color and logo.';
const taxIdsMessage = `seller.taxIds must be an array of at most ${maxSellerTaxIds} objects with type and value.`;
const taxIdTypeMessage = `The type of a tax ID must be one of ${sellerTaxIdTypes.join(', ')}.`;
const timeZoneMessage = 'seller.timeZone must be the IANA name of a time zone, such as Asia/Thimphu.';
const fiscalYearMessage = 'seller.fiscalYearStart must be the number of a month from 1 to 12.';
const paymentDaysMessage = `seller.paymentDays must be an integer from 0 to ${maxPaymentDays}.`;
const acceptPartialMessage = 'seller.acceptPartial must be true or false.';
const writeOffMessage = 'seller.writeOffPercent must be an integer from 0 to 100.';
const defaultTaxMessage = `seller.defaultTax must be ${acceptedTaxes}, and not us_sales, whose rate each line says.`;
const colorMessage = 'seller.color must be # and six hexadecimal digits, such as #1f5f8b.';
const seriesMessage = 'seller.series must be an object with invoice, creditNote and receipt.';
const prefixMessage = `The prefix of a series must have 1 to ${sellerLimits.prefix} of the characters A to Z, 0 to 9, - and /, and can have {year} once.`;
const prefixEndMessage =
  'The prefix of a series must not end with a digit or with {year}. Otherwise two series could have the same number. End it with a letter, - or /.';
const digitsMessage = `The digits of a series must be an integer from 1 to ${maxDigits}.`;
const nextMessage = `The next number of a series must be an integer from 1 to ${maxNext}.`;
const restartMessage = `The restart of a series must be ${seriesRestarts.join(' or ')}.`;

const prefixSchema = v.pipe(
  v.string(prefixMessage),
  v.check(
    (prefix) =>
      prefix.length <= sellerLimits.prefix &&
      /^[A-Z0-9/-]*(\{year\})?[A-Z0-9/-]*$/.test(prefix) &&
      prefix !== '',
    prefixMessage,
  ),
  v.check((prefix) => !/[\d}]$/.test(prefix), prefixEndMessage),
  v.metadata({ maxLength: sellerLimits.prefix }),
);

export const newSeriesSchema = v.strictObject(
  {
    prefix: v.optional(prefixSchema),
    digits: v.optional(
      v.pipe(
        v.number(digitsMessage),
        v.integer(digitsMessage),
        v.minValue(1, digitsMessage),
        v.maxValue(maxDigits, digitsMessage),
      ),
    ),
    restart: v.optional(v.picklist(seriesRestarts, restartMessage)),
    next: v.optional(
      v.pipe(
        v.number(nextMessage),
        v.integer(nextMessage),
        v.minValue(1, nextMessage),
        v.maxValue(maxNext, nextMessage),
      ),
    ),
  },
  'A series must be an object with prefix, digits, restart and next.',
);

export const newSellerSeriesSchema = v.strictObject(
  {
    invoice: v.optional(newSeriesSchema),
    creditNote: v.optional(newSeriesSchema),
    receipt: v.optional(newSeriesSchema),
  },
  seriesMessage,
);

export const sellerTaxIdSchema = v.strictObject(
  {
    type: v.picklist(sellerTaxIdTypes, taxIdTypeMessage),
    value: v.pipe(
      identifierText('The value of a tax ID', 50),
      refuseHiddenCharacters('The value of a tax ID', 'line'),
    ),
  },
  taxIdsMessage,
);

/**
 * The fields of a seller profile in a request. Absent fields do not change, and null removes an optional field. `address` and
 * `taxIds` are replaced as a whole, and a series field by field.
 */
export const sellerChangeSchema = /* @__PURE__ */ v.strictObject(
  {
    legalName: v.optional(line('seller.legalName', sellerLimits.legalName)),
    address: v.optional(newAddressSchema),
    taxIds: v.nullish(
      v.pipe(v.array(sellerTaxIdSchema, taxIdsMessage), v.maxLength(maxSellerTaxIds, taxIdsMessage)),
    ),
    timeZone: v.optional(v.pipe(v.string(timeZoneMessage), v.check(isTimeZone, timeZoneMessage))),
    fiscalYearStart: v.optional(
      v.pipe(
        v.number(fiscalYearMessage),
        v.integer(fiscalYearMessage),
        v.minValue(1, fiscalYearMessage),
        v.maxValue(12, fiscalYearMessage),
      ),
    ),
    series: v.optional(newSellerSeriesSchema),
    paymentDays: v.nullish(
      v.pipe(
        v.number(paymentDaysMessage),
        v.integer(paymentDaysMessage),
        v.minValue(0, paymentDaysMessage),
        v.maxValue(maxPaymentDays, paymentDaysMessage),
      ),
    ),
    acceptPartial: v.optional(v.boolean(acceptPartialMessage)),
    writeOffPercent: v.optional(
      v.pipe(
        v.number(writeOffMessage),
        v.integer(writeOffMessage),
        v.minValue(0, writeOffMessage),
        v.maxValue(100, writeOffMessage),
      ),
    ),
    defaultTax: v.nullish(
      v.pipe(
        taxCodeSchema(defaultTaxMessage),
        v.check((code) => !hasOwnRate(code), defaultTaxMessage),
      ),
    ),
    taxes: v.nullish(newAccountTaxesSchema),
    terms: v.nullish(lines('seller.terms', sellerLimits.terms)),
    footer: v.nullish(lines('seller.footer', sellerLimits.footer)),
    signatory: v.nullish(line('seller.signatory', sellerLimits.signatory)),
    color: v.nullish(v.pipe(v.string(colorMessage), v.regex(/^#[0-9a-fA-F]{6}$/, colorMessage))),
    logo: v.nullish(newLogoSchema),
  },
  sellerMessage,
);

export type SellerChange = v.InferOutput<typeof sellerChangeSchema>;

const shownText = v.nullable(v.string());
export const seriesSchema = v.strictObject({
  prefix: v.string(),
  digits: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxDigits)),
  restart: v.picklist(seriesRestarts),
});

export const sellerSeriesSchema = v.strictObject({
  invoice: seriesSchema,
  creditNote: seriesSchema,
  receipt: seriesSchema,
});

/** A seller profile in responses. It always has all fields. */
export const sellerSchema = /* @__PURE__ */ v.strictObject({
  legalName: v.string(),
  address: addressSchema,
  taxIds: v.array(taxIdSchema),
  timeZone: v.string(),
  fiscalYearStart: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(12)),
  series: sellerSeriesSchema,
  paymentDays: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxPaymentDays))),
  acceptPartial: v.boolean(),
  writeOffPercent: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)),
  defaultTax: v.nullable(taxCodeSchema()),
  taxes: v.array(accountTaxSchema),
  terms: shownText,
  footer: shownText,
  signatory: shownText,
  color: shownText,
  logo: v.nullable(logoSchema),
});
