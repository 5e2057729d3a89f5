/** Divides a refund into money that no invoice needed and money that an invoice is credited for. Pure. */
import type { Invoice } from '../invoices/invoice.ts';
import type { RefundedMoney } from '../invoices/payer-notes.ts';
import { isPaidBy } from '../invoices/received-money.ts';
import { amountCreditedOf, type Payment } from './payment.ts';

/**
 * Divides an amount that is refunded of a payment, at the moment when it is processed.
 *
 * - Of a payment that did not pay what the invoice charges, nothing was needed.
 * - Otherwise what was paid above the amount due goes back first, without what pays other invoices and what has gone back already.
 * - A provider can return more than that and the invoice have, because its dashboard does not know what pays other invoices. The
 *   invoice is credited for at most what it has received of the payment.
 *
 * @param payment before the refund is processed
 */
export function divideRefund(payment: Payment, invoice: Invoice, amountMinor: number): RefundedMoney {
  if (!isPaidBy(invoice, payment.id)) return { amountMinor, overMinor: amountMinor };
  const { amount, amountOver = 0, amountRefunded, overRefunded = 0 } = payment;
  const over = Math.max(0, amountOver - amountCreditedOf(payment) - overRefunded);
  const received = amount - amountOver - (amountRefunded - overRefunded);
  const credited = Math.min(Math.max(0, amountMinor - over), Math.max(0, received));
  return { amountMinor, overMinor: amountMinor - credited };
}
