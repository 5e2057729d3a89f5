/** Describes how the seller profile of an account is stored. */
import type { Item } from '../../store/records.ts';
import {
  count,
  defineItem,
  nullable,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { TaxCodeName } from '../charges/tax-codes.ts';
import { storedAddress, storedTaxIds } from '../parties/stored-party.ts';
import { defaultSeries, type Seller, type Series, type SeriesKind } from './seller.ts';

const nullableText = nullable(text);

const series = objectOf<Series>({ prefix: text, digits: positive, restart: oneOf('never', 'yearly') });

/** A profile that another release has stored has no series of receipts, and no defaults of invoices. */
type StoredSeries = Record<Exclude<SeriesKind, 'receipt'>, Series> & { receipt?: Series | undefined };
type StoredProfile = Omit<Seller, 'series' | 'paymentDays' | 'defaultTax'> &
  Partial<Pick<Seller, 'paymentDays' | 'defaultTax'>> & { readonly series: StoredSeries };

const toProfile = defineItem<StoredProfile>(({ pk }) => `the seller of ${pk}`, {
  legalName: text,
  address: storedAddress,
  taxIds: storedTaxIds,
  timeZone: text,
  fiscalYearStart: positive,
  series: objectOf<StoredSeries>({ invoice: series, creditNote: series, receipt: optional(series) }),
  paymentDays: optional(nullable(count)),
  defaultTax: optional(nullable(textOf<TaxCodeName>())),
  terms: nullableText,
  footer: nullableText,
  signatory: nullableText,
  color: nullableText,
});

/** Returns the seller profile that an item stores. @throws MalformedItemError */
export function toSeller(item: Item): Seller {
  const { paymentDays = null, defaultTax = null, ...profile } = toProfile(item);
  const { receipt = defaultSeries.receipt, ...series } = profile.series;
  return { ...profile, paymentDays, defaultTax, series: { ...series, receipt } };
}
