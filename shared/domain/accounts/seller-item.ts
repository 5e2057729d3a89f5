/** Describes how the seller profile of an account is stored. */
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  count,
  defineItem,
  flag,
  nullable,
  objectOf,
  oneOf,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { OwnTax } from '../charges/own-taxes.ts';
import type { OwnTaxCode, TaxCodeName } from '../charges/tax-codes.ts';
import { storedAddress, storedTaxIds } from '../parties/stored-party.ts';
import { type Logo, logoTypes } from './logo.ts';
import type { Seller, Series } from './seller.ts';

const nullableText = nullable(text);

const series = objectOf<Series>({ prefix: text, digits: positive, restart: oneOf('never', 'yearly') });

const logo = objectOf<Logo>({ sha256: text, type: oneOf(...logoTypes), width: positive, height: positive });

/** Returns the seller profile that an item stores. @throws MalformedItemError */
export const toSeller: (item: Item) => Seller = defineItem<Seller>(({ pk }) => `the seller of ${pk}`, {
  legalName: text,
  address: storedAddress,
  taxIds: storedTaxIds,
  timeZone: text,
  fiscalYearStart: positive,
  series: objectOf<Seller['series']>({ invoice: series, creditNote: series, receipt: series }),
  paymentDays: nullable(count),
  acceptPartial: flag,
  writeOffPercent: count,
  defaultTax: nullable(textOf<TaxCodeName>()),
  taxes: arrayOf(
    objectOf<OwnTax>({
      code: textOf<OwnTaxCode>(),
      name: text,
      rates: arrayOf(objectOf<OwnTax['rates'][number]>({ from: text, percent: text })),
    }),
  ),
  terms: nullableText,
  footer: nullableText,
  signatory: nullableText,
  color: nullableText,
  logo: nullable(logo),
});
