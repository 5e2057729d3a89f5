/** Formats days, addresses and tax numbers for documents, in a language. */
import type { Address, TaxId } from '../../domain/parties/party.ts';

/** What tax numbers are called where they are issued. They have the same name in all languages. */
const taxIdNames: Readonly<Record<string, string>> = {
  bt_tpn: 'TPN',
  in_gst: 'GSTIN',
  in_gstin: 'GSTIN',
  in_pan: 'PAN',
  us_ein: 'EIN',
  eu_vat: 'VAT ID',
};

/** Made when needed: the first `Intl` object of a process loads the data of all languages. */
const formats = new Map<
  string,
  { readonly days: Intl.DateTimeFormat; readonly regions: Intl.DisplayNames }
>();

function formatsOf(locale: string) {
  const known = formats.get(locale);
  if (known) return known;
  const made = {
    days: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
    regions: new Intl.DisplayNames([locale, 'en'], { type: 'region' }),
  };
  formats.set(locale, made);
  return made;
}

/** Formats a day, given as `YYYY-MM-DD`: `1 March 2026`. @param locale a BCP 47 tag */
export function formatDay(day: string, locale: string): string {
  return formatsOf(locale).days.format(Date.parse(day));
}

/** Returns the lines of an address, of which each part can be missing. */
export function formatAddress(address: Address | null, locale: string): string[] {
  if (address === null) return [];
  const { line1, line2, city, state, postalCode, country } = address;
  const place = [city, [state, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  const nation = country === null ? null : (formatsOf(locale).regions.of(country) ?? country);
  return [line1, line2, place, nation].flatMap((line) => line || []);
}

/** Returns a tax number with its name: `GSTIN 29AAACR5055K1Z6`. A kind without a known name is shown as it is: `SG GST …`. */
export function formatTaxId({ type, value }: TaxId): string {
  return `${taxIdNames[type] ?? type.toUpperCase().replace('_', ' ')} ${value}`;
}
