/** Tests changes of a seller profile: defaults, and the rules that concern several fields. */
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { ApiError } from '../../../shared/base/errors.ts';
import {
  type Seller,
  type SellerChange,
  sellerChangeSchema,
  sellerSchema,
} from '../../../shared/domain/accounts/seller.ts';
import { changedSeller } from '../../../shared/domain/accounts/seller-rules.ts';
import { gstCodeOf } from '../../../shared/domain/parties/indian-states.ts';

const bhutan = { legalName: 'Druk Crafts Pvt Ltd', address: { country: 'BT' } } as const;
const gstin = { type: 'in_gstin', value: '29AAGCB7383J1Z4' } as const;
const india = {
  legalName: 'Tea House Private Limited',
  address: { line1: '1 MG Road', city: 'Bengaluru', country: 'IN' },
  taxIds: [gstin],
} as const;

/** Applies a change as a request sends it. */
function change(current: Seller | undefined, asked: unknown, timeZone?: string): Seller {
  return changedSeller(current, v.parse(sellerChangeSchema, asked) as SellerChange, timeZone);
}

function problemsOf(current: Seller | undefined, asked: unknown) {
  try {
    change(current, asked);
  } catch (error) {
    if (error instanceof ApiError) return error.details?.map(({ field, message }) => ({ field, message }));
    throw error;
  }
  return undefined;
}
const only = (field: string, message: string) => [{ field, message: expect.stringContaining(message) }];
const messagesOf = (asked: unknown) =>
  v.safeParse(sellerChangeSchema, asked).issues?.map(({ message }) => message);

describe('a new profile', () => {
  test('needs only a name and a country', () => {
    const seller = change(undefined, bhutan);
    expect(seller).toEqual({
      legalName: 'Druk Crafts Pvt Ltd',
      address: { line1: null, line2: null, city: null, state: null, postalCode: null, country: 'BT' },
      taxIds: [],
      timeZone: 'Asia/Thimphu',
      fiscalYearStart: 1,
      series: {
        invoice: { prefix: 'INV-', digits: 4, restart: 'never' },
        creditNote: { prefix: 'CN-', digits: 4, restart: 'never' },
        receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
      },
      paymentDays: null,
      acceptPartial: false,
      writeOffPercent: 0,
      defaultTax: null,
      terms: null,
      footer: null,
      signatory: null,
      color: null,
      logo: null,
      taxes: [],
    });
    expect(v.is(sellerSchema, seller)).toBe(true);
  });

  test('has the time zone of the account, else of the country, else UTC', () => {
    expect(change(undefined, bhutan, 'Europe/Berlin').timeZone).toBe('Europe/Berlin');
    expect(change(undefined, { ...bhutan, timeZone: 'Asia/Tokyo' }, 'Europe/Berlin').timeZone).toBe(
      'Asia/Tokyo',
    );
    expect(change(undefined, { ...bhutan, address: { country: 'FR' } }).timeZone).toBe('UTC');
  });

  test('in India begins the fiscal year in April, and has the state of its GSTIN', () => {
    const seller = change(undefined, india);
    expect(seller).toMatchObject({ fiscalYearStart: 4, timeZone: 'Asia/Kolkata', taxIds: [gstin] });
    expect(seller.address.state).toBe('Karnataka');
    expect(gstCodeOf(seller.address)).toBe('29');
  });

  test('without name or country names what is missing', () => {
    expect(problemsOf(undefined, { footer: 'Thanks' })).toEqual([
      { field: 'seller.legalName', message: 'seller.legalName is missing. Add it.' },
      { field: 'seller.address', message: 'seller.address is missing. Add it.' },
    ]);
    expect(problemsOf(undefined, { legalName: 'A', address: { city: 'Paro' } })).toEqual(
      only('seller.address.country', 'missing'),
    );
  });
});

describe('a change', () => {
  test('keeps absent fields, removes optional fields with null, and merges series', () => {
    const before = change(undefined, { ...bhutan, footer: 'Thanks', color: '#ABCDEF' });
    const after = change(before, { footer: null, series: { invoice: { digits: 6 } } });
    expect(after).toEqual({
      ...before,
      footer: null,
      series: { ...before.series, invoice: { ...before.series.invoice, digits: 6 } },
    });
    expect(after.color).toBe('#abcdef');
  });

  test('that changes nothing returns the same profile', () => {
    const before = change(undefined, india);
    expect(change(before, {})).toEqual(before);
    expect(change(before, before)).toEqual(before);
  });

  test('of the state must fit the GSTIN', () => {
    const address = { ...india.address, state: 'MH' };
    expect(problemsOf(undefined, { ...india, address })).toEqual(
      only(
        'seller.taxIds.0.value',
        'begins with 29, the code of Karnataka, but the address is in Maharashtra (27)',
      ),
    );
    expect(problemsOf(undefined, { ...india, address: { ...address, state: 'Thimphu' } })).toEqual(
      only('seller.address.state', 'must be a state of India'),
    );
    expect(problemsOf(undefined, { ...india, address: { country: 'BT' } })).toEqual(
      only('seller.address.country', 'needs an address in India'),
    );
  });

  test('names the position of a wrong tax number, and of one too many', () => {
    const wrong = { type: 'in_gstin', value: '29AAGCB7383J1Z5' };
    const other = { type: 'other', value: '1' };
    expect(problemsOf(undefined, { ...india, taxIds: [other, wrong] })).toEqual(
      only('seller.taxIds.1.value', 'last character does not fit'),
    );
    const tpn = { type: 'bt_tpn', value: 'TAA00123' };
    expect(problemsOf(undefined, { ...bhutan, taxIds: [tpn, { ...tpn, value: 'TAA00124' }] })).toEqual(
      only('seller.taxIds.1', 'at most one bt_tpn'),
    );
    expect(problemsOf(undefined, { ...bhutan, taxIds: [other, other] })).toEqual(
      only('seller.taxIds.1', 'twice'),
    );
    expect(change(undefined, { ...bhutan, taxIds: [other, { ...other, value: '2' }] }).taxIds).toHaveLength(
      2,
    );
  });
});

describe('a series', () => {
  const series = (invoice: object) => ({ ...bhutan, series: { invoice } });

  test('that restarts yearly has the year in its prefix', () => {
    expect(problemsOf(undefined, series({ restart: 'yearly' }))).toEqual(
      only('seller.series.invoice.restart', 'needs {year}'),
    );
    expect(change(undefined, series({ restart: 'yearly', prefix: 'INV/{year}/' })).series.invoice).toEqual({
      prefix: 'INV/{year}/',
      digits: 4,
      restart: 'yearly',
    });
  });

  test('has at most 16 characters with a GSTIN: the year of a fiscal year from April has five', () => {
    const asked = (prefix: string, digits: number) => ({ ...india, series: { invoice: { prefix, digits } } });
    expect(problemsOf(undefined, asked('ABCDE/{year}/', 4))).toBeUndefined();
    expect(problemsOf(undefined, asked('ABCDEF/{year}/', 4))).toEqual(
      only('seller.series.invoice.prefix', 'would have 17 characters'),
    );
    expect(problemsOf(undefined, { ...asked('ABCDEF/{year}/', 4), fiscalYearStart: 1 })).toBeUndefined();
    expect(problemsOf(undefined, series({ prefix: 'ABCDEFGHIJKLMNOPQRS-', digits: 10 }))).toBeUndefined();
  });

  test('never has the numbers of the other series', () => {
    const both = (invoice: string, creditNote: string) =>
      problemsOf(undefined, {
        ...bhutan,
        series: { invoice: { prefix: invoice }, creditNote: { prefix: creditNote } },
      });
    for (const [one, other] of [
      ['A-', 'A-'],
      ['A{year}-', 'A{year}-'],
      ['A{year}-', 'A2026-'],
      ['A26-27/', 'A{year}/'],
    ] as const)
      expect(both(one, other)).toEqual(only('seller.series.creditNote.prefix', 'same numbers'));
    expect(both('A{year}-', 'B2026-')).toBeUndefined();
    expect(both('A-', 'RCP-')).toEqual(only('seller.series.receipt.prefix', 'same numbers'));
    const receipt = { receipt: { prefix: 'A-' }, creditNote: { prefix: 'RCP-' } };
    expect(problemsOf(undefined, { ...bhutan, series: receipt })).toBeUndefined();
    expect(both('A-', 'A-A-')).toBeUndefined();
  });

  test.each([
    ['INV-2026', 'must not end with a digit'],
    ['INV{year}', 'must not end with a digit'],
    ['inv-', 'A to Z'],
    ['{year}-{year}-', '{year} once'],
    ['INV_', 'A to Z'],
    ['', 'A to Z'],
    ['ABCDEFGHIJKLMNOPQRSTU', '1 to 20'],
  ])('refuses the prefix %j', (prefix, message) => {
    expect(messagesOf(series({ prefix }))).toEqual([expect.stringContaining(message)]);
  });
});

test.each([
  [{ legalName: 'Druk\u202eCrafts' }, 'hidden characters'],
  [{ legalName: 'Druk\nCrafts' }, 'hidden characters'],
  [{ footer: 'Thanks\u2066' }, 'hidden characters'],
  [{ terms: 'Card 4242424242424242' }, 'card number'],
  [{ taxIds: [{ type: 'other', value: '1\u202e2' }] }, 'hidden characters'],
  [{ taxIds: [{ type: 'fr_tva', value: '1' }] }, 'must be one of bt_tpn'],
  [{ timeZone: '+06:00' }, 'IANA name'],
  [{ fiscalYearStart: 13 }, '1 to 12'],
  [{ color: 'red' }, 'hexadecimal'],
  [{ series: { invoice: { digits: 11 } } }, '1 to 10'],
  [{ series: { invoice: { restart: 'daily' } } }, 'never or yearly'],
  [{ legalName: null }, 'legalName'],
])('the schema refuses %j', (asked, message) => {
  expect(messagesOf(asked)).toEqual([expect.stringContaining(message)]);
});

test('hidden characters in an address are refused, and joiners of Indic scripts are not', () => {
  expect(problemsOf(undefined, { ...bhutan, address: { city: 'Pa\u202ero', country: 'BT' } })).toEqual(
    only('seller.address.city', 'hidden characters'),
  );
  expect(change(undefined, { ...bhutan, legalName: 'क्\u200dष' }).legalName).toBe('क्\u200dष');
});
