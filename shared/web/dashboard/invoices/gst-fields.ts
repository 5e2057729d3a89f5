/** Renders and reads what decides the GST of India on an invoice, in the forms of invoices. */
import { html } from 'hono/html';
import {
  outsideIndia,
  placeCode,
  placeText,
  type SupplyKind,
  supplyKinds,
} from '../../../domain/charges/indian-supply.ts';
import { isIndianTax, taxCodeNames } from '../../../domain/charges/tax-codes.ts';
import type { NewGst } from '../../../domain/invoices/indian-gst.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { indianStates } from '../../../domain/parties/indian-states.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderSelect } from '../forms.ts';
import { type FieldErrors, lineOf, type SentFields } from '../input/form-fields.ts';
import { gstFields, gstTexts } from './party-texts.ts';

type FieldName = keyof typeof gstFields;
type Choices = readonly (readonly [string, string])[];

const choicesOf: Readonly<Record<FieldName, Choices>> = {
  gstPlace: [
    ['', gstTexts.ofBuyer],
    ...indianStates.map(({ gstCode }) => [gstCode, placeText(gstCode)] as const),
  ],
  gstSupply: supplyKinds.map((kind) => [kind, gstTexts.supplies[kind]] as const),
  gstReverse: gstTexts.reverse,
};

export const gstFieldNames = Object.keys(gstFields) as readonly FieldName[];

/** What a form says of the GST. Undefined: nothing, so that of a changed invoice stays. */
export interface SentGst {
  readonly value: NewGst | undefined;
  readonly errors: FieldErrors;
}

/** Reads the fields. @param lines the lines of the same form. The fields need one with a tax of India */
export function readGst(
  fields: SentFields,
  lines: readonly { readonly tax?: string | null | undefined }[],
): SentGst {
  if (typeof fields.get('gstSupply') !== 'string') return { value: undefined, errors: {} };
  const wrong = gstFieldNames.filter(
    (name) => !choicesOf[name].some(([choice]) => choice === lineOf(fields, name)),
  );
  if (wrong.length > 0)
    return {
      value: undefined,
      errors: Object.fromEntries(wrong.map((name) => [name, gstFields[name].message])),
    };
  const isIndian = lines.some(({ tax }) => taxCodeNames.some((code) => code === tax && isIndianTax(code)));
  const used = gstFieldNames.filter((name) => isSet(name, fields));
  if (!isIndian)
    return {
      value: undefined,
      errors: Object.fromEntries(used.map((name) => [name, gstTexts.needsLine])),
    };
  return {
    value: {
      placeOfSupply: lineOf(fields, 'gstPlace') || null,
      supply: supplyKinds.find((kind) => kind === lineOf(fields, 'gstSupply')) ?? null,
      reverseCharge: lineOf(fields, 'gstReverse') === 'yes',
    },
    errors: {},
  };
}

/** Whether a field has another value than the first of its list. */
const isSet = (name: FieldName, fields: SentFields): boolean => {
  const value = fields.get(name) ?? '';
  return value !== '' && value !== choicesOf[name][0]?.[0];
};

/** What an invoice or a draft says of the GST. */
interface GivenGst {
  /** A name or a code. Null: it follows the buyer */
  readonly placeOfSupply: string | null;
  readonly supply: SupplyKind | null;
  readonly reverseCharge: boolean | null;
}

/** The values that a form shows first. The place of an export is not in the list. */
export function gstValues(gst: GivenGst | null): Record<FieldName, string> {
  const code = placeCode(gst?.placeOfSupply ?? '') ?? '';
  return {
    gstPlace: code === outsideIndia ? '' : code,
    gstSupply: gst?.supply ?? 'domestic',
    gstReverse: gst?.reverseCharge ? 'yes' : 'no',
  };
}

/** Returns what the form of an invoice shows of its GST. A place that follows the buyer is left out. */
export const givenGstOf = ({ gst }: Pick<Invoice, 'gst'>): GivenGst | null =>
  gst
    ? {
        placeOfSupply: gst.isPlaceGiven ? gst.place : null,
        supply: gst.supply,
        reverseCharge: gst.isReverseCharge,
      }
    : null;

/** Whether a form has the values that `gstValues` returns. */
export const isSameGst = (fields: SentFields, gst: GivenGst | null): boolean =>
  Object.entries(gstValues(gst)).every(([name, value]) => lineOf(fields, name) === value);

/** Renders the fields, folded away if they have their first values and no error. */
export function renderGstFields(fields: SentFields, errors: FieldErrors): Markup {
  const isOpen = gstFieldNames.some((name) => isSet(name, fields) || errors[name] !== undefined);
  const rendered = gstFieldNames.map((name) =>
    renderSelect({
      name,
      label: gstFields[name].label,
      value: fields.get(name) ?? '',
      error: errors[name],
      choices: choicesOf[name],
    }),
  );
  return html`<details${isOpen ? html` open` : ''}><summary>${gstTexts.summary}</summary><div class="grid">${rendered}</div></details>`;
}
