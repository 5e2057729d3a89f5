/**
 * Defines the invoice: its fields, and the schemas of the requests and responses of its endpoints. `transitions.ts`
 * decides which changes are allowed.
 */
import * as v from 'valibot';
import { parseDueDate } from '../../base/due-date.ts';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { idPatternOf } from '../../base/ids.ts';
import { type Locale, localeSchema } from '../../base/locales.ts';
import {
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
  shownMetadataSchema,
} from '../../base/metadata.ts';
import { amountSchema, type Currency, currencySchema } from '../../base/money.ts';
import { amountFilter, paginationQuery } from '../../base/pagination.ts';
import { statuses } from '../../base/statuses.ts';
import { identifierText, typedText } from '../../base/text.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import { factFilters, isRange, rangeMessage, statusFilter } from '../../store/lists/filters/list-filters.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { createReminderDaysSchema } from '../accounts/reminder-days.ts';
import {
  amountOrLines,
  chargeUpdates,
  customerOrBuyer,
  newChargeFields,
  shownChargeFields,
} from '../charges/charge-fields.ts';
import type { Filled } from '../charges/line.ts';
import { plainCharges, plainLines, plainTotals } from '../charges/plain-charges.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import { type Buyer, buyerSchema, newBuyerSchema, showBuyer } from '../parties/buyer.ts';
import { type Claim, claimSchema, showClaim } from './claim.ts';
import { type Gst, gstSchema, newGstSchema, showGst } from './indian-gst.ts';
import { parsePaymentReference } from './payment-reference.ts';
import type { CheckoutRefusal, PayerNote, Receipt } from './receipt.ts';
import { amountDueOf, amountPaidOf, amountWrittenOffOf, type PartPayment } from './received-money.ts';

const invoiceStatuses = statuses.invoice;

/** The schedule that makes an invoice, and the days that the invoice is for. */
export interface ScheduledBy {
  readonly scheduleId: string;
  readonly period: { readonly start: string; readonly end: string };
}

/** The invoice as the service stores it. */
export interface Invoice extends NumberedRecord<'invoice'> {
  readonly customerId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: Currency;
  readonly description: string;
  /** The due date as the API shows it. `overdueAt` decides when the invoice turns overdue. */
  readonly dueDate: string;
  /** When the invoice turns overdue if it is still pending. */
  readonly overdueAt: AccountTime;
  readonly paymentUrl: string;
  /** What `contentVersionOf` returns. Undefined: it follows from the status and the version. */
  readonly contentVersion?: number | undefined;
  /** The payment in progress. Until it has an outcome, no other payment can start and the invoice cannot be updated. */
  readonly paymentInProgress?: string | undefined;
  /** The checkout at a provider that a payer has open. The merchant can change the invoice after it is voided. */
  readonly openCheckout?: string | undefined;
  /** The last time that a provider refused to begin a checkout. The dashboard shows it until one begins. */
  readonly checkoutRefusal?: CheckoutRefusal | undefined;
  /** How the invoice was paid, or the last part of it. */
  readonly receipt?: Receipt | undefined;
  /** Payers can pay a part of what is due. Undefined: only all of it. */
  readonly acceptPartial?: true | undefined;
  /** Its own days of reminders, from the due date, ascending. Empty: none go out. Undefined: those of the account. */
  readonly reminders?: readonly number[] | undefined;
  /** The payments, oldest first, if one of them alone does not pay exactly the amount. Undefined: there is at most one. */
  readonly parts?: readonly PartPayment[] | undefined;
  /** The refunded part of the money received, in the smallest currency unit. The payment page shows it. */
  readonly refundedMinor?: number | undefined;
  /** The payment reference, without a hyphen. Undefined from the sequence number 2^30 on. */
  readonly paymentReference?: string | undefined;
  /** The client's own number of the invoice. No other invoice of the account and mode ever has it. */
  readonly reference?: string | undefined;
  /** The language of the payment page for a payer who chose none. */
  readonly locale?: Locale | undefined;
  /** Who buys, if the invoice itself says so. */
  readonly buyer?: Buyer | undefined;
  /** The place of supply and the kind of supply, if a line has a tax of India. */
  readonly gst?: Gst | undefined;
  /** The GST code of the seller's state in India when the invoice was created. */
  readonly sellerState?: string | undefined;
  /** The lines, discounts and taxes, and what they come to. Undefined: the invoice has only an amount and a description. */
  readonly charges?: StoredCharges | undefined;
  /** The invoice that this one replaces. */
  readonly replaces?: string | undefined;
  /** The invoice that replaces this one, which is cancelled, or paid and credited. */
  readonly replacedBy?: string | undefined;
  /** The schedule that made it. */
  readonly scheduleId?: ScheduledBy['scheduleId'] | undefined;
  /** The days that it is for, if a schedule made it. */
  readonly period?: ScheduledBy['period'] | undefined;
  /** Its account had a seller profile when it was created. So documents follow from its changes. */
  readonly isDocumented?: true | undefined;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  /** What became of money that payers sent. The payment page shows it. */
  readonly payerNote?: PayerNote | undefined;
  /** The last claim of a payer to have paid. */
  readonly claim?: Claim | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

const ownCustomerId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const customerIdMessage = `customerId must be an email address of at most ${maxEmailLength} characters, or an ID of 1 to 128 letters, digits and _ . : - that begins with a letter or digit.`;
const dueDateMessage =
  'dueDate must be a valid ISO 8601 date and time from 1970 to 9999, such as 2026-03-31T17:00:00Z.';
const statusMessage = `status must be one of ${invoiceStatuses.join(', ')}.`;
const paymentReferenceMessage =
  'paymentReference must be the reference that the payment page shows, such as R7K2-M9QX. Its check characters do not fit: a character is wrong, missing or swapped.';
const paymentReferenceFilterMessage = 'paymentReference must be sent only once and must not be empty.';
const referenceFilterMessage = 'reference must be sent only once and must not be empty.';
const sendMessage = 'send must be true or false.';
const customerFilterMessage = 'customerId must be sent only once and must not be empty.';

/**
 * The customer who pays. A value with `@` must be an e-mail address, any other value an id of the merchant's choice.
 */
export const customerIdSchema = v.pipe(
  v.string(customerIdMessage),
  v.check((text) => (text.includes('@') ? isEmail(text) : ownCustomerId.test(text)), customerIdMessage),
);

/** Stored and returned as sent. The length limit counts code points, so an emoji counts as one. */
export const descriptionSchema = typedText('description', 5000);

/** The client's own number of an invoice. */
export const referenceSchema = identifierText('reference', 128);

/** A due date that `parseDueDate` accepts. The output is the text, unchanged. */
export const dueDateSchema = v.pipe(
  v.string(dueDateMessage),
  v.check((text) => parseDueDate(text) !== undefined, dueDateMessage),
);

const statusSchema = v.picklist(invoiceStatuses, statusMessage);

const acceptPartialMessage = 'acceptPartial must be true or false.';
/** Whether an invoice can be paid in parts. */
export const acceptPartialSchema = v.boolean(acceptPartialMessage);

const forceMessage = 'force must be payment_in_progress, or left out.';

/** Lets a client change an invoice although the outcome of a payment on the page of a provider is not known. */
export const forceQuery = v.object({ force: v.optional(v.picklist(['payment_in_progress'], forceMessage)) });

const paymentsMessage = 'payments must be refund or credit, or left out.';
const useCreditMessage = 'useCredit must be true or false.';

/** The cancellation of an invoice that has received payments of parts says what happens to the money. */
export const cancelQuery = v.object({
  ...forceQuery.entries,
  payments: v.optional(v.picklist(['refund', 'credit'], paymentsMessage)),
});

/** The fields of a new invoice that are optional in each case, and those that it needs if it has neither lines nor a buyer. */
export const newInvoiceEntries = /* @__PURE__ */ createNewFields();

/**
 * Fields are validated in this order, and the first invalid one is reported. An optional field of `null` counts as absent. An
 * invoice has an amount or lines, and a customer or a buyer.
 */
export const createInvoiceBody = /* @__PURE__ */ createNewBody();

/**
 * Accepts all fields of an invoice, so a client can send back an invoice that it received. Some fields cannot
 * change. This schema accepts any value for them, because only `updateInvoice` can compare them with the stored
 * invoice.
 */
export const updateInvoiceBody = /* @__PURE__ */ createUpdateBody();

/** As an update, but the customer and the currency can change, too. */
export const replaceInvoiceBody = /* @__PURE__ */ createReplaceBody();

/**
 * The filter by customer. An impossible `customerId` is not an error: it matches no invoice. A space is read as `+`,
 * because a query turns an unescaped `+` of an e-mail address into a space, and no customer id contains spaces.
 */
export const customerFilter = /* @__PURE__ */ createCustomerFilter();

/** The filter by reference. A text that no record can have matches nothing. */
export const referenceFilter = /* @__PURE__ */ createReferenceFilter();

/** The filters combine with AND. */
export const listInvoicesQuery = /* @__PURE__ */ createListQuery();

/** New and changed invoices have the lines that the products of sent ones filled. */
export type CreateInvoice = Filled<v.InferOutput<typeof createInvoiceBody>>;
export type ListInvoices = v.InferOutput<typeof listInvoicesQuery>;
export type ReplaceInvoice = Filled<v.InferOutput<typeof replaceInvoiceBody>>;
export type UpdateInvoice = Filled<v.InferOutput<typeof updateInvoiceBody>>;

/** The fields that an invoice stores as they were sent. Null counts as absent. */
const storedAsSent = ['description', 'reference', 'locale'] as const;

/** Returns the fields of a new invoice that are stored as they were sent. */
export function fieldsAsSent(body: CreateInvoice): Pick<Invoice, (typeof storedAsSent)[number]> {
  const sent = storedAsSent.flatMap((name) => (body[name] == null ? [] : [[name, body[name]]]));
  return Object.fromEntries(sent);
}

/** The id of an invoice in responses. */
export const invoiceIdSchema = v.pipe(v.string(), v.regex(idPatternOf('invoice')));

const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** The schedule that made an invoice or draft, in responses. */
export const scheduleIdSchema = v.nullable(v.pipe(v.string(), v.regex(idPatternOf('schedule'))));

/** The days that an invoice is for, in responses. */
export const invoicePeriodSchema = v.strictObject({ start: v.string(), end: v.string() });

/** The invoice in responses. It always has these fields. The first version of the API shows the first ten, and none is null. */
export const invoiceSchema = v.strictObject({
  id: invoiceIdSchema,
  customerId: customerIdSchema,
  amount: amountSchema,
  currency: currencySchema,
  status: statusSchema,
  description: v.pipe(v.string(), v.nonEmpty()),
  dueDate: dueDateSchema,
  paymentUrl: v.pipe(v.string(), v.url()),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  number: v.nullable(v.string()),
  reference: v.nullable(v.string()),
  locale: v.nullable(localeSchema),
  buyer: v.nullable(buyerSchema),
  gst: v.nullable(gstSchema),
  ...shownChargeFields,
  metadata: shownMetadataSchema,
  replaces: v.nullable(invoiceIdSchema),
  replacedBy: v.nullable(invoiceIdSchema),
  acceptPartial: v.boolean(),
  amountPaid: countSchema,
  amountDue: countSchema,
  amountWrittenOff: countSchema,
  reminders: v.nullable(v.array(v.pipe(v.number(), v.integer()))),
  scheduleId: scheduleIdSchema,
  period: v.nullable(invoicePeriodSchema),
  claim: v.nullable(claimSchema),
});

type FullInvoice = v.InferOutput<typeof invoiceSchema>;

/** An invoice as handlers answer it and events store it. What follows from the other fields can lack: the versions add it. */
export type ShownInvoice = Omit<FullInvoice, keyof StoredCharges | RelatedField> &
  Partial<StoredCharges & Pick<FullInvoice, RelatedField>>;

/** What an invoice shows only if there is such a document, invoice, buyer, supply or payment. */
type RelatedField =
  | 'number'
  | 'replaces'
  | 'replacedBy'
  | 'buyer'
  | 'gst'
  | 'acceptPartial'
  | 'reminders'
  | 'scheduleId'
  | 'period'
  | 'claim'
  | MoneyField;

/** What an invoice shows of its payments. Without payments of parts, it follows from status and amount. */
type MoneyField = 'amountPaid' | 'amountDue' | 'amountWrittenOff';

/** Returns the charges of an invoice. One that has only an amount and a description has one line. */
export function chargesOf({ charges, amount, description }: Invoice): StoredCharges {
  return charges ?? { ...plainCharges, lines: plainLines(amount, description), totals: plainTotals(amount) };
}

/** Returns the invoice as the newest version of the API shows it. An invoice with only an amount shows a line. */
export const showWholeInvoice = (invoice: Invoice): ShownInvoice => ({
  buyer: null,
  gst: null,
  replaces: null,
  replacedBy: null,
  acceptPartial: false,
  ...showMoney(invoice),
  reminders: null,
  scheduleId: null,
  period: null,
  claim: null,
  ...showInvoice({ ...invoice, charges: chargesOf(invoice) }),
});

/** Returns the invoice as the API shows it. Without lines, it has no charges. @param number that of its document */
export function showInvoice(invoice: Invoice, number?: string): ShownInvoice {
  const { id, customerId, amount, currency, status, description, dueDate, paymentUrl } = invoice;
  const createdAt = toTimestamp(invoice.createdAt);
  const updatedAt = toTimestamp(invoice.updatedAt);
  return {
    id,
    customerId,
    amount,
    currency,
    status,
    description,
    dueDate,
    paymentUrl,
    createdAt,
    updatedAt,
    ...(number !== undefined && { number }),
    reference: invoice.reference ?? null,
    locale: invoice.locale ?? null,
    ...(invoice.buyer && { buyer: showBuyer(invoice.buyer) }),
    ...(invoice.gst && { gst: showGst(invoice.gst) }),
    ...invoice.charges,
    metadata: showMetadata(invoice.metadata),
    ...(invoice.replaces !== undefined && { replaces: invoice.replaces }),
    ...(invoice.replacedBy !== undefined && { replacedBy: invoice.replacedBy }),
    ...(invoice.acceptPartial && { acceptPartial: true }),
    ...(invoice.parts && showMoney(invoice)),
    ...(invoice.reminders && { reminders: [...invoice.reminders] }),
    ...(invoice.scheduleId !== undefined && { scheduleId: invoice.scheduleId }),
    ...(invoice.period && { period: invoice.period }),
    ...(invoice.claim && { claim: showClaim(invoice, invoice.claim) }),
  };
}

const showMoney = (invoice: Invoice): Pick<FullInvoice, MoneyField> => ({
  amountPaid: amountPaidOf(invoice),
  amountDue: amountDueOf(invoice),
  amountWrittenOff: amountWrittenOffOf(invoice),
});

/** The response to the cancellation of an invoice. */
export const cancellationSchema = v.strictObject({
  id: invoiceIdSchema,
  status: v.literal('cancelled'),
  deletedAt: timestampSchema,
});

export type ShownCancellation = v.InferOutput<typeof cancellationSchema>;

/**
 * Returns the response to the cancellation of an invoice. The cancellation is its last change, so `updatedAt` is its
 * time.
 */
export function showCancellation({ id, updatedAt }: Invoice): ShownCancellation {
  return { id, status: 'cancelled', deletedAt: toTimestamp(updatedAt) };
}

// The bundle of a function omits the results of these functions that it does not use.

function createNewFields() {
  return {
    customerId: customerIdSchema,
    amount: amountSchema,
    currency: currencySchema,
    description: descriptionSchema,
    dueDate: v.nullish(dueDateSchema),
    reference: v.nullish(referenceSchema),
    locale: v.nullish(localeSchema),
    buyer: v.nullish(newBuyerSchema),
    gst: v.nullish(newGstSchema),
    ...newChargeFields,
    metadata: v.nullish(newMetadataSchema),
    send: v.nullish(v.boolean(sendMessage)),
    acceptPartial: v.nullish(acceptPartialSchema),
    reminders: v.nullish(createReminderDaysSchema('reminders')),
  };
}

function createNewBody() {
  const fields = { ...createNewFields(), useCredit: v.nullish(v.boolean(useCreditMessage)) };
  const amount = v.optional(amountSchema);
  const withCustomer = amountOrLines(v.strictObject(fields), v.strictObject({ ...fields, amount }));
  const withBuyer = { ...fields, customerId: v.optional(customerIdSchema) };
  return customerOrBuyer(
    withCustomer,
    amountOrLines(v.strictObject(withBuyer), v.strictObject({ ...withBuyer, amount })),
  );
}

function createUpdateBody() {
  return v.strictObject({
    id: v.optional(v.unknown()),
    customerId: v.optional(v.unknown()),
    amount: v.optional(amountSchema),
    currency: v.optional(v.unknown()),
    status: v.optional(v.unknown()),
    description: v.optional(descriptionSchema),
    dueDate: v.optional(dueDateSchema),
    paymentUrl: v.optional(v.unknown()),
    createdAt: v.optional(v.unknown()),
    updatedAt: v.optional(v.unknown()),
    number: v.optional(v.unknown()),
    reference: v.optional(v.unknown()),
    locale: v.nullish(localeSchema),
    buyer: v.nullish(newBuyerSchema),
    gst: v.nullish(newGstSchema),
    ...chargeUpdates,
    metadata: v.nullish(metadataUpdateSchema),
    replaces: v.optional(v.unknown()),
    replacedBy: v.optional(v.unknown()),
    acceptPartial: v.optional(acceptPartialSchema),
    amountPaid: v.optional(v.unknown()),
    amountDue: v.optional(v.unknown()),
    amountWrittenOff: v.optional(v.unknown()),
    reminders: v.nullish(createReminderDaysSchema('reminders')),
    scheduleId: v.optional(v.unknown()),
    period: v.optional(v.unknown()),
    claim: v.optional(v.unknown()),
  });
}

function createReplaceBody() {
  const { entries } = createUpdateBody();
  return v.strictObject({
    ...entries,
    customerId: v.optional(customerIdSchema),
    currency: v.optional(currencySchema),
  });
}

function createCustomerFilter() {
  return v.pipe(
    v.string(customerFilterMessage),
    v.nonEmpty(customerFilterMessage),
    v.transform((text) => text.replaceAll(' ', '+')),
  );
}

function createReferenceFilter() {
  return v.pipe(v.string(referenceFilterMessage), v.nonEmpty(referenceFilterMessage));
}

function createListQuery() {
  return v.pipe(
    v.strictObject({
      ...paginationQuery,
      status: v.optional(statusFilter(invoiceStatuses, statusMessage)),
      customerId: v.optional(customerFilter),
      reference: v.optional(referenceFilter),
      amount: v.optional(amountFilter),
      // The output is the reference without hyphens and spaces.
      paymentReference: v.optional(
        v.pipe(
          v.string(paymentReferenceFilterMessage),
          v.nonEmpty(paymentReferenceFilterMessage),
          v.transform(parsePaymentReference),
          v.string(paymentReferenceMessage),
        ),
      ),
      ...factFilters,
    }),
    v.forward(
      v.check((query) => isRange(query), rangeMessage),
      ['createdTo'],
    ),
  );
}
