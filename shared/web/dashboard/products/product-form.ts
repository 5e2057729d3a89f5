/** Renders and reads the form with which a user creates or changes a product. */
import { html } from 'hono/html';
import { currencies, parseMajorUnits, toMajorUnits } from '../../../base/money.ts';
import type { OwnTax } from '../../../domain/charges/own-taxes.ts';
import { noTax } from '../../../domain/charges/tax-codes.ts';
import {
  type CreateProduct,
  createProductBody,
  type Product,
  type UpdateProduct,
  updateProductBody,
} from '../../../domain/products/product.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import { renderField, renderSelect } from '../forms.ts';
import {
  type FieldErrors,
  lineOf,
  optionalLineOf,
  type SentFields,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import { taxChoices } from '../invoices/line-fields.ts';
import { productFields, productTexts, statusField } from './product-texts.ts';

type FieldName = keyof typeof productFields;

/** The names of the fields of a new product. */
export const productFieldNames = Object.keys(productFields) as readonly FieldName[];

/** How the forms name their fields in errors. */
export const productFormTexts = { ...productFields, status: statusField };

/** Validates the fields of a new product, as the API does. */
export const readNewProduct = (fields: SentFields): ValidatedFields<CreateProduct> =>
  withPrices(fields, validateFields(createProductBody, inputOf(fields), productFormTexts));

/** Validates the fields of a changed product. An empty field removes what the product has. */
export const readProductEdit = (fields: SentFields): ValidatedFields<UpdateProduct> =>
  withPrices(
    fields,
    validateFields(
      updateProductBody,
      { ...inputOf(fields), status: lineOf(fields, 'status') },
      productFormTexts,
    ),
  );

const inputOf = (fields: SentFields) => ({
  name: lineOf(fields, 'name'),
  description: optionalLineOf(fields, 'description') ?? null,
  unit: optionalLineOf(fields, 'unit') ?? null,
  unitAmounts: pricesOf(fields),
  tax: lineOf(fields, 'tax'),
  productCode: optionalLineOf(fields, 'productCode') ?? null,
});

/** A text that is not an amount becomes NaN, which no schema accepts. */
const pricesOf = (fields: SentFields): Readonly<Record<string, number>> =>
  Object.fromEntries(
    currencies.flatMap((currency) => {
      const typed = optionalLineOf(fields, `price${currency}`);
      return typed === undefined ? [] : [[currency, parseMajorUnits(typed) ?? Number.NaN]];
    }),
  );

/** Replaces the error of all prices by those of their fields. */
function withPrices<Output>(fields: SentFields, result: ValidatedFields<Output>): ValidatedFields<Output> {
  if (result.ok || result.errors.unitAmounts === undefined) return result;
  const { unitAmounts: _, ...others } = result.errors;
  const wrong = Object.entries(pricesOf(fields)).flatMap(([currency, amount]) =>
    isPrice(amount) ? [] : [`price${currency}` as FieldName],
  );
  const errors: FieldErrors =
    wrong.length === 0
      ? { priceBTN: productTexts.noPrice }
      : Object.fromEntries(wrong.map((name) => [name, messageOf(name)]));
  return { ok: false, errors: { ...others, ...errors } };
}

const isPrice = (amount: number) => Number.isInteger(amount) && amount >= 0 && amount <= 999_999_999_999;

function messageOf(name: FieldName): string {
  const { label, ...texts } = productFields[name];
  return 'message' in texts ? texts.message : label;
}

/** Renders the fields, with the values that the user typed or those of the product. @param ownTaxes those of the account */
export function renderProductFields(
  product: Product | undefined,
  ownTaxes: readonly OwnTax[],
  failed: FailedForm | undefined,
): Markup {
  const values = failed?.fields ?? valuesOf(product);
  const errors = failed?.failure.errors ?? {};
  const rendered = productFieldNames.map((name) => {
    const { label, ...texts } = productFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    const field = { name, label, hint, value: values.get(name) ?? '', error: errors[name] };
    if (name !== 'tax') return renderField(field);
    return renderSelect({ ...field, choices: taxChoices(field.value, ownTaxes) });
  });
  const status = { name: 'status', label: statusField.label, value: values.get('status') ?? '' };
  const choices = Object.entries(productTexts.statuses);
  return html`${rendered}${product && renderSelect({ ...status, choices, error: errors.status })}`;
}

function valuesOf(product: Product | undefined): SentFields {
  if (!product) return new Map([['tax', noTax]]);
  const { name, description, unit, unitAmounts, tax, productCode, isArchived } = product;
  const prices = currencies.map((currency): [string, string] => {
    const amount = unitAmounts[currency];
    return [`price${currency}`, amount === undefined ? '' : toMajorUnits(amount)];
  });
  return new Map([
    ['name', name],
    ['description', description ?? ''],
    ['unit', unit ?? ''],
    ...prices,
    ['tax', tax],
    ['productCode', productCode ?? ''],
    ['status', isArchived ? 'archived' : 'active'],
  ]);
}
