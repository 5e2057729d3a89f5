/** What is read of one page of numbers, and judged: its records, the lists that show them, and what belongs to them. */
import type { Owner, Resource } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';

/** The resources in the order in which they are checked. */
export const resources = ['invoice', 'payment', 'refund'] as const satisfies readonly Resource[];

/** An index page's worth of numbers. */
export interface Place extends Owner {
  readonly resource: Resource;
  readonly page: number;
}

export interface Records {
  readonly invoice: Invoice;
  readonly payment: Payment;
  readonly refund: Refund;
}

export interface Facts<R extends Resource = Resource> extends Place {
  readonly resource: R;
  /** The last number that was drawn. */
  readonly drawn: number;
  /** The id of each number of the page, whether it was drawn or not. */
  readonly ids: ReadonlyMap<number, string>;
  /** By id. */
  readonly records: ReadonlyMap<string, Records[R]>;
  /** By dimension, `''` for the list of all: the rank of each number of the page. */
  readonly lists: ReadonlyMap<string, Uint8Array>;
  /** What the records name, by id. */
  readonly invoices: ReadonlyMap<string, Invoice>;
  readonly payments: ReadonlyMap<string, Payment>;
  /** Those of the invoices and payments of which anything goes back. */
  readonly refunds: readonly Refund[];
}
