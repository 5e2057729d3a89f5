/** Parses the form that a payer sends from the payment page: the card, and the version of the invoice. Pure. */
import * as v from 'valibot';
import type { Mode } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import {
  type Card,
  cardCvcSchema,
  cardNumberSchema,
  isCardExpired,
} from '../../domain/payments/provider/card.ts';
import { findTestCard } from '../../domain/payments/provider/test-cards.ts';
import type { CardError } from './card-texts.ts';
import type { CardErrors } from './payment-page-view.ts';

/** A valid form. `amount` (smallest currency unit) and `contentVersion` are the values that the page showed. */
export interface SubmittedForm {
  readonly attempt: string;
  readonly contentVersion: number;
  readonly amount: number;
  readonly card: Card;
}

export type ParsedForm =
  | { readonly form: SubmittedForm }
  | { readonly errors: CardErrors; readonly expiry: string }
  /** The hidden fields do not come from the page. */
  | undefined;

/** Parses the fields `attempt`, `version`, `amount`, `number`, `expiry` (MM/YY) and `cvc`. */
export function parsePaymentForm(
  fields: { get(name: string): string | null | undefined },
  mode: Mode,
  now: Instant,
): ParsedForm {
  const text = (name: string) => (fields.get(name) ?? '').trim();
  const attempt = text('attempt');
  const [contentVersion, amount] = [text('version'), text('amount')].map(toInteger);
  if (!/^[0-9a-z]{26}$/.test(attempt) || contentVersion === undefined || amount === undefined)
    return undefined;
  const number = parseCardNumber(text('number'), mode);
  const expiry = parseExpiry(text('expiry'), now);
  const cvc = v.safeParse(cardCvcSchema, text('cvc'));
  if ('digits' in number && 'expMonth' in expiry && cvc.success) {
    return {
      form: { attempt, contentVersion, amount, card: { number: number.digits, cvc: cvc.output, ...expiry } },
    };
  }
  return {
    errors: {
      ...('error' in number && { number: number.error }),
      ...('error' in expiry && { expiry: expiry.error }),
      ...(!cvc.success && { cvc: 'cvc' }),
    },
    expiry: expiryToShowAgain(text('expiry')),
  };
}

/** Returns the expiry date as it was typed. A longer text can be a card number in the wrong field: returns ''. */
const expiryToShowAgain = (expiry: string): string =>
  expiry.length <= 9 && (expiry.match(/\d/g) ?? []).length <= 6 ? expiry : '';

/** Accepts spaces of any kind. In test mode, accepts test cards only. */
function parseCardNumber(
  text: string,
  mode: Mode,
): { readonly digits: string } | { readonly error: CardError } {
  const number = v.safeParse(cardNumberSchema, text.replace(/\s/g, ''));
  if (!number.success) {
    const isComplete = /^\d(-?\d){11,18}$/.test(text.replace(/\s/g, ''));
    return { error: isComplete ? 'checkDigit' : 'number' };
  }
  if (mode === 'test' && !findTestCard(number.output)) return { error: 'testCard' };
  return { digits: number.output };
}

/** Accepts `MM/YY` as printed on cards. Also accepts `MMYY`, a year of four digits, and a space, point or dash. */
function parseExpiry(
  text: string,
  now: Instant,
): { readonly expMonth: number; readonly expYear: number } | { readonly error: CardError } {
  const [, month = '', year = ''] =
    /^(\d{1,2})\s*[/. -]\s*(\d{2}|\d{4})$/.exec(text) ?? /^(\d\d)(\d\d)$/.exec(text) ?? [];
  const expMonth = Number(month);
  if (expMonth < 1 || expMonth > 12) return { error: 'expiry' };
  const expYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  return isCardExpired({ expMonth, expYear }, now) ? { error: 'expired' } : { expMonth, expYear };
}

const toInteger = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
