/** Describes the records that `remit import` plans, and the rows that it leaves out. */
import type { CustomerCreateParams, InvoiceCreateParams, ProductCreateParams } from '../client/src/remit.ts';
import type { Currency } from '../shared/base/money.ts';

/** The tools whose exports can be imported. */
export const importTools = ['stripe', 'razorpay', 'invoice-ninja'] as const;
export type ImportTool = (typeof importTools)[number];

/** What is imported, in this order: an invoice names its customer. */
export const importKinds = ['customers', 'products', 'invoices'] as const;
export type ImportKind = (typeof importKinds)[number];

/** A row that is not imported. */
export interface LeftOutRow {
  readonly kind: ImportKind;
  /** The line of the file, from 1. */
  readonly line: number;
  /** What the row is called in the other tool. Empty: it has no name. */
  readonly name: string;
  readonly reason: string;
}

export interface PlannedCustomer {
  /** The kind of the file that has the row: invoices name customers, too. */
  readonly kind: 'customers' | 'invoices';
  readonly line: number;
  /** The ID in the other tool. */
  readonly id: string;
  readonly body: CustomerCreateParams;
}

export interface PlannedProduct {
  readonly line: number;
  readonly body: ProductCreateParams;
}

export interface PlannedInvoice {
  readonly line: number;
  /** The number in the other tool. */
  readonly number: string;
  /** The ID of the customer in the other tool. */
  readonly customer: string;
  readonly body: Omit<InvoiceCreateParams, 'customerId'>;
}

/** What the caller knows beside the files. */
export interface ImportChoices {
  readonly tool: ImportTool;
  /** The currency of prices that name none. */
  readonly currency?: Currency | undefined;
  /** The codes of taxes by their name and percent in the other tool. */
  readonly taxes: ReadonlyMap<string, string>;
}
