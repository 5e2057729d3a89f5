/**
 * Sets the amount and the reference in the text of a static QR code of a merchant (EMVCo, Merchant-Presented Mode), as
 * national QR codes such as that of Bhutan have it. Also checks such texts.
 *
 * - A text is a sequence of data objects: a tag of two digits, a length of two digits, and the value.
 * - The last object is a checksum over all characters before its value.
 */
import type { Currency } from '../../base/money.ts';

/** Thrown for a text that is no such QR code. The message says what is wrong. */
export class MerchantQrError extends Error {}

/** A data object. */
export type DataObject = readonly [tag: string, value: string];

const tags = {
  format: '00',
  initiation: '01',
  currency: '53',
  amount: '54',
  additional: '62',
  checksum: '63',
};
/** Merchant category, currency, country, name and city. */
const required = ['52', '53', '58', '59', '60'];
const billNumber = '01';
/** The numbers of currencies in ISO 4217. */
const currencyNumbers: Record<Currency, string> = { USD: '840', BTN: '064', INR: '356' };

/**
 * Parses data objects.
 * @throws MerchantQrError if the text is not a sequence of data objects with different tags
 */
export function parseDataObjects(text: string): DataObject[] {
  const objects: DataObject[] = [];
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4));
    if (!head)
      throw new MerchantQrError(
        `At character ${at + 1}, a tag and a length of two digits each are expected.`,
      );
    const [, tag = '', length = ''] = head;
    const value = text.slice(at + 4, at + 4 + Number(length));
    if (value.length < Number(length) || value === '')
      throw new MerchantQrError(
        `Tag ${tag} has the length ${length}, but ${value.length} characters follow.`,
      );
    if (objects.some(([other]) => other === tag)) throw new MerchantQrError(`Tag ${tag} occurs twice.`);
    objects.push([tag, value]);
    at += 4 + value.length;
  }
  return objects;
}

/**
 * Returns the text of data objects.
 * @throws MerchantQrError if a value has more than 99 characters
 */
export function serializeDataObjects(objects: readonly DataObject[]): string {
  return objects
    .map(([tag, value]) => {
      if (value.length > 99) throw new MerchantQrError(`Tag ${tag} would have more than 99 characters.`);
      return `${tag}${String(value.length).padStart(2, '0')}${value}`;
    })
    .join('');
}

/**
 * Checks the text of a merchant's static QR code: structure, required objects, currency and checksum.
 * @throws MerchantQrError that names what is wrong
 */
export function requireMerchantQr(text: string, currency: Currency): void {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new MerchantQrError('Only ASCII characters are allowed.');
  const objects = parseDataObjects(text);
  const values = new Map(objects);
  if (objects[0]?.[0] !== tags.format || values.get(tags.format) !== '01')
    throw new MerchantQrError('The text must begin with 000201.');
  const missing = required.find((tag) => !values.has(tag));
  if (missing) throw new MerchantQrError(`Tag ${missing} is missing.`);
  if (!objects.some(([tag]) => tag >= '02' && tag <= '51'))
    throw new MerchantQrError('The account of the merchant, in one of the tags 02 to 51, is missing.');
  if (values.get(tags.currency) !== currencyNumbers[currency])
    throw new MerchantQrError(
      `Tag 53 names the currency ${values.get(tags.currency)}, but ${currency} is ${currencyNumbers[currency]}.`,
    );
  if (values.has(tags.additional)) parseDataObjects(values.get(tags.additional) ?? '');
  if (objects.at(-1)?.[0] !== tags.checksum)
    throw new MerchantQrError('The last tag must be 63, the checksum.');
  const expected = checksumOf(text.slice(0, -4));
  if (values.get(tags.checksum)?.toUpperCase() !== expected)
    throw new MerchantQrError('The checksum in tag 63 does not fit. Copy the whole text without changes.');
}

/**
 * Returns the text of a QR code for one payment: with amount and reference, and with a new checksum.
 * @param text a static QR code
 * @param payment the amount in the smallest unit of the currency, of which 100 are one unit
 * @throws MerchantQrError as `requireMerchantQr`, or if an object becomes too long
 */
export function withPayment(
  text: string,
  { amountMinor, currency, reference }: { amountMinor: number; currency: Currency; reference: string },
): string {
  requireMerchantQr(text, currency);
  const values = new Map(parseDataObjects(text));
  const additional = new Map(parseDataObjects(values.get(tags.additional) ?? ''));
  additional.set(billNumber, reference);
  values.set(tags.initiation, '12');
  values.set(tags.amount, decimalAmount(amountMinor));
  values.set(tags.additional, serializeDataObjects([...additional].sort(byTag)));
  values.delete(tags.checksum);
  const body = `${serializeDataObjects([...values].sort(byTag))}${tags.checksum}04`;
  return body + checksumOf(body);
}

/**
 * Returns a link that opens an app for UPI payments with payee, amount and reference filled in, as NPCI's linking
 * specification says. It is also the text of the QR code.
 */
export function upiLinkOf({
  upiId,
  payee,
  amountMinor,
  reference,
}: {
  readonly upiId: string;
  readonly payee: string;
  readonly amountMinor: number;
  readonly reference: string;
}): string {
  const fields = {
    pn: payee,
    am: decimalAmount(amountMinor),
    cu: 'INR',
    tn: reference,
    tr: reference.replace('-', ''),
  };
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `upi://pay?pa=${upiId}&${query.join('&')}`;
}

const byTag = ([one]: DataObject, [other]: DataObject): number => Number(one) - Number(other);

/** Returns an amount with two decimals, from hundredths. */
function decimalAmount(amountMinor: number): string {
  const digits = String(amountMinor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns the CRC-16/CCITT-FALSE of ASCII text as four hexadecimal digits. */
export function checksumOf(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
