/** Defines the rows of a statement of account in files. */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { currencySchema } from '../../base/money.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import { invoiceIdSchema } from '../invoices/invoice.ts';
import { paymentIdSchema } from '../payments/payment.ts';
import type { AccountStatement, MovementKind } from './statement.ts';

const entryKinds = [
  'opening',
  'invoice',
  'payment',
  'written_off',
  'cancelled',
  'credit',
  'refund',
] as const satisfies readonly (MovementKind | 'opening')[];

const signed = v.pipe(v.number(), v.safeInteger());

/** A row. `amount` is what it adds to what the customer owes, and `balance` what the customer owes after it. */
export const movementRowSchema = v.strictObject({
  customerId: v.pipe(v.string(), v.regex(idPatternOf('customer'))),
  timestamp: timestampSchema,
  entry: v.picklist(entryKinds),
  number: v.nullable(v.string()),
  invoiceId: v.nullable(invoiceIdSchema),
  paymentId: v.nullable(paymentIdSchema),
  currency: currencySchema,
  amount: signed,
  balance: signed,
});

export type MovementRow = v.InferOutput<typeof movementRowSchema>;

interface StatementContext {
  readonly customerId: string;
  /** The first instant of the range. */
  readonly from: Instant;
  /** The numbers of invoices, by their ids. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** Returns the rows of a statement, the oldest first. The first one has the balance before the range. */
export function toMovementRows(
  { currency, opening, rows }: AccountStatement,
  { customerId, from, numbers }: StatementContext,
): MovementRow[] {
  const none = { number: null, invoiceId: null, paymentId: null };
  const first: MovementRow = {
    ...{ customerId, timestamp: toTimestamp(from), entry: 'opening', ...none },
    ...{ currency, amount: 0, balance: opening },
  };
  const movements = rows.map(({ at, kind, invoiceId, paymentId, amount, balance }): MovementRow => {
    const number = numbers.get(invoiceId) ?? null;
    return {
      ...{ customerId, timestamp: toTimestamp(at), entry: kind, number, invoiceId },
      ...{ paymentId: paymentId ?? null, currency, amount, balance },
    };
  });
  return [first, ...movements];
}
