/** The form of the payment page as it comes back: the card, and what the payer saw when it was sent. Pure. */
import * as v from 'valibot';
import type { Mode } from '../ids.ts';
import { type Card, cardCvcSchema, cardNumberSchema, isExpired } from '../payments/card.ts';
import { testCardOf } from '../payments/test-cards.ts';
import type { Instant } from '../time.ts';
import { fieldErrors } from './payment-page-texts.ts';
import type { FieldName } from './payment-page-view.ts';

/** A form that can be taken: `amount` (smallest unit) and `contentVersion` are those that were shown. */
export interface SentForm {
  readonly attempt: string;
  readonly contentVersion: number;
  readonly amount: number;
  readonly card: Card;
}

export type ReadForm =
  | { readonly form: SentForm }
  | { readonly errors: Partial<Record<FieldName, string>>; readonly expiry: string }
  /** Not as the page makes it. */
  | undefined;

/** Reads the fields `attempt`, `version`, `amount`, `number`, `expiry` (MM/YY) and `cvc`. */
export function readPaymentForm(fields: URLSearchParams, mode: Mode, now: Instant): ReadForm {
  const text = (name: string) => (fields.get(name) ?? '').trim();
  const attempt = text('attempt');
  const [contentVersion, amount] = [text('version'), text('amount')].map(toInteger);
  if (!/^[0-9a-z]{26}$/.test(attempt) || contentVersion === undefined || amount === undefined)
    return undefined;
  const number = numberOf(text('number'), mode);
  const expiry = expiryOf(text('expiry'), now);
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
      ...(!cvc.success && { cvc: fieldErrors.cvc }),
    },
    expiry: echoed(text('expiry')),
  };
}

/** What was typed for a date is shown again; anything longer may be a card number in the wrong field. */
const echoed = (expiry: string): string =>
  expiry.length <= 9 && (expiry.match(/\d/g) ?? []).length <= 6 ? expiry : '';

/** In test mode only test cards are taken. What was pasted may have spaces of any width. */
function numberOf(text: string, mode: Mode): { readonly digits: string } | { readonly error: string } {
  const number = v.safeParse(cardNumberSchema, text.replace(/\s/g, ''));
  if (!number.success) {
    const complete = /^\d(-?\d){11,18}$/.test(text.replace(/\s/g, ''));
    return { error: complete ? fieldErrors.checkDigit : fieldErrors.number };
  }
  if (mode === 'test' && !testCardOf(number.output)) return { error: fieldErrors.testCard };
  return { digits: number.output };
}

/** `MM/YY`, as cards have it; `MMYY`, spaces, a point and four digits for the year are fine too. */
function expiryOf(
  text: string,
  now: Instant,
): { readonly expMonth: number; readonly expYear: number } | { readonly error: string } {
  const [, month = '', year = ''] =
    /^(\d{1,2})\s*[/. -]\s*(\d{2}|\d{4})$/.exec(text) ?? /^(\d\d)(\d\d)$/.exec(text) ?? [];
  const expMonth = Number(month);
  if (expMonth < 1 || expMonth > 12) return { error: fieldErrors.expiry };
  const expYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  return isExpired({ expMonth, expYear }, now) ? { error: fieldErrors.expired } : { expMonth, expYear };
}

const toInteger = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
