/** Creates the commands that pay with the credit of a customer: an invoice that exists, and one with its creation. */
import type { Instant } from '../../base/time.ts';
import { type Change, Command, type Creation, requireNew } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { allocateSequenceNumber } from '../../store/sequence-numbers.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { type Invoice, type ShownInvoice, showInvoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { payNewWithCredit, payWithCredit } from './credit.ts';
import { creditItems, findCredits } from './credit-store.ts';
import { requireExpectedCurrency } from './payable-amount.ts';
import { type Payment, type ShownPayment, showPayment } from './payment.ts';
import {
  absentPayment,
  identifyPayment,
  type NewPaymentContext,
  readPayment,
  requireInvoiceInBody,
} from './payment-store.ts';

/** An invoice is created with the credit of so many payments, so that its events fit into one transaction. Others can be used later. */
const maxAtCreation = 5;

/** What the client says about a payment with credit. */
export interface SentCredit {
  /** In the smallest unit of the currency. Undefined: what is due, or all that is left of the credit. */
  readonly amount: number | undefined;
  readonly metadata?: string | undefined;
  /** The payment whose credit is used. Undefined: the oldest one with credit. */
  readonly creditFrom: string | undefined;
}

/**
 * Creates the command that pays an invoice with credit of its customer. One call if the client names the source, otherwise two. The
 * command throws the errors of `payWithCredit`, and `invalid_invoice` if the invoice does not exist.
 */
export async function createCreditPaymentCommand(
  { principal, invoice, clock, currency }: NewPaymentContext,
  { amount, metadata, creditFrom }: SentCredit,
): Promise<Command<[Payment, Invoice, ...Payment[]], ShownPayment>> {
  const identity = identifyPayment(principal);
  const isNamed = creditFrom !== undefined;
  const sources = isNamed
    ? [await readPayment(principal.owner, creditFrom)]
    : invoice.record
      ? await findCredits(invoice.record, 1, 1)
      : [];
  const existing = sources.filter(({ record }) => record !== undefined);
  return new Command<[Payment, Invoice, ...Payment[]], ShownPayment>(
    [absentPayment(identity), invoice, ...existing],
    (taken, presentInvoice, source) => {
      requireNew(taken);
      const present = requireInvoiceInBody(presentInvoice);
      requireExpectedCurrency(present, currency);
      const request = { amount, metadata, isNamed };
      const changes = payWithCredit(identity, present, source, request, clock.account);
      const items = creditItems([undefined, source], [changes[0], changes[2]]);
      return { changes, answer: showPayment(changes[0].record), ...items };
    },
  );
}

/**
 * Creates the command that creates an invoice, as `createInvoiceCommand`, and pays it with the credit of its customer as far as that
 * goes: the oldest first. Without credit, only the invoice is created.
 * @param creation from `prepareInvoice`
 */
export async function createInvoiceWithCreditCommand(
  { change: created, reserves }: Creation<Invoice>,
  now: Instant,
  timersOf: (invoice: Invoice) => readonly Timer[] = () => [],
): Promise<Command<[Invoice, ...Payment[]], ShownInvoice>> {
  const { account, mode, id, amount } = created.record;
  const owner = { account, mode };
  const sources = await findCredits(created.record, amount, maxAtCreation);
  const principals = await Promise.all(sources.map(() => allocateSequenceNumber(owner, 'payment')));
  const identities = principals.map(identifyPayment);
  const absent: LoadedRecord<Invoice> = { type: invoiceType, owner, id, record: undefined };
  return new Command<[Invoice, ...Payment[]], ShownInvoice>(
    [absent, ...identities.map(absentPayment), ...sources],
    (existing, ...payments) => {
      requireNew(existing);
      const present = payments.slice(identities.length);
      for (const taken of payments.slice(0, identities.length)) requireNew(taken);
      const paid = payNewWithCredit(identities, created.record, present, now);
      // The invoice is announced first, then what pays it.
      const { record, indexEntry, events = [] } = paid.invoice ?? {};
      const invoice = record ? { ...created, record, indexEntry: indexEntry ?? created.indexEntry } : created;
      const used = paid.credits.map((credit) => credit?.source);
      const last = used.findLastIndex((source) => source !== undefined);
      const announced = used.map((source, index) =>
        source && index === last ? { ...source, events: [...source.events, ...events] } : source,
      );
      const changes: (Change<Payment> | undefined)[] = [
        ...paid.credits.map((credit) => credit?.payment),
        ...announced,
      ];
      const items = creditItems(present, used);
      const timers = timersOf(invoice.record);
      return {
        changes: [invoice, ...changes],
        answer: showInvoice(invoice.record),
        reserves,
        timers,
        ...items,
      };
    },
  );
}
