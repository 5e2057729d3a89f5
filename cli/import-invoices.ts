/**
 * Plans the open invoices of `remit import`. Pure.
 *
 * - An invoice is imported with what is still due, because the payments made elsewhere are not in Remit. Its description says so.
 * - It has no lines and no taxes: the document that the other tool has issued states them.
 */
import { currencies, formatAmount } from '../shared/base/money.ts';
import { readDay } from '../shared/domain/statements/csv/cells.ts';
import { openStatuses } from './import-columns.ts';
import { importedIdentity } from './import-customers.ts';
import type { ImportRow } from './import-file.ts';
import type { ImportTool, LeftOutRow, PlannedCustomer, PlannedInvoice } from './import-records.ts';

interface PlannedInvoices {
  /** The customers that only the invoices name. */
  readonly customers: readonly PlannedCustomer[];
  readonly invoices: readonly PlannedInvoice[];
  readonly leftOut: readonly LeftOutRow[];
}

/** @param listed the customers of the other file */
export function planInvoices(
  rows: readonly ImportRow[],
  tool: ImportTool,
  listed: readonly PlannedCustomer[],
): PlannedInvoices {
  const known = new Map(listed.map((customer) => [customer.id, customer]));
  const customers: PlannedCustomer[] = [];
  const invoices = new Map<string, PlannedInvoice>();
  const leftOut: LeftOutRow[] = [];
  for (const row of rows) {
    const number = row.get('number');
    const leave = (reason: string) =>
      leftOut.push({ kind: 'invoices', line: row.line, name: number, reason });
    const same = invoices.get(number);
    const body = same ? `Line ${same.line} has the same number.` : bodyOf(row, tool);
    const customer = typeof body === 'string' ? body : customerOf(row, tool, known);
    if (typeof body === 'string' || typeof customer === 'string') {
      leave(typeof customer === 'string' ? customer : '');
      continue;
    }
    if (!known.has(customer.id)) {
      known.set(customer.id, customer);
      customers.push(customer);
    }
    invoices.set(number, { line: row.line, number, customer: customer.id, body });
  }
  return { customers, invoices: [...invoices.values()], leftOut };
}

/** Returns the customer of a row, or why the row is left out. */
function customerOf(
  row: ImportRow,
  tool: ImportTool,
  known: ReadonlyMap<string, PlannedCustomer>,
): PlannedCustomer | string {
  const [id, name, email] = ['customerId', 'customerName', 'customerEmail'].map(row.get) as [
    string,
    string,
    string,
  ];
  if (tool === 'invoice-ninja') return customerNamed(name, known);
  if (id === '') return 'It has no customer.';
  const customer = known.get(id);
  if (customer) return customer;
  if (!name && !email)
    return `Its customer ${id} has no name here and is not in the file of customers. Add the customer there.`;
  const phone = row.get('customerPhone');
  const body = { ...importedIdentity({ id, name, email }, tool), ...(phone && { phone }) };
  return { kind: 'invoices', line: row.line, id, body };
}

/** Invoices of Invoice Ninja name the client only by its name. */
function customerNamed(name: string, known: ReadonlyMap<string, PlannedCustomer>): PlannedCustomer | string {
  const [customer, other] = [...known.values()].filter(({ body }) => body.name === name);
  if (name === '' || !customer)
    return `Its client ${name} is not in the file of customers. Add it there, and --customers to the command.`;
  if (!other) return customer;
  return `Lines ${customer.line} and ${other.line} of the customers both have the name ${name}. Give them different names.`;
}

/** Returns the fields of an invoice, or why the row is left out. */
function bodyOf(row: ImportRow, tool: ImportTool): PlannedInvoice['body'] | string {
  const status = row.get('status').toLowerCase();
  if (!openStatuses[tool].includes(status)) return `It is not open: ${status || 'it has no status'}.`;
  const number = row.get('number');
  if (number === '') return 'It has no number.';
  const code = row.get('currency').toUpperCase();
  const currency = currencies.find((each) => each === code);
  if (!currency) return `Its currency ${code} is not one of ${currencies.join(', ')}.`;
  const amounts = amountsOf(row);
  if (typeof amounts === 'string') return amounts;
  const dueDate = dayIn(row.get('dueDate'), tool);
  if (row.get('dueDate') !== '' && dueDate === undefined)
    return `Its due date ${row.get('dueDate')} is not a day. Write it as 2026-03-31.`;
  const { due, paid, total } = amounts;
  const paidText =
    paid > 0 ? ` (${formatAmount(paid, currency)} of ${formatAmount(total, currency)} is already paid)` : '';
  return {
    amount: due,
    currency,
    description: `${describe(row, tool)}${paidText}`,
    reference: number,
    ...(dueDate !== undefined && { dueDate }),
    metadata: {
      importedFrom: tool,
      ...(paid > 0 && { importedTotal: String(total), importedPaid: String(paid) }),
    },
  };
}

/** Longer texts are not for a payment page. */
const maxText = 500;

function describe(row: ImportRow, tool: ImportTool): string {
  const date = dayIn(row.get('date'), tool);
  const text = row.get('text');
  return `Invoice ${row.get('number')}${date ? ` of ${date}` : ''}${text && text.length <= maxText ? `: ${text}` : ''}`;
}

interface Amounts {
  readonly total: number;
  readonly paid: number;
  readonly due: number;
}

/** Returns the amounts of an invoice, or why the row is left out. Exports of Stripe do not say what is still due. */
function amountsOf(row: ImportRow): Amounts | string {
  const read = (field: string) => (row.get(field) === '' ? undefined : row.amount(field));
  const wrong = ['total', 'paid', 'due'].find(
    (field) => row.get(field) !== '' && (row.amount(field) ?? -1) < 0,
  );
  if (wrong) return `${row.get(wrong)} is not an amount with at most two decimal places.`;
  const [total, paid = 0] = [read('total'), read('paid')];
  if (total === undefined) return 'It has no amount.';
  const due = read('due') ?? total - paid;
  if (total - paid !== due)
    return `Its amounts disagree: ${row.get('total')} less ${row.get('paid')} is not ${row.get('due')}.`;
  return due > 0 ? { total, paid, due } : 'Nothing is due.';
}

/** Reads a day, also with a time after it. Razorpay writes the day first, or seconds since 1970. */
function dayIn(text: string, tool: ImportTool): string | undefined {
  if (tool === 'razorpay' && /^\d{9,10}$/.test(text))
    return new Date(Number(text) * 1000).toISOString().slice(0, 10);
  return readDay(text, 'ymd') ?? (tool === 'razorpay' ? readDay(text, 'dmy') : undefined);
}
