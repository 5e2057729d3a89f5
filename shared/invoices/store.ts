/** Invoices in the table: how they are read, listed, created and changed. */
import { ApiError } from '../errors.ts';
import { type Owner, recordId } from '../ids.ts';
import { pageOf } from '../pagination.ts';
import { commit } from '../store/commit.ts';
import type { Admission } from '../store/heads.ts';
import { type IndexView, readIndex } from '../store/index-pages.ts';
import { type ListQuery, list } from '../store/lists.ts';
import { type Reading, readAnyRecord, readRecord } from '../store/records.ts';
import { completeTimer, type TimerMessage } from '../store/timers.ts';
import { type Change, requireNew, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { type CreateInvoice, type Invoice, showInvoice } from './invoice.ts';
import { customerDimension, invoiceType, paymentUrlOf } from './record.ts';
import { createInvoice, makeOverdue } from './transitions.ts';

/** Reads one invoice. */
export function readInvoice(owner: Owner, id: string): Promise<Reading<Invoice>> {
  return readRecord(invoiceType, owner, id);
}

/** Reads an invoice for whoever has its id, as on the payment page; undefined if there is none. */
export function readAnyInvoice(id: string): Promise<Reading<Invoice> | undefined> {
  return readAnyRecord(invoiceType, id);
}

/** The invoice that was read. Throws `invoice_not_found`. */
export function foundInvoice({ record }: Reading<Invoice>): Invoice {
  if (!record) throw new ApiError('invoice_not_found');
  return record;
}

/** A transition of an invoice that exists; `decide` may run again on a fresh reading. */
export function changeInvoice(
  reading: Reading<Invoice>,
  decide: (invoice: Invoice) => { change: Change<Invoice> | undefined; answer: unknown },
): Transition<[Invoice]> {
  return new Transition([reading], (record) => {
    const { change, answer } = decide(foundInvoice({ ...reading, record }));
    return { changes: [change], answer };
  });
}

/** The transition that creates the invoice of the number that admission drew. */
export async function newInvoice(
  { owner, idKeys, seq }: Admission,
  body: CreateInvoice,
  now: Instant,
): Promise<Transition<[Invoice]>> {
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'invoice' }, seq);
  const dimensions = [await customerDimension(body.customerId)];
  const change = createInvoice({ ...owner, id, seq, dimensions, paymentUrl: paymentUrlOf(id) }, body, now);
  return new Transition([{ type: invoiceType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    return { changes: [change], answer: showInvoice(change.record) };
  });
}

/**
 * Looks at an invoice whose timer has come, and turns it overdue if it is pending and its time is over. Completes
 * the timer, unless it came early, by a clock that is ahead of this one: then it will come again.
 */
export async function passDueDate(timer: TimerMessage, now: Instant): Promise<void> {
  const reading = await readAnyRecord(invoiceType, timer.reference);
  if (reading) {
    if (reading.record?.overdueAt === timer.due && timer.due > now) return;
    const transition = changeInvoice(reading, (invoice) => ({
      change: makeOverdue(invoice, now),
      answer: {},
    }));
    await commit(transition, { now, key: undefined, toReply: () => ({ status: 200, body: '' }) });
  }
  await completeTimer(timer);
}

/** Reads the index of the list that the filter asks for. */
export async function readInvoiceIndex(owner: Owner, customerId: string | undefined): Promise<IndexView> {
  return readIndex(owner, 'invoice', customerId === undefined ? [] : [await customerDimension(customerId)]);
}

/** A page of the list, newest first, with its exact total. */
export async function listInvoices({ owner, idKeys }: Admission, view: IndexView, query: ListQuery) {
  const { rows, total } = await list(invoiceType, owner, idKeys, view, query);
  return { data: rows.map(showInvoice), pagination: pageOf({ ...query, total, count: rows.length }) };
}
