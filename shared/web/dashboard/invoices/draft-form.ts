/** Reads the form of a draft, and says what the invoice of a draft would be. The fields are those of a new invoice. */
import type { Owner } from '../../../base/ids.ts';
import { currencies, toMajorUnits } from '../../../base/money.ts';
import type { AccountTime } from '../../../base/time.ts';
import { withOwnTaxes } from '../../../domain/accounts/own-taxes-store.ts';
import type { Filled } from '../../../domain/charges/line.ts';
import {
  type CreateDraft,
  createDraftBody,
  type Draft,
  type DraftContent,
  noContent,
} from '../../../domain/drafts/draft.ts';
import type { CreateInvoice } from '../../../domain/invoices/invoice.ts';
import { readTaxedCustomer } from '../../../domain/invoices/invoice-store.ts';
import type { SellerSummary } from '../../../store/account-state.ts';
import {
  lineOf,
  linesOf,
  optionalLineOf,
  type SentFields,
  sentAmountOf,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import { metadataLines, sentMetadata, validateWithMetadata } from '../input/metadata-field.ts';
import { isSameDueValue, toDueValue } from '../input/zoned-times.ts';
import { inUtc, type ZoneContext } from '../times.ts';
import { buyerValues, isSameBuyer } from './buyer-fields.ts';
import { draftTexts } from './draft-texts.ts';
import { gstValues } from './gst-fields.ts';
import { firstCurrencyOf, firstTaxOf, type InvoiceChoices } from './invoice-choices.ts';
import { partialValueOf } from './invoice-form.ts';
import { invoiceFields } from './invoice-texts.ts';
import { firstLinesOf, withLines } from './line-fields.ts';
import {
  newInvoiceFields,
  partialIn,
  type ReadForm,
  readNewInvoice,
  readParties,
  withOwnErrors,
  withWholeLines,
} from './read-invoice-form.ts';
import { readSentLines, type SentLines } from './read-lines.ts';
import { firstTotalOf } from './total-fields.ts';

/** What a form of a draft asks for. An empty field is null, so the draft does not have it. */
export interface SentDraft {
  readonly body: Omit<Filled<CreateDraft>, 'metadata'>;
  /** All texts of the field. */
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** Validates the fields of a draft, as the API does. Any field can be empty. */
export function readDraftForm(fields: SentFields, lines: SentLines): ValidatedFields<SentDraft> {
  const { customerId, buyer, gst, errors } = readParties(fields, lines);
  const hasLines = lines.lines.length > 0;
  const { prices = null, discount = null, roundTo = null } = hasLines ? lines.total : {};
  const input = {
    customerId: customerId || null,
    ...{ buyer, gst, prices, discount, roundTo },
    amount: optionalLineOf(fields, 'amount') === undefined ? null : sentAmountOf(fields, 'amount'),
    lines: hasLines ? lines.lines.map(({ line }) => line) : null,
    currency: lineOf(fields, 'currency'),
    description: linesOf(fields, 'description') || null,
    dueDate: optionalLineOf(fields, 'dueDate') ?? null,
    reference: optionalLineOf(fields, 'reference') ?? null,
    locale: optionalLineOf(fields, 'locale') ?? null,
    acceptPartial: partialIn(fields),
  };
  return validateWithMetadata(sentMetadata(fields), (metadata) => {
    const validated = withOwnErrors(
      withWholeLines(validateFields(createDraftBody, { ...input, metadata }, newInvoiceFields)),
      { ...lines.errors, ...errors },
    );
    if (!validated.ok) return validated;
    const { metadata: _, ...body } = validated.output;
    return { ok: true, output: { body, metadata } };
  });
}

/** Leaves out what the user did not change, although the form cannot show all of it. */
export function changedDraft(
  { body }: SentDraft,
  fields: SentFields,
  { content = noContent }: Pick<Draft, 'content'>,
  choices: Pick<InvoiceChoices, 'seller'> & ZoneContext,
): SentDraft['body'] {
  const { buyer, customerId, dueDate, acceptPartial, ...others } = body;
  const isSameParty = customerId === customerIdOf(content) && isSameBuyer(fields, content.buyer);
  const isSamePartial = fields.get('acceptPartial') === partialValueOf(content.acceptPartial, choices);
  return {
    ...others,
    ...(!isSameParty && { customerId }),
    ...(!isSameBuyer(fields, content.buyer) && { buyer }),
    ...(!isSamePartial && { acceptPartial }),
    ...(!isSameDueValue(choices, dueDate, content.dueDate) && { dueDate }),
  };
}

/** The form shows the email address of a buyer as the customer. */
const customerIdOf = ({ customerId, buyer }: DraftContent): string | null =>
  customerId ?? buyer?.email ?? null;

/** The values of a draft, or of the invoice of a schedule, that its form shows first. */
export function draftValues(
  draft: Pick<Draft, 'content' | 'metadata'>,
  choices: Pick<InvoiceChoices, 'seller'> & ZoneContext,
): URLSearchParams {
  const content: DraftContent = draft.content ?? noContent;
  const { amount, buyer, currency, description, dueDate, gst, locale, reference } = content;
  const fields = new URLSearchParams({
    customerId: customerIdOf(content) ?? '',
    amount: amount === null ? '' : toMajorUnits(amount),
    currency: currency ?? firstCurrencyOf(choices),
    description: description ?? '',
    dueDate: dueDate === null ? '' : toDueValue(choices, dueDate),
    reference: reference ?? '',
    locale: locale ?? '',
    acceptPartial: partialValueOf(content.acceptPartial, choices),
    metadata: metadataLines(draft.metadata),
    ...buyerValues(buyer),
    ...(gst && gstValues(gst)),
    ...firstTotalOf(content),
  });
  return withLines(fields, firstLinesOf(content.lines, firstTaxOf(choices)));
}

/**
 * Reads a draft as the form of a new invoice reads it: says what is missing, by field, and what its lines come to.
 * @param seller the summary of the seller profile
 */
export async function judgeDraft(
  owner: Owner,
  draft: Pick<Draft, 'content' | 'metadata'>,
  seller: SellerSummary | undefined,
  at: AccountTime,
): Promise<ReadForm<CreateInvoice>> {
  const { content = noContent } = draft;
  const fields = draftValues(draft, { seller, ...inUtc });
  fields.set('currency', content.currency ?? '');
  const currency = currencies.find((each) => each === content.currency);
  const lines = await readSentLines(
    fields,
    async () => ({ seller, products: [], currency }),
    (body) => withOwnTaxes(owner.account, body, at),
  );
  if (!lines) throw new Error('The fields of a draft are whole.');
  const customerId = lineOf(fields, 'customerId');
  const body = { customerId, lines: lines.lines.map(({ line }) => line) };
  const customer = await readTaxedCustomer(owner, body);
  const { result, totals } = readNewInvoice(fields, lines, at, { sellerState: seller?.state, customer });
  return { result: withMissing(result, fields), totals };
}

/** Replaces what the API says of required fields that are empty. */
function withMissing<Output>(result: ValidatedFields<Output>, fields: SentFields): ValidatedFields<Output> {
  if (result.ok) return result;
  const required = ['customerId', 'currency', 'description', 'amount'] as const;
  const empty = required.filter((name) => name in result.errors && lineOf(fields, name) === '');
  const texts = empty.map((name) => [
    name,
    name === 'amount' ? draftTexts.noAmount : draftTexts.isMissing(invoiceFields[name].label),
  ]);
  return { ok: false, errors: { ...result.errors, ...Object.fromEntries(texts) } };
}
