/** Defines what a reconciliation reads for one page of numbers: records, the lists that show them, related records. */

import type { Owner, Resource } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import type { Draft } from '../../domain/drafts/draft.ts';
import type { Export } from '../../domain/exports/export.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { RowUse } from '../../domain/payments/row-use.ts';
import type { Product } from '../../domain/products/product.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import type { BankStatement } from '../../domain/statements/statement.ts';
import type { MalformedItemError } from '../../store/stored-fields.ts';

/**
 * The resources in the order in which they are compared. A changed refund removes its payment and invoice from their
 * digests, and a changed payment its invoice. In this order, the same run compares them.
 */
export const resources = [
  'refund',
  'payment',
  'invoice',
  'customer',
  'product',
  'draft',
  'statement',
  'schedule',
  'export',
] as const satisfies readonly Resource[];

/** A page of sequence numbers, which are the numbers of one index page. */
export interface PageLocation extends Owner {
  readonly resource: Resource;
  readonly page: number;
}

export interface RecordOf {
  readonly invoice: Invoice;
  readonly payment: Payment;
  readonly refund: Refund;
  readonly customer: Customer;
  readonly product: Product;
  readonly draft: Draft;
  readonly statement: BankStatement;
  readonly schedule: Schedule;
  readonly export: Export;
}

export interface Facts<R extends Resource = Resource> extends PageLocation {
  readonly resource: R;
  /** When the records were read. */
  readonly readAt: Instant;
  /** The last sequence number that was allocated. */
  readonly allocated: number;
  /** The id of each compared number of the page, also of numbers that were not allocated. */
  readonly ids: ReadonlyMap<number, string>;
  /** The records of the page, by id. */
  readonly records: ReadonlyMap<string, RecordOf[R]>;
  /** The malformed records of the page, and those that its records name, by id. Only the former are differences of this page. */
  readonly malformed: ReadonlyMap<string, MalformedItemError>;
  /** The precedence of each number of the page, by the filter key of the list (`''` for the list of all). */
  readonly lists: ReadonlyMap<string, Uint8Array>;
  /** The invoices that the records name, by id. */
  readonly invoices: ReadonlyMap<string, Invoice>;
  /** The payments that the records name, by id. */
  readonly payments: ReadonlyMap<string, Payment>;
  /** The refunds of the page's invoices and payments that have refunds. */
  readonly refunds: readonly Refund[];
  /** What came of the rows of bank statements that the page's payments or refunds name, by the ids of the rows. */
  readonly rowUses: ReadonlyMap<string, RowUse>;
}
