import { expect, test } from '@jest/globals';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { settlingAmountOf, writeOffLeftOf } from '../../../shared/domain/payments/payable-amount.ts';

const invoiceOf = (parts: Invoice['parts']) =>
  ({ amount: 1_000, currency: 'BTN', status: 'pending', parts }) as unknown as Invoice;

test('the limit of write-offs holds for the sum of an invoice, with those of payments that it took over', () => {
  const invoice = invoiceOf([{ paymentId: 'pay_b', amount: 400, writtenOff: 60 }]);
  expect(writeOffLeftOf(invoice, 10)).toBe(40);
  expect(settlingAmountOf(invoice, undefined, 40, 10)).toBe(500);
  expect(() => settlingAmountOf(invoice, undefined, 41, 10)).toThrow(
    'settle.writeOff must be at most 40 (Nu. 0.40): 10 percent of the invoice, less 60 (Nu. 0.60) that is written off already',
  );
  // The limit of the account was lowered.
  expect(writeOffLeftOf(invoice, 5)).toBe(0);
  expect(settlingAmountOf(invoiceOf(undefined), undefined, 100, 10)).toBe(900);
});
