/** Creates the command that pays an invoice with the credit of its customer. */
import { Command, requireNew } from '../../store/commit/command.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { payWithCredit } from './credit.ts';
import { creditItems, findCredits } from './credit-store.ts';
import { requireExpectedCurrency } from './payable-amount.ts';
import { type Payment, type ShownPayment, showPayment } from './payment.ts';
import { absentPayment, identifyPayment } from './payment-identity.ts';
import { type NewPaymentContext, readPayment, requireInvoiceInBody } from './payment-store.ts';

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
