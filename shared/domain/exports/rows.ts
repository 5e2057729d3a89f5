/** Returns records as rows of files. Downloads of lists and exports have the same rows. */
import type { Owner } from '../../base/ids.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import {
  type CustomerNames,
  type OfCustomer,
  readCustomerNames,
  recordCustomerName,
} from '../invoices/customer-names.ts';
import type { ShownInvoice } from '../invoices/invoice.ts';
import { type FullPayment, type Payment, showPayment } from '../payments/payment.ts';
import { showIn } from '../versions/convert.ts';
import { newestApiVersion } from '../versions/versions.ts';

const namesPerCall = 100;

/** Reads the names of the customers of records. One call for 100 records. */
async function readAllNames(
  owner: Owner,
  records: readonly OfCustomer[],
): Promise<(record: OfCustomer) => string> {
  const calls = Array.from({ length: Math.ceil(records.length / namesPerCall) }, (_, part) =>
    readCustomerNames(owner, records.slice(part * namesPerCall, (part + 1) * namesPerCall)),
  );
  const found = await Promise.all(calls);
  const names: CustomerNames = {
    customers: new Map(found.flatMap(({ customers }) => [...customers])),
    invoices: new Map(found.flatMap(({ invoices }) => [...invoices])),
  };
  return (record) => recordCustomerName(names, record);
}

/** Returns records with the names of their customers. */
export async function withCustomerNames<Row extends OfCustomer>(owner: Owner, records: readonly Row[]) {
  const nameOf = await readAllNames(owner, records);
  return records.map((record) => ({ ...record, customerName: nameOf(record) }));
}

/** Returns invoices with all fields of the newest version, and the names of their customers. */
export function toInvoiceRows(owner: Owner, invoices: readonly ShownInvoice[]) {
  return withCustomerNames(
    owner,
    invoices.map((invoice) => showIn(newestApiVersion, 'invoices', invoice) as WholeInvoice),
  );
}

/** Returns a payment with all fields of the newest version. */
export const toWholePayment = (payment: Payment): FullPayment =>
  showIn(newestApiVersion, 'payments', showPayment(payment)) as FullPayment;

type WholeInvoice = ShownInvoice & StoredCharges & { readonly number: string | null };

/** Returns the lines of invoices, each with the fields of its invoice that say which one it is. */
export function toLineRows(
  invoices: readonly (WholeInvoice & { readonly customerName: string })[],
): object[] {
  return invoices.flatMap(({ number, id, customerId, customerName, status, currency, createdAt, lines }) =>
    lines.map((line, index) => ({
      number,
      invoiceId: id,
      customerId,
      customerName,
      status,
      currency,
      createdAt,
      line: index + 1,
      ...line,
    })),
  );
}
