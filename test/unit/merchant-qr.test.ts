/** Tests the texts of QR codes with amount and reference: EMVCo data objects and UPI links. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { qrAmountProblem } from '../../shared/domain/accounts/account.ts';
import {
  checksumOf,
  type DataObject,
  MerchantQrError,
  parseDataObjects,
  requireMerchantQr,
  serializeDataObjects,
  upiLinkOf,
  withPayment,
} from '../../shared/domain/accounts/merchant-qr.ts';

const sealed = (body: string) => `${body}6304${checksumOf(`${body}6304`)}`;
const parts = '00020101021126200006bt.rma01062001235204541153030645802BT5910Druk Store6007Thimphu';
const staticQr = sealed(parts);
const payment = { amountMinor: 250_050, currency: 'BTN', reference: 'R7K2-M9QX' } as const;

test('the checksum is CRC-16/CCITT-FALSE', () => {
  expect(checksumOf('123456789')).toBe('29B1');
  expect(checksumOf('')).toBe('FFFF');
});

test('property: data objects are parsed as they were serialized', () => {
  const value = fc.string({ minLength: 1, maxLength: 99, unit: 'grapheme-ascii' });
  const tag = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(tag, value), { selector: ([name]) => name }),
      (objects: DataObject[]) => {
        expect(parseDataObjects(serializeDataObjects(objects))).toEqual(objects);
      },
    ),
  );
});

test('property: any text is parsed and serialized to itself, or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('0', '1', '2', '5', 'a') }), (text) => {
      try {
        expect(serializeDataObjects(parseDataObjects(text))).toBe(text);
      } catch (error) {
        if (!(error instanceof MerchantQrError)) throw error;
      }
    }),
  );
});

test('a payment sets amount, reference, initiation and checksum, and nothing else', () => {
  const text = withPayment(staticQr, payment);
  const values = new Map(parseDataObjects(text));
  expect(values.get('01')).toBe('12');
  expect(values.get('54')).toBe('2500.50');
  expect(values.get('62')).toBe('0109R7K2-M9QX');
  requireMerchantQr(text, 'BTN');
  const others = (qr: string) =>
    parseDataObjects(qr).filter(([tag]) => !['01', '54', '62', '63'].includes(tag));
  expect(others(text)).toEqual(others(staticQr));
  expect(text.indexOf('000201')).toBe(0);
  expect(text.slice(-8, -4)).toBe('6304');
});

test('other additional data is kept, and amounts below one unit have a zero', () => {
  const text = withPayment(sealed(`${parts}62180708terminal0302S1`), { ...payment, amountMinor: 5 });
  const values = new Map(parseDataObjects(text));
  expect(parseDataObjects(values.get('62') ?? '')).toEqual([
    ['01', 'R7K2-M9QX'],
    ['03', 'S1'],
    ['07', 'terminal'],
  ]);
  expect(values.get('54')).toBe('0.05');
});

test('amounts in the QR code are refused if the page could not fill them in', () => {
  const problem = (paymentQr?: string) => qrAmountProblem({ paymentQr, paymentQrAmount: true });
  expect(problem(staticQr)).toBeUndefined();
  expect(qrAmountProblem({ paymentQr: 'bob:1', paymentQrAmount: undefined })).toBeUndefined();
  expect(problem()).toBe('Set the text of your static QR code first.');
  const full = sealed(`${parts}6299${serializeDataObjects([['07', 'x'.repeat(95)]])}`);
  expect(problem(full)).toContain('Tag 62 would have more than 99 characters');
  const data = ['64', '80', '81'].map((tag): DataObject => [tag, 'x'.repeat(90)]);
  expect(problem(sealed(parts + serializeDataObjects(data)))).toContain('too long');
});

describe('a text is refused with the reason', () => {
  test.each([
    ['no QR code', 'bob:12345', 'At character 1,'],
    ['a length that is too large', '000599', 'Tag 00 has the length 05'],
    ['a length of zero', '00020101005204', 'Tag 01 has the length 00'],
    ['another start', sealed(parts.slice(6)), 'must begin with 000201'],
    ['a tag that occurs twice', sealed(`${parts}5802BT`), 'Tag 58 occurs twice'],
    ['a missing name', sealed(parts.replace('5910Druk Store', '')), 'Tag 59 is missing'],
    ['no account', sealed(parts.replace(/2620.{20}/, '')), 'The account of the merchant'],
    ['another currency', sealed(parts.replace('5303064', '5303356')), 'Tag 53 names the currency 356'],
    ['a wrong checksum', `${staticQr.slice(0, -4)}0000`, 'checksum in tag 63 does not fit'],
    ['no checksum', parts, 'The last tag must be 63'],
    ['a letter that is changed', staticQr.replace('Druk', 'Drvk'), 'checksum'],
    ['other characters', staticQr.replace('Druk', 'Drük'), 'Only ASCII'],
    ['bad additional data', sealed(`${parts}6203abc`), 'At character 1,'],
  ])('%s', (_, text, reason) => {
    expect(() => requireMerchantQr(text, 'BTN')).toThrow(MerchantQrError);
    expect(() => requireMerchantQr(text, 'BTN')).toThrow(reason);
  });

  test('additional data that leaves no room for the reference', () => {
    const full = sealed(`${parts}6299${serializeDataObjects([['07', 'x'.repeat(95)]])}`);
    expect(() => withPayment(full, payment)).toThrow('Tag 62 would have more than 99 characters');
  });
});

test('a UPI link has the fields of the linking specification, encoded', () => {
  const link = upiLinkOf({
    upiId: 'druk@okbank',
    payee: 'Druk & Sons',
    amountMinor: 99,
    reference: 'R7K2-M9QX',
  });
  expect(link).toBe('upi://pay?pa=druk@okbank&pn=Druk%20%26%20Sons&am=0.99&cu=INR&tn=R7K2-M9QX&tr=R7K2M9QX');
});
