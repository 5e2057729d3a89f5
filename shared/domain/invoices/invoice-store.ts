/** Reads, lists, creates and changes invoices in the table. */

import { type Clock, toRealTime } from '../../base/clock.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type Instant, type RealTime, toTimestamp } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import type { Principal } from '../../store/account-state.ts';
import { type Change, Command, type Creation, requireNew } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { erasedText } from '../../store/field-erasure.ts';
import type { RecordFilter } from '../../store/lists/filters/record-matcher.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, readRecord, readRecordOfAnyAccount } from '../../store/records.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer } from '../../store/timers/timers.ts';
import { endOfDayIn } from '../accounts/fiscal-year.ts';
import type { LinesBody } from '../charges/line.ts';
import { isIndianTax } from '../charges/tax-codes.ts';
import type { Customer } from '../customers/customer.ts';
import { buyerOfCustomer } from '../customers/customer-buyer.ts';
import { customerType } from '../customers/record.ts';
import { customerIdWith } from '../parties/buyer.ts';
import {
  type CreateInvoice,
  chargesOf,
  type Invoice,
  type ListInvoices,
  type ReplaceInvoice,
  type ScheduledBy,
  type ShownInvoice,
  showInvoice,
  type UpdateInvoice,
} from './invoice.ts';
import { newInvoiceIdentity, referenceScopeOf } from './new-identity.ts';
import { sequenceNumberOf } from './payment-reference.ts';
import { customerFilterKey, invoiceType } from './record.ts';
import { reserveReference } from './reference-store.ts';
import {
  createInvoice,
  makeOverdue,
  replaceInvoice,
  requireFoundInvoice,
  updateInvoice,
} from './transitions.ts';

/** Reads one invoice. */
export function readInvoice(owner: Owner, id: string): Promise<LoadedRecord<Invoice>> {
  return readRecord(invoiceType, owner, id);
}

/** Reads an invoice of any account, for the payment page. Returns undefined if the invoice does not exist. */
export function readInvoiceOfAnyAccount(id: string): Promise<LoadedRecord<Invoice> | undefined> {
  return readRecordOfAnyAccount(invoiceType, id);
}

/**
 * Returns the invoice of a loaded record.
 * @throws ApiError `invoice_not_found` if it does not exist
 */
export function requireInvoice({ record }: LoadedRecord<Invoice>): Invoice {
  return requireFoundInvoice(record);
}

/**
 * Creates the command that changes an existing invoice.
 * @param decide returns the change, if any, and the answer. It is pure, because it can run again on a newer version.
 * @throws ApiError `invoice_not_found` when the command runs, if the invoice does not exist
 */
function changeInvoiceCommand<A>(
  loaded: LoadedRecord<Invoice>,
  decide: (invoice: Invoice) => { change: Change<Invoice> | undefined; answer: A },
): Command<[Invoice], A> {
  return new Command([loaded], (record) => {
    const { change, answer } = decide(requireInvoice({ ...loaded, record }));
    return { changes: [change], answer };
  });
}

/** What a command that changes or replaces an invoice can depend on. */
export interface ChangeContext {
  /** From `readCustomerOfChange`. */
  readonly customer?: Customer | undefined;
  /** Checks a further condition on the invoice, and throws if the invoice does not meet it. */
  readonly require?: (invoice: Invoice) => void;
}

/** Creates the command that updates an invoice. The command throws the errors of `updateInvoice`. */
export function updateInvoiceCommand(
  loaded: LoadedRecord<Invoice>,
  body: UpdateInvoice,
  now: Instant,
  { customer, require }: ChangeContext,
): Command<[Invoice], ShownInvoice> {
  return changeInvoiceCommand(loaded, (invoice) => {
    require?.(invoice);
    const change = updateInvoice(invoice, body, now, customer && buyerOfCustomer(customer));
    return { change, answer: showInvoice(change?.record ?? invoice) };
  });
}

/**
 * Prepares the creation of an invoice, with the sequence number that authorization allocated.
 * @param customer from `readTaxedCustomer`
 * @param scheduled the schedule that makes it, and its period. Undefined: a request
 * @throws ApiError as `createInvoice`. The commit throws `reference_taken` if another invoice has the reference
 */
export async function prepareInvoice(
  principal: Principal,
  body: CreateInvoice,
  now: Instant,
  customer?: Customer,
  scheduled?: ScheduledBy,
): Promise<Creation<Invoice>> {
  const identity = newInvoiceIdentity(principal);
  const filterKeys = [await customerFilterKey(customerIdWith(body.customerId, body.buyer))];
  const dueDate = body.dueDate ?? defaultDueDate(principal, now);
  const change = createInvoice(
    { ...identity, ...scheduled, filterKeys },
    { ...body, dueDate, acceptPartial: body.acceptPartial ?? principal.seller?.acceptPartial },
    now,
    customer && buyerOfCustomer(customer),
  );
  const { reference } = change.record;
  const { owner } = principal;
  const reserves = reference === undefined ? [] : [await reserveReference(owner, reference, identity.id)];
  return { change, reserves };
}

/**
 * Creates the command that creates an invoice, as `prepareInvoice` says.
 * @param timersOf returns the timers of what else follows from the invoice, in the time of the account
 */
export async function createInvoiceCommand(
  principal: Principal,
  body: CreateInvoice,
  now: Instant,
  customer?: Customer,
  timersOf: (invoice: Invoice) => readonly Timer[] = () => [],
): Promise<Command<[Invoice], ShownInvoice>> {
  const { change, reserves } = await prepareInvoice(principal, body, now, customer);
  const { owner } = principal;
  const { id } = change.record;
  return new Command([{ type: invoiceType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    const timers = timersOf(change.record);
    return { changes: [change], answer: showInvoice(change.record), reserves, timers };
  });
}

/**
 * Creates the command that cancels an invoice and creates the one that replaces it, with the sequence number that authorization
 * allocated. The new invoice takes the reference over. The command throws the errors of `replaceInvoice`.
 */
export async function replaceInvoiceCommand(
  principal: Principal,
  loaded: LoadedRecord<Invoice>,
  body: ReplaceInvoice,
  now: Instant,
  { customer, require }: ChangeContext,
): Promise<Command<[Invoice, Invoice], ShownInvoice>> {
  const { owner } = principal;
  const identity = newInvoiceIdentity(principal);
  const { id } = identity;
  const { customerId } = body;
  const filterKeys = customerId === undefined ? undefined : [await customerFilterKey(customerId)];
  const { reference } = loaded.record ?? {};
  const buyer = customer && buyerOfCustomer(customer);
  const moved = reference === undefined ? [] : [await reserveReference(owner, reference, id, loaded.id)];
  return new Command([loaded, { type: invoiceType, owner, id, record: undefined }], (record, existing) => {
    requireNew(existing);
    const invoice = requireInvoice({ ...loaded, record });
    require?.(invoice);
    const moves = reference !== undefined && invoice.reference === reference && reference !== erasedText;
    const isOverdue = invoice.status === 'overdue' && body.dueDate === undefined;
    const dueDate = isOverdue ? defaultDueDate(principal, now) : body.dueDate;
    const changes = { ...body, ...(dueDate !== undefined && { dueDate }) };
    const next = { ...identity, filterKeys };
    const { cancelled, issued } = replaceInvoice(invoice, next, changes, moves, now, buyer);
    const answer = showInvoice(issued.record);
    return { changes: [cancelled, issued], answer, reserves: moves ? moved : [] };
  });
}

/**
 * Reads the customer of the customers API that a new invoice names, if a line can have a tax of India: its address decides the place of
 * supply. Otherwise nothing is read.
 * @returns undefined if it does not exist, or is deleted
 */
export function readTaxedCustomer(owner: Owner, body: TaxedBody): Promise<Customer | undefined> {
  const read = customerReads.get(body) ?? readCustomerOf(owner, body);
  customerReads.set(body, read);
  return read;
}

/**
 * Reads the customer of the customers API that a changed or replaced invoice names, as `readTaxedCustomer`. A changed invoice keeps its
 * place of supply, and one that replaces another has the place of its customer of today.
 * @param invoice as it was read. Undefined: it does not exist
 * @param body what changes
 */
export async function readCustomerOfChange(
  invoice: Invoice | undefined,
  body: LinesBody & { readonly customerId?: unknown },
  { isReplaced }: { readonly isReplaced: boolean },
): Promise<Customer | undefined> {
  if (!invoice || (invoice.gst && !isReplaced)) return undefined;
  const customerId = typeof body.customerId === 'string' ? body.customerId : invoice.customerId;
  return readTaxedCustomer(invoice, { customerId, lines: body.lines ?? chargesOf(invoice).lines });
}

type TaxedBody = Pick<CreateInvoice, 'customerId'> & LinesBody;

/** Two reads for the same body make one call. */
const customerReads = new WeakMap<object, Promise<Customer | undefined>>();

async function readCustomerOf(
  owner: Owner,
  { customerId = '', lines }: TaxedBody,
): Promise<Customer | undefined> {
  const canBeIndian = (lines ?? []).some(
    ({ tax }) => tax === undefined || (tax !== null && isIndianTax(tax)),
  );
  if (!canBeIndian || !isRecordId('customer', customerId)) return undefined;
  const { record } = await readRecord(customerType, owner, customerId);
  return record?.status === 'active' ? record : undefined;
}

/** Returns when an invoice without a due date is due, if the account has set it. */
function defaultDueDate({ seller }: Principal, now: Instant): string | undefined {
  if (seller?.paymentDays === undefined) return undefined;
  return toTimestamp(endOfDayIn(seller.timeZone, now, seller.paymentDays));
}

/**
 * Handles the timer of an invoice: makes the invoice overdue if it is pending and past its due date, and completes the
 * timer. If the timer arrives early, because another clock is ahead of this one, it is not completed and arrives again.
 */
export async function makeOverdueIfDue(timer: TimerMessage, now: RealTime): Promise<void> {
  const loaded = await readRecordOfAnyAccount(invoiceType, timer.reference);
  if (loaded) {
    const { owner, record } = loaded;
    const clock = await clockOfRecord(owner, record?.overdueAt, now);
    const isOwn = record && [record.overdueAt, toRealTime(clock, record.overdueAt)].includes(timer.due);
    if (isOwn && timer.due > now) return;
    await makeInvoiceOverdue(loaded, clock);
  }
  await completeTimer(timer);
}

/** Makes an invoice overdue if it is pending and past its due date on the clock of its account. */
export async function makeInvoiceOverdue(loaded: LoadedRecord<Invoice>, clock: Clock): Promise<void> {
  const command = changeInvoiceCommand(loaded, (invoice) => ({
    change: makeOverdue(invoice, clock.account),
    answer: undefined,
  }));
  await commitInBackground(command, clock);
}

/** Reads the index of the list that matches the filters. */
export async function readInvoiceIndex(
  owner: Owner,
  { customerId, ...filter }: Pick<ListInvoices, 'customerId'> & RecordFilter,
): Promise<IndexView> {
  const filterKeys = customerId === undefined ? [] : [await customerFilterKey(customerId)];
  return readListIndex(owner, 'invoice', filterKeys, filter);
}

/**
 * Returns the id that the invoice with a payment reference has, if there is one. No call.
 * @param reference from `parsePaymentReference`
 */
export function paymentReferenceId(
  { owner, idKeys }: Pick<Principal, 'owner' | 'idKeys'>,
  reference: string | undefined,
): string | undefined {
  const seq = reference === undefined ? 0 : sequenceNumberOf(referenceScopeOf({ owner, idKeys }), reference);
  return seq > 0 ? recordId(idKeys.of(seq), { ...owner, resource: 'invoice' }, seq) : undefined;
}

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readInvoiceIndex`
 */
export async function listInvoicePage(principal: Principal, view: IndexView, query: ListQuery) {
  const { rows, total, count } = await listRecords(invoiceType, principal, view, query);
  return { data: rows.map((row) => showInvoice(row)), pagination: paginationOf({ ...query, total, count }) };
}
