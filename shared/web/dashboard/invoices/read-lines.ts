/** Validates the lines of an invoice in its forms, as the API does, and computes what they come to. */
import * as v from 'valibot';
import { ApiError } from '../../../base/errors.ts';
import { type Currency, formatAmount, parseMajorUnits } from '../../../base/money.ts';
import { type FilledLine, newLinesSchema } from '../../../domain/charges/line.ts';
import type { RatedBody } from '../../../domain/charges/own-taxes.ts';
import { isOwnTax, taxCodeNames } from '../../../domain/charges/tax-codes.ts';
import type { CreateInvoice, Invoice } from '../../../domain/invoices/invoice.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { firstTaxOf, type InvoiceChoices } from './invoice-choices.ts';
import { invoiceTexts, lineTexts } from './invoice-texts.ts';
import {
  addProductName,
  isBlank,
  lineErrorName,
  removeName,
  stepName,
  type TypedLine,
  typedLinesOf,
  withBlankLine,
  withLines,
  withProduct,
} from './line-fields.ts';
import { partyErrorsOf } from './party-errors.ts';
import { readTotal, type SentTotal, sentDiscount } from './total-fields.ts';

type NewLine = NonNullable<CreateInvoice['lines']>[number];

/** A line of a form. */
interface SentLine {
  /** Its number in the form, from 1. */
  readonly position: number;
  readonly line: NewLine;
}

/** What a user asks for instead of sending the form for good: another line, the totals, a draft, a search for the customer, or a customer. */
const steps = ['add', 'compute', 'draft', 'find', 'pick'] as const;
type Step = (typeof steps)[number];

/** The lines of a form that was sent. */
export interface SentLines {
  /** The form as it is shown again: without the removed lines, and with another one if the user asked for it. */
  readonly fields: URLSearchParams;
  /** What the user asked for instead of sending the form for good. */
  readonly step: Step | undefined;
  /** The lines that are not blank. */
  readonly lines: readonly SentLine[];
  /** What decides the total beside the lines. */
  readonly total: SentTotal['values'];
  readonly errors: FieldErrors;
}

/** What new lines need. It is read only if a form asks for one. */
export interface LineChoices extends Pick<InvoiceChoices, 'products' | 'seller'> {
  /** The currency of the prices. Undefined: the form has no valid one. */
  readonly currency: Currency | undefined;
}

/** Reads the lines of a form. Returns undefined if a line is incomplete, or if a button or a check box is unknown. */
export async function readSentLines(
  form: URLSearchParams,
  choices: () => Promise<LineChoices>,
  rates: (body: RatedBody) => Promise<RatedBody>,
): Promise<SentLines | undefined> {
  const typed = typedLinesOf(form);
  const sentStep = form.get(stepName);
  const [stepText, picked] = sentStep?.split(':') ?? [];
  const step = steps.find((each) => each === stepText);
  const removed = form.getAll(removeName);
  if (!typed || (sentStep !== null && !step)) return undefined;
  const positions = typed.map((_, index) => String(index + 1));
  if (!removed.every((position) => positions.includes(position))) return undefined;
  const left = typed.filter((_, index) => !removed.includes(String(index + 1)));
  const product = form.get(addProductName) ?? '';
  const offered = product !== '' || step === 'add' ? await choices() : undefined;
  const chosen = offered?.products.find(({ id }) => id === product);
  const kept = chosen ? withProduct(left, chosen, offered?.currency) : left;
  const isBlankAdded = step === 'add' && offered && product === '';
  const sent = kept.flatMap((line, index) =>
    isBlank(line) ? [] : [{ position: index + 1, line: toNewLine(line) }],
  );
  const { lines, errors: taxErrors } = await withTaxRates(sent, rates);
  const total = readTotal(form, lines.length > 0);
  return {
    fields: withSearch(
      withLines(form, isBlankAdded ? withBlankLine(kept, firstTaxOf(offered)) : kept),
      step,
      picked,
    ),
    step,
    lines,
    total: total.values,
    errors: {
      ...errorsOf(lines),
      ...unknownTaxes(kept),
      ...taxErrors,
      ...total.errors,
      ...(product !== '' && !chosen && { [addProductName]: lineTexts.product.message }),
    },
  };
}

/** Returns the fields with the customer that the user has picked, or with the search that the user asks for. */
function withSearch(fields: URLSearchParams, step: Step | undefined, picked = ''): URLSearchParams {
  if (step === 'pick') fields.set('customerId', picked);
  if (step === 'find') fields.set(stepName, step);
  return fields;
}

/** Gives lines with a tax of the account its name and its rate. @param rates as `withOwnTaxes` */
async function withTaxRates(
  sent: readonly SentLine[],
  rates: (body: RatedBody) => Promise<RatedBody>,
): Promise<{ readonly lines: readonly SentLine[]; readonly errors: FieldErrors }> {
  try {
    const { lines } = await rates({ lines: sent.map(({ line }) => line as FilledLine) });
    return { lines: sent.map((each, index) => ({ ...each, line: lines?.[index] ?? each.line })), errors: {} };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { lines: sent, errors: errorOf(error, sent) };
  }
}

function toNewLine(typed: TypedLine): NewLine {
  const { description, quantity, unitAmount, tax, taxPercent, discount, unit, productCode, id, product } =
    typed;
  return {
    description: description.trim(),
    quantity: quantity.trim(),
    unitAmount: parseMajorUnits(unitAmount.trim()) ?? Number.NaN,
    // The schema judges it.
    tax: tax as NewLine['tax'],
    taxPercent: taxPercent.trim() || null,
    discount: sentDiscount(discount.trim()),
    unit: unit.trim() || null,
    productCode: productCode.trim() || null,
    id: id || null,
    product: product || null,
  };
}

/** Returns the first error of each field of the lines, in the words of the form. */
function errorsOf(lines: readonly SentLine[]): FieldErrors {
  if (lines.length === 0) return {};
  const result = v.safeParse(
    newLinesSchema,
    lines.map(({ line }) => line),
  );
  const errors: Record<string, string> = {};
  for (const { path, message } of result.issues ?? []) {
    const [index, field] = path?.map(({ key }) => key) ?? [];
    const { position } = lines[Number(index)] ?? {};
    if (position === undefined) errors.lines = lineTexts.tooMany;
    else if (!isLabeled(field)) errors.lines = invoiceTexts.incomplete;
    else errors[lineErrorName(field, position)] ??= describe(field, position, message);
  }
  return errors;
}

type LabeledField = keyof typeof lineTexts.labels;
const isLabeled = (field: unknown): field is LabeledField =>
  typeof field === 'string' && Object.hasOwn(lineTexts.labels, field);

function describe(field: LabeledField, position: number, message: string): string {
  const name = `${lineTexts.labels[field]}${lineTexts.ofLine(position)}`;
  if (field === 'description') return message.replace('The description of a line', name);
  return field === 'unit' ? message.replace(/^unit/, name) : `${name} ${lineTexts.messages[field]}`;
}

/** A blank line is ignored, but its choice is one of the list as in all other lines. */
function unknownTaxes(lines: readonly TypedLine[]): FieldErrors {
  const unknown = lines.flatMap(({ tax }, index) =>
    (taxCodeNames as readonly string[]).includes(tax) || isOwnTax(tax) ? [] : [index + 1],
  );
  return Object.fromEntries(
    unknown.map((position) => [lineErrorName('tax', position), describe('tax', position, '')]),
  );
}

type Charged = Pick<Invoice, 'amount' | 'charges'>;

/**
 * Computes what lines come to.
 * @param compute throws an `ApiError` of the domain if they come to no amount
 * @param amount the amount that the user typed, in the smallest currency unit. It must be that of the lines.
 * @returns the errors of the form, if there are some
 */
export function chargeLines(
  lines: SentLines,
  compute: () => Charged,
  currency: Currency,
  amount: number | undefined,
): { readonly charged?: Charged; readonly errors: FieldErrors } {
  const { value: charged, errors } = judgeLines(lines, compute);
  if (!charged || amount === undefined || amount === charged.amount)
    return { ...(charged && { charged }), errors };
  return {
    charged,
    errors: { amount: lineTexts.otherAmount(formatAmount(charged.amount, currency)) },
  };
}

/** Runs a function of the domain. Returns what it refuses as errors of the form. @throws what is not an `ApiError` */
export function judgeLines<Value>(
  { lines }: Pick<SentLines, 'lines'>,
  run: () => Value,
): { readonly value?: Value; readonly errors: FieldErrors } {
  try {
    return { value: run(), errors: {} };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { errors: errorOf(error, lines) };
  }
}

/** Returns an error of the computation, whose field is such as `lines.0.discount.amount`, in the words of the form. */
function errorOf(error: ApiError, lines: readonly SentLine[]): FieldErrors {
  const { field = '', message } = error;
  const party = partyErrorsOf(error);
  if (party) return party;
  const [, index, part] = /^lines\.(\d+)(?:\.(\w+))?/.exec(field) ?? [];
  const { position } = lines[Number(index)] ?? {};
  if (field.startsWith('discount')) return { discount: lineTexts.discountTooMuch };
  if (position === undefined) return { lines: lineTexts.outOfRange };
  if (message.includes('seller.address'))
    return {
      [lineErrorName('tax', position)]: lineTexts.sellerState(
        `${lineTexts.labels.tax}${lineTexts.ofLine(position)}`,
      ),
    };
  if (part === 'tax' || part === 'productCode') return { [lineErrorName('tax', position)]: message };
  const name = part === 'discount' ? part : 'unitAmount';
  const text = name === 'discount' ? lineTexts.tooMuch : lineTexts.messages.unitAmount;
  return {
    [lineErrorName(name, position)]: `${lineTexts.labels[name]}${lineTexts.ofLine(position)} ${text}`,
  };
}
