/** Which state of an invoice may follow which, and what each change announces. Pure: no input or output. */
import { parseDueDate } from '../due-date.ts';
import { ApiError } from '../errors.ts';
import { type EventType, eventOf } from '../events/event.ts';
import type { Owner } from '../ids.ts';
import type { Currency } from '../money.ts';
import type { Change } from '../store/transition.ts';
import { type Instant, toTimestamp } from '../time.ts';
import {
  type CreateInvoice,
  type Invoice,
  type Receipt,
  showInvoice,
  type UpdateInvoice,
} from './invoice.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long a customer has if nothing else is said (interface 8). */
const defaultTermMs = 30 * dayMs;
/** A due date may lie in the past, as old invoices get imported; such an invoice turns overdue this much later. */
const graceMs = dayMs;

/** Where a new invoice belongs: its number and id, its dimensions and its payment URL. */
export interface Place extends Owner {
  readonly id: string;
  readonly seq: number;
  readonly dimensions: readonly string[];
  readonly paymentUrl: string;
}

/** A new invoice is `pending`; without a due date it is due in 30 days. Announces `invoice.created`. */
export function createInvoice(place: Place, body: CreateInvoice, now: Instant): Change<Invoice> {
  const { customerId, amount, currency, description, dueDate } = body;
  const invoice: Invoice = {
    ...place,
    version: 1,
    objectVersion: 1,
    customerId,
    amount,
    currency: currency as Currency,
    status: 'pending',
    description,
    ...dueDateFields(dueDate ?? toTimestamp(now + defaultTermMs), now),
    createdAt: now,
    updatedAt: now,
  };
  return changeTo(invoice, 'invoice.created', { reachesStatus: true, dueDateSet: true });
}

/**
 * Sets amount, description and due date; undefined if nothing would be new. Announces `invoice.updated`.
 * @throws ApiError `immutable_field` if another field is sent with a value that is not its present one,
 *   `invoice_not_pending`, `payment_in_progress`
 */
export function updateInvoice(
  invoice: Invoice,
  body: UpdateInvoice,
  now: Instant,
): Change<Invoice> | undefined {
  requireUnchanged(invoice, body);
  requirePending(invoice);
  requireNoPayment(invoice);
  const { amount = invoice.amount, description = invoice.description } = body;
  const dueDate = body.dueDate === undefined ? invoice.dueDate : shownDueDate(body.dueDate);
  const dueDateSet = dueDate !== invoice.dueDate;
  if (!dueDateSet && amount === invoice.amount && description === invoice.description) return undefined;
  const due = dueDateSet && body.dueDate !== undefined ? dueDateFields(body.dueDate, now) : {};
  const next = { ...nextVersion(invoice, now), amount, description, ...due };
  return changeTo(next, 'invoice.updated', { reachesStatus: false, dueDateSet });
}

/**
 * Cancelling is final (interface 3, rule 2); from `pending` and `overdue`. Announces `invoice.cancelled`.
 * @throws ApiError `invoice_already_paid`, `invoice_already_cancelled`
 */
export function cancelInvoice(invoice: Invoice, now: Instant): Change<Invoice> {
  if (invoice.status === 'paid') throw new ApiError('invoice_already_paid');
  if (invoice.status === 'cancelled') throw new ApiError('invoice_already_cancelled');
  const next: Invoice = { ...nextVersion(invoice, now), status: 'cancelled' };
  return changeTo(next, 'invoice.cancelled', { reachesStatus: true, dueDateSet: false });
}

/** A pending invoice whose time has come turns `overdue`; undefined if it is not one. Announces `invoice.overdue`. */
export function makeOverdue(invoice: Invoice, now: Instant): Change<Invoice> | undefined {
  if (invoice.status !== 'pending' || invoice.overdueAt > now) return undefined;
  const next: Invoice = { ...nextVersion(invoice, now), status: 'overdue' };
  return changeTo(next, 'invoice.overdue', { reachesStatus: true, dueDateSet: false });
}

/**
 * Whether the invoice can be paid now (semantics 6): `pending` or `overdue`, and no payment under way.
 * @throws ApiError `invoice_already_paid`, `invoice_already_cancelled`, `payment_in_progress`
 */
export function requirePayable(invoice: Invoice): void {
  if (invoice.status === 'paid') {
    throw new ApiError('invoice_already_paid', {
      message: 'The invoice is already paid; nothing was charged.',
    });
  }
  if (invoice.status === 'cancelled') {
    throw new ApiError('invoice_already_cancelled', {
      message: 'The invoice is cancelled and cannot be paid; nothing was charged.',
    });
  }
  requireNoPayment(invoice);
}

/** Binds the invoice to a payment. That is nothing that the API shows, so it is no new version of the object. */
export function beginPayment(invoice: Invoice, paymentId: string): Change<Invoice> {
  requirePayable(invoice);
  return unseen({ ...invoice, version: invoice.version + 1, paymentInProgress: paymentId });
}

/** Frees the invoice from a payment that failed. */
export function endPayment(invoice: Invoice, paymentId: string): Change<Invoice> | undefined {
  if (invoice.paymentInProgress !== paymentId) return undefined;
  return unseen({ ...invoice, version: invoice.version + 1, paymentInProgress: undefined });
}

/** The full amount was received. From `pending` and `overdue`, which the caller has made sure of. Announces `invoice.paid`. */
export function payInvoice(invoice: Invoice, receipt: Receipt, now: Instant): Change<Invoice> {
  const next: Invoice = {
    ...nextVersion(invoice, now),
    status: 'paid',
    paymentInProgress: undefined,
    receipt,
  };
  return changeTo(next, 'invoice.paid', { reachesStatus: true, dueDateSet: false });
}

/**
 * The version of what a payer is asked for. That the due date has passed changes nothing about it, and is the last
 * change before the invoice is paid or cancelled.
 */
export const contentVersionOf = ({ status, objectVersion }: Invoice): number =>
  status === 'overdue' ? objectVersion - 1 : objectVersion;

/** Some of what was paid has gone back; nothing that the API shows. */
export function noteRefund(invoice: Invoice, amountMinor: number): Change<Invoice> {
  const refundedMinor = (invoice.refundedMinor ?? 0) + amountMinor;
  return unseen({ ...invoice, version: invoice.version + 1, refundedMinor });
}

/** Whether money can still be received for it. */
export const isOpen = ({ status }: Invoice): boolean => status === 'pending' || status === 'overdue';

const unseen = (record: Invoice): Change<Invoice> => ({ record, element: undefined, events: [], timers: [] });

/** Every change makes `updatedAt` strictly later, whatever the clocks of two instances say. */
function nextVersion(invoice: Invoice, now: Instant): Invoice {
  return {
    ...invoice,
    version: invoice.version + 1,
    objectVersion: invoice.objectVersion + 1,
    updatedAt: Math.max(now, invoice.updatedAt + 1),
  };
}

function changeTo(
  invoice: Invoice,
  announced: EventType,
  { reachesStatus, dueDateSet }: { reachesStatus: boolean; dueDateSet: boolean },
): Change<Invoice> {
  const { id, seq, dimensions, status, updatedAt, overdueAt } = invoice;
  return {
    record: invoice,
    element: reachesStatus ? { resource: 'invoice', seq, dimensions, status } : undefined,
    events: [eventOf(announced, invoice, updatedAt, showInvoice(invoice))],
    timers: dueDateSet ? [{ due: overdueAt, kind: 'overdue', reference: id }] : [],
  };
}

/** @throws Error if `text` is no due date; it was validated before */
function dueDateFields(text: string, now: Instant): Pick<Invoice, 'dueDate' | 'overdueAt'> {
  const due = parseDueDate(text);
  if (!due) throw new Error('A due date that was validated does not parse.');
  return { dueDate: due.shown, overdueAt: due.instant > now ? due.instant : now + graceMs };
}

const shownDueDate = (text: string) => parseDueDate(text)?.shown ?? text;

function requirePending({ status }: Invoice): void {
  if (status === 'pending') return;
  const wayOut = status === 'overdue' ? ' Cancel it and issue a new one instead.' : '';
  throw new ApiError('invoice_not_pending', {
    message: `Only pending invoices can be updated; this one is ${status}.${wayOut}`,
  });
}

function requireNoPayment({ paymentInProgress }: Invoice): void {
  if (paymentInProgress !== undefined) throw new ApiError('payment_in_progress');
}

/** A client may send back what it got: fields that cannot change are accepted with their present value. */
function requireUnchanged(invoice: Invoice, body: UpdateInvoice): void {
  const shown = showInvoice(invoice);
  for (const field of [
    'id',
    'customerId',
    'currency',
    'status',
    'paymentUrl',
    'createdAt',
    'updatedAt',
  ] as const) {
    if (body[field] === undefined || body[field] === shown[field]) continue;
    const message = `${field} cannot be changed; leave it out. Only amount, description and dueDate can.`;
    throw new ApiError('immutable_field', { field, message });
  }
}
