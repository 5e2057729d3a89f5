/**
 * Renders and reads what decides the total of an invoice beside its lines: the kind of prices, the discount of the whole invoice, and
 * the rounding. Invoices without lines have none of them.
 */
import { html } from 'hono/html';
import * as v from 'valibot';
import { parseMajorUnits, toMajorUnits } from '../../../base/money.ts';
import {
  type Discount,
  newDiscountSchema,
  pricesSchema,
  roundToSchema,
} from '../../../domain/charges/line.ts';
import type { CreateInvoice } from '../../../domain/invoices/invoice.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderField, renderSelect } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { totalTexts } from './invoice-texts.ts';

/** The names of the fields, as in the API. */
export const totalFieldNames = ['prices', 'discount', 'roundTo'] as const;

type SentDiscount = CreateInvoice['discount'];

/** What a form says of the total. A form that lacks a field leaves the value as it is. */
export interface SentTotal {
  readonly values: Pick<CreateInvoice, 'prices' | 'discount' | 'roundTo'>;
  readonly errors: FieldErrors;
}

/** Reads and validates the fields of a form. @param hasLines without lines, the fields must have their defaults */
export function readTotal(form: URLSearchParams, hasLines: boolean): SentTotal {
  const [prices, discount, roundTo] = totalFieldNames.map((name) => form.get(name)?.trim());
  const values = {
    ...(prices !== undefined && { prices }),
    ...(discount !== undefined && { discount: sentDiscount(discount) }),
    ...(roundTo !== undefined && { roundTo: roundTo === '' ? null : Number(roundTo) }),
  };
  const schemas = {
    prices: pricesSchema,
    discount: v.nullish(newDiscountSchema),
    roundTo: v.nullish(roundToSchema),
  };
  const wrong = totalFieldNames.filter((name) => name in values && !v.is(schemas[name], values[name]));
  const used = totalFieldNames.filter((name) => isSet(name, form.get(name)));
  return {
    values: values as SentTotal['values'],
    errors: {
      ...(!hasLines && Object.fromEntries(used.map((name) => [name, totalTexts.needsLines]))),
      ...Object.fromEntries(wrong.map((name) => [name, totalTexts[name].message])),
    },
  };
}

/** Reads a share such as `10 %`, or an amount in units of the currency. The schema judges it. */
export function sentDiscount(text: string): SentDiscount {
  if (text === '') return null;
  if (text.endsWith('%')) return { percent: text.slice(0, -1).trim() };
  return { amount: parseMajorUnits(text) ?? Number.NaN };
}

/** Returns a discount as a user types it. */
export function typedDiscount(discount: Discount | null): string {
  const { percent = null, amount = null } = discount ?? {};
  if (percent !== null) return `${percent} %`;
  return amount === null ? '' : toMajorUnits(amount);
}

/** What an invoice or a draft says of its total. */
interface GivenTotal {
  readonly prices: string | null;
  readonly discount: Discount | null;
  readonly roundTo: number | null;
}

/** Returns the values that a form shows first: those of the invoice that it changes, or the defaults. */
export const firstTotalOf = (charges: GivenTotal | undefined) => ({
  prices: charges?.prices ?? 'exclusive',
  discount: typedDiscount(charges?.discount ?? null),
  roundTo: String(charges?.roundTo ?? ''),
});

/** Renders the fields, folded away if they have their defaults and no error. */
export function renderTotalFields(fields: URLSearchParams, errors: FieldErrors): Markup {
  const field = (name: (typeof totalFieldNames)[number]) => {
    const { label } = totalTexts[name];
    return { name, label, value: fields.get(name) ?? '', error: errors[name] };
  };
  const isUsed = totalFieldNames.some((name) => errors[name] !== undefined || isSet(name, fields.get(name)));
  const { summary, discount, pricesChoices, roundings } = totalTexts;
  return html`<details${isUsed ? html` open` : ''}><summary>${summary}</summary>
${renderSelect({ ...field('prices'), choices: pricesChoices })}${renderField({ ...field('discount'), hint: discount.hint })}${renderSelect({ ...field('roundTo'), choices: roundings })}</details>`;
}

/** Whether a field has another value than that of a new form. */
const isSet = (name: string, value: string | null): boolean =>
  value !== null && value !== '' && !(name === 'prices' && value === 'exclusive');
