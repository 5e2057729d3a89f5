/** Creates the command that creates an invoice and pays it with the credit of its customer. */
import type { Instant } from '../../base/time.ts';
import { type Change, Command, type Creation, requireNew } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { allocateSequenceNumbers } from '../../store/sequence-numbers.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { type Invoice, type ShownInvoice, showInvoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { payNewWithCredit } from './credit.ts';
import { creditItems, findCredits } from './credit-store.ts';
import type { Payment } from './payment.ts';
import { absentPayment, identifyPayment } from './payment-identity.ts';

/** An invoice is created with the credit of so many payments, so that its events fit into one transaction. Others can be used later. */
const maxAtCreation = 5;

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
  const principals = await allocateSequenceNumbers(owner, 'payment', sources.length);
  // The oldest source has the first number, so lists show the payments in the order in which they count.
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
