/** Describes the patterns of the document in words, for people who read the reference. */

/** An ID, such as `^inv_[0-9a-z]{26}$`. */
const idPattern = /^\^(\(start\|)?(\w+_)\[[^\]]+\]\{(\d+)\}\)?\$$/;

/** The texts by pattern. A test finds patterns of the document that have no text. */
const texts: Readonly<Record<string, string>> = {
  '\\S': 'Not only white space.',
  '^[\\x20-\\x7e]+$': 'Printable ASCII characters.',
  '^\\d{4}$': '4 digits.',
  '^\\d{1,15}$': '1 to 15 digits.',
  '^[0-9a-f]{64}$': '64 hexadecimal digits.',
  '^#[0-9a-fA-F]{6}$': '`#` and 6 hexadecimal digits.',
  '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$': 'The name of a time zone, such as `Asia/Thimphu`.',
  '^\\d{4,8}$': '4 to 8 digits.',
  '^\\d{3,4}$': '3 or 4 digits.',
  '^[\\d -]{12,40}$': 'Digits, and spaces or hyphens between them.',
  '^[A-Z]{2}$': '2 uppercase letters.',
  '^[a-z]{2}_[a-z0-9]{2,20}$': 'A country or `eu`, `_`, and the kind of the number.',
  '^[\\d+(][\\d +().\\-/]*$': 'Digits, spaces and `+ - . ( ) /`.',
  '^whsec_[A-Za-z0-9+/]{43}=$': '`whsec_` and 32 bytes in base64.',
  '^sk_(test|live)_[0-9a-z]+$': '`sk_test_` or `sk_live_`, and letters and digits.',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$': 'A UUID.',
};

/** The texts of longer patterns, by a part that only one of them contains. */
const textsByPart: readonly (readonly [string, string])[] = [
  ['before-commit', 'One of the faults that the description names.'],
  ['T\\d{2}:\\d{2}:\\d{2}', 'ISO 8601 in UTC.'],
  ['([Tt ]([01]\\d|', 'An ISO 8601 date, with or without a time.'],
  ['|3[01])$', 'A date without a time.'],
  ['[A-Za-z0-9+/]{3}=)', 'Base64, with `=` at its end if its length asks for it.'],
  ['[^\\s@]', 'An ID or an email address.'],
  ['\\{year\\}', 'Uppercase letters, digits, `-`, `/` and `{year}`. It does not end with a digit.'],
  [
    '|own_[',
    'One of the codes that the description names, or `own_` and 1 to 30 lowercase letters, digits and `_`.',
  ],
  ['^own_[', '`own_` and 1 to 30 lowercase letters, digits and `_`.'],
  ['^(inv|pay|ref|cust|', 'The ID of a record.'],
  ['^(st|wh)_', 'The ID of a bank statement or a webhook endpoint.'],
  ['^(ref|pay)_', 'The ID of a refund or a payment.'],
  ['^(evt|dlv|aud|doc|mail)_', 'The ID or the position of an entry, or `start`.'],
];

/**
 * Returns the text of a pattern, in which backticks enclose code.
 * @returns undefined if the pattern has no text
 */
export function patternText(pattern: string): string | undefined {
  const [, orStart, prefix, length] = idPattern.exec(pattern) ?? [];
  if (prefix !== undefined)
    return `\`${prefix}\` and ${length} letters and digits${orStart ? ', or `start`' : ''}.`;
  return texts[pattern] ?? textsByPart.find(([part]) => pattern.includes(part))?.[1];
}
