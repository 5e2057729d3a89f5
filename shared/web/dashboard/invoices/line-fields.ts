/**
 * Renders the lines of an invoice in its forms, and returns them as a user typed them.
 *
 * The fields of a line have the names of those of all other lines. Each line sends all of them, so the values of a line have the same
 * position. A form without scripts adds lines by another request, which shows it again.
 */
import { html } from 'hono/html';
import { type Currency, toMajorUnits } from '../../../base/money.ts';
import type { LineInput } from '../../../domain/charges/line.ts';
import type { OwnTax } from '../../../domain/charges/own-taxes.ts';
import { isOwnTax, type TaxCodeName, taxCodeNames } from '../../../domain/charges/tax-codes.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import type { ShownProduct } from '../../../domain/products/product.ts';
import { renderChargesTable } from '../../pages/charges.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderScrolled } from '../elements.ts';
import { renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { textFor } from '../records/record-texts.ts';
import { draftTexts } from './draft-texts.ts';
import { type InvoiceChoices, maxOffered } from './invoice-choices.ts';
import { lineTexts } from './invoice-texts.ts';
import { renderTotalFields, totalFieldNames, typedDiscount } from './total-fields.ts';

/** The names of the fields of a line. The last two are hidden, so an edited line keeps what the API has stored there. */
const names = {
  description: 'lineDescription',
  quantity: 'lineQuantity',
  unitAmount: 'lineUnitPrice',
  tax: 'lineTax',
  taxPercent: 'lineTaxPercent',
  discount: 'lineDiscount',
  unit: 'lineUnit',
  productCode: 'lineProductCode',
  id: 'lineId',
  product: 'lineProduct',
} as const;

type TypedField = keyof typeof names;
const typedFields = Object.keys(names) as readonly TypedField[];

/** A line as a user typed it. */
export type TypedLine = Readonly<Record<TypedField, string>>;

/** The positions of the lines to remove, from 1. */
export const removeName = 'removeLine';
/** What a button asks for that does not send the form for good. */
export const stepName = 'step';

/** The product of a further line. */
export const addProductName = 'addProduct';

/** The names of all fields of lines. A form without lines leaves them out. */
export const lineFieldNames: readonly string[] = [
  ...Object.values(names),
  removeName,
  stepName,
  addProductName,
];

/** The lines of a new form. They are blank. */
const firstLines = 2;
/** The most lines of an invoice. */
const maxLines = 100;

const blankLine = (tax: TaxCodeName): TypedLine => ({
  description: '',
  quantity: '1',
  unitAmount: '',
  tax,
  taxPercent: '',
  discount: '',
  unit: '',
  productCode: '',
  id: '',
  product: '',
});

/** Whether a user typed nothing into a line. The quantity and the tax of a new line are not empty. */
export const isBlank = (line: TypedLine): boolean =>
  `${line.description}${line.unitAmount}${line.taxPercent}${line.discount}${line.unit}${line.productCode}`.trim() ===
  '';

/** Returns the lines of a form, or undefined if a line lacks a field. */
export function typedLinesOf(fields: URLSearchParams): TypedLine[] | undefined {
  const columns = typedFields.map((field) => fields.getAll(names[field]));
  const [first = []] = columns;
  if (columns.some(({ length }) => length !== first.length)) return undefined;
  return first.map(
    (_, position) =>
      Object.fromEntries(
        typedFields.map((field, index) => [field, columns[index]?.[position] ?? '']),
      ) as TypedLine,
  );
}

/** Returns the fields of a form with other lines. */
export function withLines(fields: URLSearchParams, lines: readonly TypedLine[]): URLSearchParams {
  const others = [...fields].filter(([name]) => !lineFieldNames.includes(name));
  const typed = lines.flatMap((line) =>
    typedFields.map((field): [string, string] => [names[field], line[field]]),
  );
  return new URLSearchParams([...others, ...typed]);
}

/** Returns the lines with a blank one more, unless there are as many as an invoice can have. @param tax that of the new line */
export const withBlankLine = (lines: readonly TypedLine[], tax: TaxCodeName): readonly TypedLine[] =>
  lines.length < maxLines ? [...lines, blankLine(tax)] : lines;

/**
 * Returns the lines with one more for a product, in the place of the first blank one. It has all that the product says.
 * @param currency that of the price. Without a price in it, the price of the line is empty
 */
export function withProduct(
  lines: readonly TypedLine[],
  product: ShownProduct,
  currency: Currency | undefined,
): TypedLine[] {
  const unitAmount = currency && product.unitAmounts[currency];
  const line: TypedLine = {
    ...blankLine(product.tax),
    description: product.description ?? product.name,
    unitAmount: unitAmount === undefined ? '' : toMajorUnits(unitAmount),
    unit: product.unit ?? '',
    productCode: product.productCode ?? '',
    product: product.id,
  };
  const place = lines.findIndex(isBlank);
  return place < 0 ? [...lines, line] : lines.with(place, line);
}

/** Returns the lines that a form shows first: those of the invoice that it changes, or blank ones. @param tax that of blank lines */
export function firstLinesOf(lines: readonly LineInput[] | null | undefined, tax: TaxCodeName): TypedLine[] {
  return lines?.map(toTyped) ?? Array.from({ length: firstLines }, () => blankLine(tax));
}

function toTyped(line: LineInput): TypedLine {
  const { description, quantity, unitAmount, tax, taxPercent, discount, unit, productCode, id, product } =
    line;
  return {
    description,
    quantity,
    unitAmount: toMajorUnits(unitAmount),
    tax,
    taxPercent: taxPercent ?? '',
    discount: typedDiscount(discount),
    unit: unit ?? '',
    productCode: productCode ?? '',
    id: id ?? '',
    product: product ?? '',
  };
}

/** Returns the name of the error of a field, which is the id of the field. @param position from 1 */
export const lineErrorName = (field: keyof typeof lineTexts.labels, position: number): string =>
  `${names[field]}-${position}`;

/** What lines come to. Amounts are in the smallest currency unit. */
export interface ShownTotals extends Pick<Invoice, 'charges' | 'amount'> {
  readonly currency: Currency;
}

/** Renders the lines, with what they come to if that is known. An account that has a seller profile or products sees them at once. */
export function renderLineFields(
  fields: URLSearchParams,
  errors: FieldErrors,
  totals: ShownTotals | undefined,
  choices: InvoiceChoices,
): Markup {
  const lines = typedLinesOf(fields) ?? [];
  const isUsed = lines.length !== firstLines || !lines.every(isBlank) || errors.lines !== undefined;
  const isOpen =
    isUsed ||
    choices.seller !== undefined ||
    choices.products.length > 0 ||
    Object.keys(errors).some((name) => name.startsWith('line') || isOtherField(name));
  const { charges, amount = 0, currency = 'BTN' } = totals ?? {};
  return html`<details id="lines"${isOpen ? html` open` : ''}><summary>${lineTexts.summary}</summary><p class="hint">${lineTexts.hint}</p>
${errors.lines && html`<p class="wrong">${errors.lines}</p>`}${lines.map((line, index) => renderLine(line, index + 1, errors, choices.taxes))}${renderProducts(choices, errors)}${renderTotalFields(fields, errors)}
${charges && renderScrolled(lineTexts.table, renderChargesTable({ charges, currency, amount }, lineTexts.table))}</details>`;
}

const isOtherField = (name: string): boolean => [...totalFieldNames, addProductName].includes(name);

/** Renders the choice of a product for another line, if there are products. */
function renderProducts({ products, hasMoreProducts }: InvoiceChoices, errors: FieldErrors): Markup | '' {
  if (products.length === 0) return '';
  const { label, hint, none } = lineTexts.product;
  return renderSelect({
    name: addProductName,
    label,
    hint: hasMoreProducts ? `${hint} ${lineTexts.newestProducts(maxOffered)}` : hint,
    value: '',
    error: errors[addProductName],
    choices: [['', none], ...products.map(({ id, name }) => [id, name] as const)],
  });
}

function renderLine(
  line: TypedLine,
  position: number,
  errors: FieldErrors,
  ownTaxes: readonly OwnTax[],
): Markup {
  const of = (field: keyof typeof lineTexts.labels) => {
    const id = lineErrorName(field, position);
    const label = html`${lineTexts.labels[field]}<span class="hidden">${lineTexts.ofLine(position)}</span>`;
    return { name: names[field], id, label, value: line[field], error: errors[id] };
  };
  const isMoreOpen = (['discount', 'unit', 'productCode', 'taxPercent'] as const).some(
    (field) => line[field] !== '' || of(field).error !== undefined,
  );
  const taxes = taxChoices(line.tax, ownTaxes);
  return html`<fieldset class="line"><legend>${lineTexts.line(position)}</legend>${renderHiddenInput(names.id, line.id)}${renderHiddenInput(names.product, line.product)}
${renderField(of('description'))}${renderField(of('quantity'))}${renderField(of('unitAmount'))}
${renderSelect({ ...of('tax'), choices: taxes })}
<details${isMoreOpen ? html` open` : ''}><summary>${lineTexts.more}<span class="hidden">${lineTexts.ofLine(position)}</span></summary><div class="grid">${renderField({ ...of('discount'), hint: lineTexts.discountHint })}${renderField(of('unit'))}${renderField(of('productCode'))}${renderField(of('taxPercent'))}</div></details>
<label class="choice"><input type="checkbox" name="${removeName}" value="${position}" autocomplete="off">${lineTexts.remove}<span class="hidden">${lineTexts.removeLine(position)}</span></label></fieldset>`;
}

/** Returns the taxes to choose from. That of the line stays, also if the account has removed it. */
export function taxChoices(present: string, ownTaxes: readonly OwnTax[]): (readonly [string, string])[] {
  const own = ownTaxes.map(({ code, name }) => [code, name] as const);
  const isRemoved = isOwnTax(present) && !own.some(([code]) => code === present);
  return [
    ...taxCodeNames.map((code) => [code, textFor(lineTexts.taxes, code)] as const),
    ...own,
    ...(isRemoved ? [[present, present] as const] : []),
  ];
}

/** Renders the button that saves the form of a new invoice as a draft. */
export const renderDraftButton = (): Markup =>
  html`<button name="${stepName}" value="draft" class="plain">${draftTexts.save}</button>`;

/** Renders the buttons that show the form again, with the totals or with another line. @param action the link to send the form to */
export function renderLineButtons(action: string): Markup {
  const button = (step: 'add' | 'compute') =>
    html`<button name="${stepName}" value="${step}" class="plain" formaction="${action}#lines">${lineTexts[step]}</button>`;
  return html`${button('compute')}${button('add')}`;
}
