/** Tests the checks of tax numbers, against the package that knows them where it does. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validate as validateGstin } from 'stdnum/lib/cjs/in/gstin.js';
import { findIndianState, indianStates } from '../../../shared/domain/parties/indian-states.ts';
import { checkTaxId } from '../../../shared/domain/parties/tax-id-checks.ts';

const problemOf = (type: string, value: string) => checkTaxId(type, value).problem;

test.each([
  ['in_gstin', '29aagcb7383j1z4', '29AAGCB7383J1Z4'],
  ['in_gstin', '27-AAPFU0939F1ZV', '27AAPFU0939F1ZV'],
  ['us_ein', '123456789', '12-3456789'],
  ['us_ein', '12-3456789', '12-3456789'],
  ['eu_vat', 'de 136 695 976', 'DE136695976'],
  ['eu_vat', 'ATU13585627', 'ATU13585627'],
  ['eu_vat', 'EL094259216', 'EL094259216'],
  ['eu_vat', 'XI980780684', 'XI980780684'],
  ['bt_tpn', 'taa 00123', 'TAA00123'],
  ['other', ' 12/34 ', '12/34'],
])('%s %s is stored as %s', (type, value, stored) => {
  expect(checkTaxId(type, value)).toEqual({ value: stored });
});

test.each([
  ['in_gstin', '29AAGCB7383J1Z5', 'last character does not fit'],
  ['in_gstin', '28AAGCB7383J1Z4', 'not the code of a state'],
  ['in_gstin', '29AAGCB7383J1', '15 characters'],
  ['us_ein', '00-3456789', 'prefix of the IRS'],
  ['us_ein', '12-345678', '9 digits'],
  ['eu_vat', 'DE136695977', 'check digit or length'],
  ['eu_vat', 'US136695976', 'member state'],
  ['eu_vat', '136695976', 'member state'],
  ['bt_tpn', 'AB', '5 to 15 letters'],
])('%s %s is refused: %s', (type, value, problem) => {
  expect(problemOf(type, value)).toContain(problem);
});

test('each member state and Northern Ireland has a check, and refuses a number of one digit', () => {
  const places = 'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(
    ' ',
  );
  for (const place of places) expect(problemOf('eu_vat', `${place}1`)).toContain('check digit or length');
});

const digit = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`));
const letter = (count: number) => fc.stringMatching(new RegExp(`^[A-Z]{${count}}$`));
/** A GSTIN with any check character. The fourth letter of a PAN is the kind of its holder. */
const gstins = fc
  .tuple(
    fc.constantFrom(...indianStates.map(({ gstCode }) => gstCode)),
    letter(3),
    fc.constantFrom(...'ABCFGHLJPT'),
    letter(1),
    digit(4),
    letter(1),
    fc.constantFrom(...'123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  )
  // The package refuses a PAN with the digits 0000, and does not know Ladakh.
  .filter(([state, , , , digits]) => state !== '38' && digits !== '0000')
  .map(([state, name, kind, initial, digits, last, number, check]) =>
    [state, name, kind, initial, digits, last, number, 'Z', check].join(''),
  );

test('one character of 36 fits a GSTIN, as the package says', () => {
  const every = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  fc.assert(
    fc.property(gstins, (gstin) => {
      const all = [...every].map((character) => gstin.slice(0, 14) + character);
      const fitting = all.filter((each) => problemOf('in_gstin', each) === undefined);
      expect(fitting).toHaveLength(1);
      expect(all.filter((each) => validateGstin(each).isValid)).toEqual(fitting);
    }),
  );
});

test('a state is found by its name, its GST code and its ISO codes', () => {
  for (const state of indianStates) {
    expect(findIndianState(state.name.toLowerCase())).toBe(state);
    expect(findIndianState(state.gstCode)).toBe(state);
    expect(findIndianState(`IN-${state.isoCode}`)).toBe(state);
  }
  expect(findIndianState('Jammu & Kashmir')?.gstCode).toBe('01');
  expect(findIndianState('TG')?.name).toBe('Telangana');
  expect(findIndianState('Thimphu')).toBeUndefined();
  expect(new Set(indianStates.flatMap(({ gstCode, isoCode }) => [gstCode, isoCode])).size).toBe(72);
});
