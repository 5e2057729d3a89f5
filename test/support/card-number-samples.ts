/** Has the published test numbers of card issuers, and makes random texts that look like card numbers and are none. */
import { createHash } from 'node:crypto';

/** Reading a global takes long in the tests, each of which has globals of its own. */
const { imul, floor } = Math;

/**
 * Test numbers that payment companies publish, by issuer.
 * - Stripe: docs.stripe.com/testing
 * - Adyen: docs.adyen.com/development-resources/testing/test-card-numbers, and its test cards for terminals
 * - Braintree: developer.paypal.com/braintree/docs/reference/general/testing
 * - PayPal Payflow: "Credit card numbers for testing" (also 13 digits, JCB, Dankort, Switch)
 * - Authorize.Net: developer.authorize.net/hello_world/testing_guide.html
 * - Mastercard Gateway, Razorpay (razorpay.com/docs/payments/payments/test-card-details), Worldpay, Barclaycard ePDQ
 * - Verve: Paystack (paystack.com/docs/payments/test-payments) and Interswitch
 * - Elo, Hipercard and Aura: gist.github.com/claudiosanches/26d9668f21dbdc787472
 * - Mir and Troy publish none, so those here are numbers of their ranges with a correct check digit
 */
export const publishedNumbers: Readonly<Record<string, readonly string[]>> = {
  Visa: [
    '4242424242424242',
    '4000056655665556',
    '4000000000000002',
    '4000002500003155',
    '4111111111111111',
    '4111111145551142',
    '4012888888881881',
    '4005519200000004',
    '4009348888881881',
    '4012000033330026',
    '4012000077777777',
    '4217651111111119',
    '4500600000000061',
    '4508750015741019',
    '4222222222222',
    '4007000000027',
    '4012888818888',
  ],
  Mastercard: [
    '5555555555554444',
    '5105105105105100',
    '5200828282828210',
    '5454545454545454',
    '5424000000000015',
    '5413330089099999',
    '5104060000000008',
    '5267318187975449',
    '5123450000000008',
    '2223003122003222',
    '2223000048400011',
    '2223000000000007',
  ],
  'American Express': [
    '378282246310005',
    '371449635398431',
    '378734493671000',
    '370000000000002',
    '371881634498004',
  ],
  'Diners Club': [
    '36227206271667',
    '3056930009020004',
    '30569309025904',
    '38520000023237',
    '36259600000004',
    '38000000000006',
  ],
  Discover: [
    '6011111111111117',
    '6011000990139424',
    '6011981111111113',
    '6011000991300009',
    '6011000000000012',
  ],
  JCB: ['3566002020360505', '3530111333300000', '3569990010095841', '3088000000000017'],
  UnionPay: [
    '6200000000000005',
    '6200000000000047',
    '6205500000000000004',
    '6243030000000001',
    '6221261111117766',
    '6223164991230014',
  ],
  Maestro: [
    '6304000000000000',
    '6759649826438453',
    '6799990100000000019',
    '6759411100000008',
    '6759560045005727054',
    '5641821111166669',
    '586824160825533338',
    '50339619890917',
    '6799998900000099990',
    '6000070736169237003',
    '6771798021000008',
  ],
  RuPay: ['6074819900004939', '6527658900001005'],
  Elo: ['6362970000457013'],
  Hipercard: ['6062825624254001'],
  Aura: ['5078601870000127985', '5078601800003247449'],
  Dankort: ['5019717010103742'],
  Switch: ['6331101999990016'],
  Bancontact: ['6703444444444449'],
  BankCard: ['5610591081018250'],
  'BC Card and DinaCard': ['6555900000604105'],
  Mir: [withCheckDigit('220012345678901'), withCheckDigit('220412345678901234')],
  Troy: [withCheckDigit('979212345678901')],
  Verve: ['5060666666666666666', '507850785078507812', '50785078507850784', '5061030000000000084'],
};

/** Adyen's number of UATP, a card for air travel. It is found in groups only. */
export const numberInGroups = '135410014004955';

/** The groups in which people write a card number of so many digits, by its length. */
const groupingsByLength: Readonly<Record<number, readonly string[]>> = {
  13: ['4 3 3 3', '4 4 5', '4 4 4 1'],
  14: ['4 6 4', '4 4 4 2'],
  15: ['4 6 5', '4 5 6', '4 4 4 3'],
  16: ['4 4 4 4'],
  17: ['4 4 4 4 1'],
  18: ['4 4 4 4 2'],
  19: ['4 4 4 4 3', '6 13'],
};

/** Returns a card number in all forms in which people write it. */
export function writtenForms(number: string): string[] {
  const groupings = groupingsByLength[number.length] ?? [];
  const separators = [' ', '-', '.', '\u00a0', '\u2011', '\u202f'];
  return [
    number,
    ...groupings.flatMap((grouping) => separators.map((separator) => group(number, grouping, separator))),
  ];
}

function group(digits: string, grouping: string, separator: string): string {
  let start = 0;
  const groups = grouping.split(' ').map((length) => {
    const from = start;
    start += Number(length);
    return digits.slice(from, start);
  });
  return groups.join(separator);
}

/** Returns the digits with their check digit (Luhn). */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Returns the next number in [0, 1). */
export type NextNumber = () => number;

/** Returns a fast sequence of numbers that depends only on the seed (mulberry32). */
export function randomNumbers(seed: number): NextNumber {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = imul(state ^ (state >>> 15), 1 | state);
    value = (value + imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const characters = (next: NextNumber, alphabet: string, length: number): string => {
  let text = '';
  for (let count = 0; count < length; count++) text += alphabet[floor(next() * alphabet.length)];
  return text;
};
const hex = (next: NextNumber, length: number) => characters(next, '0123456789abcdef', length);

/** A text of only digits is a number. The tokens here have a letter. */
const withLetter = (make: (next: NextNumber) => string) => (next: NextNumber) => {
  for (;;) {
    const token = make(next);
    if (/[a-z]/i.test(token)) return token;
  }
};

/** Returns a UUID. @param time the part before the version */
const uuid = (next: NextNumber, version: 4 | 7, time: string) =>
  `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex(next, 3)}-${characters(next, '89ab', 1)}${hex(next, 3)}-${hex(next, 12)}`;

/** Random tokens, by kind. Each has letters and digits. */
const tokens: Readonly<Record<string, (next: NextNumber) => string>> = {
  'UUID version 4': (next) => uuid(next, 4, hex(next, 12)),
  'UUID version 7': (next) => uuid(next, 7, `019${hex(next, 9)}`),
  ULID: (next) => `01${characters(next, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}`,
  MD5: (next) => hex(next, 32),
  'SHA-1': (next) => hex(next, 40),
  'SHA-256': (next) => createHash('sha256').update(hex(next, 8)).digest('hex'),
  'span ID': (next) => hex(next, 16),
  ObjectId: (next) => hex(next, 24),
  'nano ID': (next) =>
    characters(next, '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-', 21),
  'ID with a prefix': (next) => `${characters(next, 'abcdefgh', 3)}_${characters(next, '0123456789', 16)}`,
  'number with a prefix': (next) => `INV-${characters(next, '0123456789', 16)}`,
  'number in groups with a prefix': (next) => `ORD-${digitGroups(next, '4-4-4-4')}`,
};

const digitGroups = (next: NextNumber, pattern: string) =>
  pattern.replace(/\d+/g, (length) => characters(next, '0123456789', Number(length)));

/** The structure after the check digits, by country (ISO 13616 registry): `n` is a digit, `a` a letter, `c` either. */
const ibanStructures: Readonly<Record<string, string>> = {
  AT: 'n16',
  BE: 'n12',
  CH: 'n5c12',
  CY: 'n8c16',
  DE: 'n18',
  DK: 'n14',
  ES: 'n20',
  FI: 'n14',
  FR: 'n10c11n2',
  GB: 'a4n14',
  HU: 'n24',
  IE: 'a4n14',
  IT: 'a1n10c12',
  LT: 'n16',
  NL: 'a4n10',
  NO: 'n11',
  PL: 'n24',
  PT: 'n21',
  SA: 'n2c18',
  SE: 'n20',
};
const alphabets: Readonly<Record<string, string>> = {
  n: '0123456789',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  c: '0123456789',
};

/** Returns an account number with correct check digits. */
function iban(next: NextNumber): string {
  const [country = '', structure = ''] = pick(next, Object.entries(ibanStructures));
  const account = structure.replace(/([nac])(\d+)/g, (_, kind, length) =>
    characters(next, alphabets[kind] ?? '', Number(length)),
  );
  const number = `${account}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return `${country}${String(98n - (BigInt(number) % 97n)).padStart(2, '0')}${account}`;
}

const pick = <T>(next: NextNumber, values: readonly T[]): T => values[floor(next() * values.length)] as T;

const ibans: Readonly<Record<string, (next: NextNumber) => string>> = {
  IBAN: iban,
  'IBAN in groups': (next) => iban(next).replace(/(.{4})(?=.)/g, '$1 '),
  'IBAN in a sentence': (next) => `Transfer to ${iban(next).replace(/(.{4})(?=.)/g, '$1 ')} by Friday.`,
};

/** How people of 20 countries write phone numbers: `#` is a digit. */
export const phonePatterns: Readonly<Record<string, readonly string[]>> = {
  Bhutan: ['+975 17 ## ## ##', '17######', '+975-2-######', '02 ### ###'],
  India: ['+91 ##### #####', '0#####-#####', '022-#### ####', '+91-##-########', '##########'],
  'United States': [
    '(2##) ###-####',
    '+1 2##-###-####',
    '1-8##-###-####',
    '2##.###.####',
    '+1 (4##) ###-####',
  ],
  Canada: ['4##-###-####', '+1 6## ### ####'],
  'United Kingdom': [
    '+44 20 #### ####',
    '020 #### ####',
    '07### ######',
    '+44 7### ######',
    '0044 20 #### ####',
  ],
  Germany: ['+49 30 ########', '030/########', '01## ########', '+49 (0)15# ########', '0049 15########'],
  France: ['0# ## ## ## ##', '+33 # ## ## ## ##', '0033 # ## ## ## ##'],
  Spain: ['6## ### ###', '+34 6## ## ## ##'],
  Italy: ['06 #### ####', '+39 3## ### ####'],
  Netherlands: ['06-########', '+31 6 ########', '020 ### ####'],
  Switzerland: ['07# ### ## ##', '+41 44 ### ## ##'],
  Austria: ['+43 66# #######', '0043 66# #######', '01 #######'],
  Sweden: ['07#-### ## ##', '+46 8 ### ### ##'],
  Poland: ['### ### ###', '+48 ### ### ###'],
  Brazil: ['(11) 9####-####', '+55 11 9#### ####'],
  Mexico: ['55 #### ####', '+52 55 #### ####'],
  Japan: ['03-####-####', '090-####-####', '+81 90-####-####'],
  China: ['13# #### ####', '+86 13# #### ####', '+86 10 #### ####'],
  Singapore: ['6### ####', '+65 9### ####'],
  Indonesia: ['08##-####-####', '+62 8##-####-####', '+62 21 #### ####'],
  Bangladesh: ['01###-######', '+880 1### ######'],
};

const phones: Readonly<Record<string, (next: NextNumber) => string>> = Object.fromEntries(
  Object.entries(phonePatterns).map(([country, patterns]) => [
    `phone number of ${country}`,
    (next: NextNumber) => pick(next, patterns).replace(/#/g, () => characters(next, '0123456789', 1)),
  ]),
);

/** Random texts that contain no card number, by kind. */
export const harmlessTexts: Readonly<Record<string, (next: NextNumber) => string>> = {
  ...Object.fromEntries(Object.entries(tokens).map(([kind, make]) => [kind, withLetter(make)])),
  ...ibans,
  ...phones,
};
