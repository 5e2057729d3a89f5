/**
 * The invoice as clients see it: its fields, the bodies and the query that its endpoints take, and what they answer.
 * Which state may follow which is not judged here.
 */
import * as v from 'valibot';
import { parseDueDate } from '../due-date.ts';
import { amountSchema, type Currency, currencySchema } from '../money.ts';
import { paginationQuery } from '../pagination.ts';
import type { NumberedRecord } from '../store/records.ts';
import { textSchema } from '../text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../time.ts';

export const invoiceStatuses = ['pending', 'paid', 'overdue', 'cancelled'] as const;

export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The invoice as the service knows it. */
export interface Invoice extends NumberedRecord {
  readonly customerId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: Currency;
  readonly status: InvoiceStatus;
  readonly description: string;
  /** As it is shown; `overdueAt` is what counts. */
  readonly dueDate: string;
  /** When it turns overdue, if it is still pending. */
  readonly overdueAt: Instant;
  readonly paymentUrl: string;
  /** The payment that is under way: until it has an outcome there is no other, and nothing is updated. */
  readonly paymentInProgress?: string | undefined;
  /** How it was paid. */
  readonly receipt?: Receipt | undefined;
  /** What has gone back of the money received for it, for its page. */
  readonly refundedMinor?: number | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What a paid invoice keeps of its payment. */
export interface Receipt {
  readonly paymentId: string;
  readonly method: 'card' | 'offline' | 'provider';
  readonly card: { readonly brand: string; readonly last4: string } | null;
  readonly reference: string | null;
}

const maxEmailLength = 254;
const maxDescriptionLength = 5000;

const customerIdMessage = `customerId must be an e-mail address of at most ${maxEmailLength} characters, or an ID of 1 to 128 letters, digits and _ . : - that begins with a letter or digit.`;
const descriptionMessage = `description must be text of 1 to ${maxDescriptionLength} characters, not only white space, without NUL or unpaired surrogates.`;
const dueDateMessage =
  'dueDate must be an existing ISO 8601 date and time from 1970 to 9999, such as 2026-03-31T17:00:00Z.';
const statusMessage = `status must be one of ${invoiceStatuses.join(', ')}.`;
const customerFilterMessage = 'customerId must be given once, and not be empty.';

/** Who pays: with `@` an e-mail address, else an id of the merchant's own. */
export const customerIdSchema = v.pipe(
  v.string(customerIdMessage),
  v.check((text) => (text.includes('@') ? isEmail(text) : ownId.test(text)), customerIdMessage),
);

/** Stored and returned as sent. Its length counts code points, so that an emoji is one. */
export const descriptionSchema = textSchema(maxDescriptionLength, descriptionMessage);

/** A due date as `parseDueDate` takes it; the output is the text, unchanged. */
export const dueDateSchema = v.pipe(
  v.string(dueDateMessage),
  v.check((text) => parseDueDate(text) !== undefined, dueDateMessage),
);

const statusSchema = v.picklist(invoiceStatuses, statusMessage);

/** Entries stand in the order in which they are judged. A `dueDate` of `null` is none. */
export const createInvoiceBody = v.strictObject({
  customerId: customerIdSchema,
  amount: amountSchema,
  currency: currencySchema,
  description: descriptionSchema,
  dueDate: v.nullish(dueDateSchema),
});

/**
 * All ten fields of an invoice are known, so that a client may send back what it got. The seven that cannot change are
 * taken as they are: whether each equals the invoice's own is judged where that invoice is known.
 */
export const updateInvoiceBody = v.strictObject({
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
});

/**
 * The filter by customer. A `customerId` that nobody can have is no error, it finds nothing; a space in it is the `+`
 * of an e-mail address that was not escaped, as no customer id has spaces.
 */
export const customerFilter = v.pipe(
  v.string(customerFilterMessage),
  v.nonEmpty(customerFilterMessage),
  v.transform((text) => text.replaceAll(' ', '+')),
);

/** The filters combine with AND. */
export const listInvoicesQuery = v.strictObject({
  ...paginationQuery,
  status: v.optional(statusSchema),
  customerId: v.optional(customerFilter),
});

export type CreateInvoice = v.InferOutput<typeof createInvoiceBody>;
export type UpdateInvoice = v.InferOutput<typeof updateInvoiceBody>;

/** The id of an invoice, in responses. */
export const invoiceIdSchema = v.pipe(v.string(), v.regex(/^inv_[0-9a-z]{26}$/));

/** The invoice in responses: exactly these ten fields, none ever null. */
export const invoiceSchema = v.strictObject({
  id: invoiceIdSchema,
  customerId: customerIdSchema,
  amount: amountSchema,
  currency: currencySchema,
  status: statusSchema,
  description: descriptionSchema,
  dueDate: dueDateSchema,
  paymentUrl: v.pipe(v.string(), v.url()),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** The invoice as the API shows it. */
export function showInvoice(invoice: Invoice): v.InferOutput<typeof invoiceSchema> {
  const { id, customerId, amount, currency, status, description, dueDate, paymentUrl } = invoice;
  const createdAt = toTimestamp(invoice.createdAt);
  const updatedAt = toTimestamp(invoice.updatedAt);
  return { id, customerId, amount, currency, status, description, dueDate, paymentUrl, createdAt, updatedAt };
}

/** What the cancellation of an invoice answers. */
export const cancellationSchema = v.strictObject({
  id: invoiceIdSchema,
  status: v.literal('cancelled'),
  deletedAt: timestampSchema,
});

/** The answer to a cancellation: it happened at the invoice's last change. */
export function showCancellation({ id, updatedAt }: Invoice): v.InferOutput<typeof cancellationSchema> {
  return { id, status: 'cancelled', deletedAt: toTimestamp(updatedAt) };
}

const ownId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * An address that mail can be sent to over the public internet: RFC 5321's dot-string (no quotes, no comments) at a
 * domain of at least two labels, an internationalised one in its `xn--` form; so the last label is not a number.
 */
function isEmail(text: string): boolean {
  if (text.length > maxEmailLength) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || local.length > 64 || !localPart.test(local)) return false;
  const labels = domain.split('.');
  return (
    labels.length >= 2 && labels.every((label) => domainLabel.test(label)) && /\D/.test(labels.at(-1) ?? '')
  );
}
