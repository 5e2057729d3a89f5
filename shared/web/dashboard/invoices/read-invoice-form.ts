/** Reads the forms with which a user creates, changes and replaces an invoice, and validates them as the API does. */
import { isRecordId } from '../../../base/ids.ts';
import { currencies } from '../../../base/money.ts';
import type { AccountTime } from '../../../base/time.ts';
import type { Filled } from '../../../domain/charges/line.ts';
import type { Customer } from '../../../domain/customers/customer.ts';
import { buyerOfCustomer } from '../../../domain/customers/customer-buyer.ts';
import {
  type CreateInvoice,
  createInvoiceBody,
  type Invoice,
  type ReplaceInvoice,
  replaceInvoiceBody,
  type UpdateInvoice,
  updateInvoiceBody,
} from '../../../domain/invoices/invoice.ts';
import { changedCharges, newCharges } from '../../../domain/invoices/invoice-charges.ts';
import { toBuyer } from '../../../domain/parties/buyer.ts';
import {
  choiceOf,
  type FieldErrors,
  lineOf,
  linesOf,
  optionalLineOf,
  type SentFields,
  sentAmountOf,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import { metadataField, sentMetadata, validateWithMetadata } from '../input/metadata-field.ts';
import { buyerFieldNames, isSameBuyer, readBuyerFields } from './buyer-fields.ts';
import { givenGstOf, gstFieldNames, isSameGst, readGst } from './gst-fields.ts';
import {
  acceptPartialField,
  invoiceFields,
  lineTexts,
  localeField,
  ownReferenceField,
  useCreditField,
} from './invoice-texts.ts';
import type { ShownTotals } from './line-fields.ts';
import { chargeLines, judgeLines, type SentLines } from './read-lines.ts';

/** How the form of a new invoice names its fields in errors. */
export const newInvoiceFields = {
  ...invoiceFields,
  reference: ownReferenceField,
  acceptPartial: acceptPartialField,
  useCredit: useCreditField,
  locale: localeField,
  metadata: metadataField,
};

/** How the form of a changed invoice names its fields in errors. */
const editedInvoiceFields = {
  ...invoiceFields,
  acceptPartial: acceptPartialField,
  locale: localeField,
  metadata: metadataField,
};

/** The fields of the buyer and of the GST of India. An account outside India has no fields of the GST. */
export const partyFieldNames: readonly string[] = [...buyerFieldNames, ...gstFieldNames];

/** What a form asks for, and what its lines come to if that is known. */
export interface ReadForm<Output> {
  readonly result: ValidatedFields<Output>;
  readonly totals?: ShownTotals | undefined;
}

/** What a form says of who buys, and of the GST of India. */
export interface SentParties {
  readonly customerId: string;
  readonly buyer: CreateInvoice['buyer'];
  readonly gst: CreateInvoice['gst'];
  readonly errors: FieldErrors;
}

/** Reads and validates who buys, and the GST of India. @param customerId that of the invoice */
export function readParties(
  fields: SentFields,
  { lines }: SentLines,
  customerId = lineOf(fields, 'customerId'),
): SentParties {
  const buyer = readBuyerFields(fields, customerId);
  const gst = readGst(
    fields,
    lines.map(({ line }) => line),
  );
  return {
    customerId,
    buyer: buyer.value,
    gst: gst.value,
    errors: { ...buyer.errors, ...gst.errors },
  };
}

/**
 * Validates the fields of a new invoice, as the API does.
 * @param lines the lines of the same form
 * @param at the time of the account, whose day decides the tax rates
 * @param known the GST code of the seller's state in India, and the customer of the customers API that the form names
 * @returns what the lines come to, also if another field is wrong
 */
export function readNewInvoice(
  fields: SentFields,
  lines: SentLines,
  at: AccountTime,
  known: { readonly sellerState: string | undefined; readonly customer: Customer | undefined },
): ReadForm<CreateInvoice> {
  const { customerId, buyer, gst, errors: partyErrors } = readParties(fields, lines);
  const input = {
    customerId,
    buyer,
    gst,
    ...sentCharges(fields, lines),
    currency: lineOf(fields, 'currency'),
    description: linesOf(fields, 'description'),
    dueDate: optionalLineOf(fields, 'dueDate'),
    reference: optionalLineOf(fields, 'reference'),
    locale: optionalLineOf(fields, 'locale'),
    acceptPartial: partialIn(fields),
    useCredit: fields.get('useCredit') == null ? undefined : choiceOf(lineOf(fields, 'useCredit')),
  };
  const result = validateWithMetadata(sentMetadata(fields), (metadata) =>
    withOwnErrors(
      withWholeLines(validateFields(createInvoiceBody, { ...input, metadata }, newInvoiceFields)),
      { ...lines.errors, ...partyErrors },
    ),
  );
  if (Object.keys(partyErrors).length > 0) return { result };
  const ownBuyer = () => (buyer ? toBuyer(buyer, customerId) : undefined);
  const currency = currencies.find((each) => each === input.currency);
  if (lines.lines.length === 0 || hasErrors(lines) || !currency)
    return { result: withErrors(result, judgeLines(lines, ownBuyer).errors) };
  const compute = () =>
    newCharges({ lines: lines.lines.map(({ line }) => line), ...lines.total, gst, currency }, at, {
      sellerState: known.sellerState,
      customerId,
      buyer: ownBuyer(),
      customer: known.customer && buyerOfCustomer(known.customer),
    });
  const { charged, errors } = chargeLines(lines, compute, currency, input.amount);
  return { result: withErrors(result, errors), totals: charged && { ...charged, currency } };
}

/** Returns whether the form lets the invoice be paid in parts. Undefined: it does not say so. */
export const partialIn = (fields: SentFields): boolean | string | undefined =>
  fields.get('acceptPartial') == null ? undefined : choiceOf(lineOf(fields, 'acceptPartial'));

/** Returns the amount and the lines of a form. With lines, the amount can be empty. */
function sentCharges(fields: SentFields, lines: SentLines) {
  const hasLines = lines.lines.length > 0 || hasErrors(lines);
  const isEmpty = hasLines && lineOf(fields, 'amount') === '';
  return {
    amount: isEmpty ? undefined : sentAmountOf(fields, 'amount'),
    ...(hasLines && { lines: lines.lines.map(({ line }) => line), ...lines.total }),
  };
}

/** The kind of prices of an invoice cannot be removed. */
const updatedTotal = ({ total: { prices, ...others } }: SentLines) => ({
  ...others,
  prices: prices ?? undefined,
});

/** A line of a form says everything itself, also if it names a product. */
export const withWholeLines = <Body>(result: ValidatedFields<Body>) =>
  result as ValidatedFields<Filled<Body>>;

const hasErrors = ({ errors }: SentLines) => Object.keys(errors).length > 0;

/** Replaces the errors that the API has for all lines, the buyer and the GST by those of their fields. */
export function withOwnErrors<Output>(
  result: ValidatedFields<Output>,
  own: FieldErrors,
): ValidatedFields<Output> {
  if (result.ok) return withErrors(result, own);
  const { lines: _, buyer: __, gst: ___, ...others } = result.errors;
  return { ok: false, errors: { ...others, ...own } };
}

function withErrors<Output>(result: ValidatedFields<Output>, errors: FieldErrors): ValidatedFields<Output> {
  if (Object.keys(errors).length === 0) return result;
  return { ok: false, errors: { ...(!result.ok && result.errors), ...errors } };
}

/** The change that a form asks for, and the version of the invoice that it showed. */
export interface InvoiceEdit<Body = UpdateInvoice> {
  readonly body: Body;
  /** All texts of the field. Undefined if the form does not have it. */
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly seen: number;
}

/**
 * Validates the fields of a changed invoice, as the API does. `chargesOfEdit` judges the lines together with the invoice, and
 * `changedParties` says what changes of the buyer and the GST.
 */
export const readInvoiceEdit = (fields: SentFields, lines: SentLines): ValidatedFields<InvoiceEdit> =>
  readEdit(fields, lines, readParties(fields, lines), (input) =>
    withWholeLines(validateFields(updateInvoiceBody, input, editedInvoiceFields)),
  );

/** Does the same for an invoice that replaces another one. Its customer can be another one. */
export const readReplacement = (
  fields: SentFields,
  lines: SentLines,
): ValidatedFields<InvoiceEdit<ReplaceInvoice>> => {
  const parties = readParties(fields, lines);
  const { customerId } = parties;
  return readEdit(fields, lines, parties, (input) =>
    withWholeLines(validateFields(replaceInvoiceBody, { customerId, ...input }, editedInvoiceFields)),
  );
};

function readEdit<Body>(
  fields: SentFields,
  lines: SentLines,
  { buyer, gst, errors }: SentParties,
  validate: (input: object) => ValidatedFields<Body>,
): ValidatedFields<InvoiceEdit<Body>> {
  const input = {
    ...sentCharges(fields, lines),
    description: linesOf(fields, 'description'),
    dueDate: lineOf(fields, 'dueDate'),
    buyer,
    gst,
    ...(fields.get('locale') != null && { locale: optionalLineOf(fields, 'locale') ?? null }),
    acceptPartial: partialIn(fields),
  };
  const result = validateWithMetadata(sentMetadata(fields), (metadata) => {
    const validated = withOwnErrors(validate({ ...input, metadata }), { ...lines.errors, ...errors });
    return validated.ok ? { ok: true, output: { body: validated.output, metadata } } : validated;
  });
  if (!result.ok) return result;
  return { ok: true, output: { ...result.output, seen: Number(lineOf(fields, 'seen')) } };
}

/**
 * Returns what the form of an invoice changes of the buyer and of the GST. What it sends as it was shown is left out.
 * @param customerId that of the invoice after the change. With another one, the former buyer does not stay
 */
export function changedParties(
  invoice: Invoice,
  fields: SentFields,
  lines: SentLines,
  customerId = invoice.customerId,
): Pick<UpdateInvoice, 'buyer' | 'gst'> {
  const { buyer, gst } = readParties(fields, lines, customerId);
  const isKnown = customerId === invoice.customerId || isRecordId('customer', customerId) || buyer === null;
  const isKept = buyer === undefined || (isKnown && isSameBuyer(fields, invoice.buyer));
  return {
    ...(!isKept && { buyer }),
    ...(gst !== undefined && !isSameGst(fields, givenGstOf(invoice)) && { gst }),
  };
}

/**
 * Judges the lines of a form together with the invoice that it changes.
 * @param sent the result of `readInvoiceEdit`. If the amount is that of the invoice, it does not contradict new lines.
 * @param customer the customer of the customers API that the form names, if a line has a tax of India
 */
export function chargesOfEdit<Body extends UpdateInvoice>(
  invoice: Invoice,
  fields: SentFields,
  lines: SentLines,
  sent: ValidatedFields<InvoiceEdit<Body>>,
  customer: Customer | undefined,
): ReadForm<InvoiceEdit<Body>> {
  if (hasErrors(lines) || (!sent.ok && partyFieldNames.some((name) => name in sent.errors)))
    return { result: sent };
  if (lines.lines.length === 0)
    return { result: withErrors(sent, invoice.charges ? { lines: lineTexts.noLine } : {}) };
  const { currency } = invoice;
  const sentAmount = sent.ok ? sent.output.body.amount : undefined;
  const amount = sentAmount === invoice.amount ? undefined : sentAmount;
  const customerId = lineOf(fields, 'customerId') || invoice.customerId;
  const { buyer, gst } = changedParties(invoice, fields, lines, customerId);
  const compute = () => {
    const isSame = customerId === invoice.customerId;
    const kept = isSame ? invoice.buyer : undefined;
    const next = buyer ? toBuyer(buyer, customerId) : buyer === undefined ? kept : undefined;
    return changedCharges(
      { ...invoice, customerId, buyer: next, ...(!isSame && { gst: undefined }) },
      { lines: lines.lines.map(({ line }) => line), ...updatedTotal(lines), gst },
      customer && buyerOfCustomer(customer),
    );
  };
  const { charged, errors } = chargeLines(lines, compute, currency, amount);
  return { result: withErrors(sent, errors), totals: charged && { ...charged, currency } };
}
