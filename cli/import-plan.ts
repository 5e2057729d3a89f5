/**
 * Plans what `remit import` creates from the rows of exports, and says what it leaves out and why. Pure.
 *
 * - A planned record names the tool in its metadata (`importedFrom`), so that a repetition finds it.
 * - A customer has the ID of the other tool as its reference, and an invoice has its number there.
 */
import { planCustomers } from './import-customers.ts';
import type { ImportRow } from './import-file.ts';
import { planInvoices } from './import-invoices.ts';
import { type NumberSeriesFound, numberSeriesOf } from './import-numbers.ts';
import { planProducts } from './import-products.ts';
import type {
  ImportChoices,
  ImportKind,
  LeftOutRow,
  PlannedCustomer,
  PlannedInvoice,
  PlannedProduct,
} from './import-records.ts';

export interface ImportPlan {
  readonly customers: readonly PlannedCustomer[];
  readonly products: readonly PlannedProduct[];
  readonly invoices: readonly PlannedInvoice[];
  readonly leftOut: readonly LeftOutRow[];
  readonly numbers: readonly NumberSeriesFound[];
}

/** The rows of each file. Undefined: the file is not given. */
export type ImportRows = { readonly [Kind in ImportKind]?: readonly ImportRow[] | undefined };

export function planImport(rows: ImportRows, choices: ImportChoices): ImportPlan {
  const { tool } = choices;
  const listed = planCustomers(rows.customers ?? [], tool);
  const products = planProducts(rows.products ?? [], choices);
  const invoices = planInvoices(rows.invoices ?? [], tool, listed.customers);
  return {
    customers: [...listed.customers, ...invoices.customers],
    products: products.products,
    invoices: invoices.invoices,
    leftOut: [...listed.leftOut, ...products.leftOut, ...invoices.leftOut],
    numbers: numberSeriesOf((rows.invoices ?? []).map((row) => row.get('number')).filter(Boolean)),
  };
}
