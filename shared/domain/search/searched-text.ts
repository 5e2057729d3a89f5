/** Says what a searched text can mean. Pure. */
import { isEmail } from '../../base/email.ts';
import { type Currency, currencies } from '../../base/money.ts';
import { searchedWordsOf } from '../../store/search/name-words.ts';
import { comparableTerm } from '../../store/search/search-entries.ts';
import { parsePaymentReference } from '../invoices/payment-reference.ts';

/** The meanings of a text. Each is undefined if the text cannot have it. */
export interface SearchedText {
  /** Without white space around it. */
  readonly text: string;
  /** A number of a document, or a reference, as it is compared. */
  readonly term: string;
  /** In the smallest unit. */
  readonly amount: number | undefined;
  /** The currency that the text names beside the amount. */
  readonly currency: Currency | undefined;
  /** The last four digits of a card. */
  readonly last4: string | undefined;
  /** Without its hyphen. */
  readonly paymentReference: string | undefined;
  readonly email: string | undefined;
  /** What invoices can have as the ID of a customer: an ID, or an email address. */
  readonly customerId: string | undefined;
  /** The words of a name. Empty: it has none. */
  readonly words: readonly string[];
}

const signs: Readonly<Record<string, Currency>> = {
  nu: 'BTN',
  'nu.': 'BTN',
  rs: 'INR',
  'rs.': 'INR',
  '₹': 'INR',
  $: 'USD',
};
const sign = `(${['nu\\.?', 'rs\\.?', '₹', '\\$', ...currencies.map((each) => each.toLowerCase())].join('|')})`;
const money = new RegExp(`^${sign}?\\s*(\\d{1,3}(?:,\\d{2,3})+|\\d{1,15})(\\.\\d{1,2})?\\s*${sign}?$`);
const ownCustomerId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/** Returns the meanings of a text. @param text from `searchQuery` */
export function meaningsOf(text: string): SearchedText {
  const { amount, currency } = parseMoney(text) ?? {};
  const email = isEmail(text) ? text : undefined;
  return {
    text,
    term: comparableTerm(text),
    amount,
    currency,
    last4: /^[\s•*xX]*(\d{4})$/.exec(text)?.[1],
    paymentReference: parsePaymentReference(text),
    email,
    customerId: email ?? (ownCustomerId.test(text) ? text : undefined),
    words: amount === undefined && email === undefined ? searchedWordsOf(text) : [],
  };
}

/** All currencies have a hundred of their smallest units in one. */
function parseMoney(text: string): { amount: number; currency: Currency | undefined } | undefined {
  const [, before, whole, fraction = '', after] = money.exec(text.normalize('NFKC').toLowerCase()) ?? [];
  if (whole === undefined || (before !== undefined && after !== undefined)) return undefined;
  const amount = Number(whole.replaceAll(',', '')) * 100 + Number(fraction.slice(1).padEnd(2, '0'));
  if (!Number.isSafeInteger(amount) || amount === 0) return undefined;
  return { amount, currency: currencyOf(before ?? after) };
}

function currencyOf(text: string | undefined): Currency | undefined {
  if (text === undefined) return undefined;
  return signs[text] ?? currencies.find((each) => each.toLowerCase() === text);
}
