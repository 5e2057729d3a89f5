/**
 * Creates the planned records of `remit import` with the API.
 *
 * - A repetition creates nothing twice. Invoices are found by their reference, customers by their reference, and products by
 *   their name. For 24 hours, idempotency keys also protect those that lists do not show yet. No other invoice can have the
 *   reference, so invoices need no such key.
 * - A record that exists is not changed. One that `remit import` has not created is never taken for an imported one, because
 *   invoices of one customer would go to another.
 * - What the API refuses is left out with its message. Any other error ends the run, and the next one goes on.
 */
import { createHash } from 'node:crypto';
import {
  type Customer,
  IdempotencyError,
  InvalidRequestError,
  type Invoice,
  type Remit,
  ValidationError,
} from '../client/src/remit.ts';
import { patience, requireNumbers, setNextNumber } from './import-next-number.ts';
import type { ImportPlan } from './import-plan.ts';
import type {
  ImportKind,
  ImportTool,
  LeftOutRow,
  PlannedCustomer,
  PlannedInvoice,
  PlannedProduct,
} from './import-records.ts';
import { showProgress } from './terminal.ts';

export type ImportCounts = Readonly<Record<ImportKind, number>>;

/** What a run did. */
export interface ImportOutcome {
  readonly created: ImportCounts;
  readonly existing: ImportCounts;
  /** The rows that the API refuses. Those of the plan are not in it. */
  readonly leftOut: readonly LeftOutRow[];
  readonly remarks: readonly string[];
}

interface RunOptions {
  readonly tool: ImportTool;
  /** Whether invoices may get numbers of the account. */
  readonly newNumbers: boolean;
  /** The next number of the series of invoices. Undefined: it is not set. */
  readonly next: number | undefined;
}

/** @throws CommandError before anything is created, or an error of the client */
export async function runImport(
  remit: Remit,
  plan: ImportPlan,
  { tool, newNumbers, next }: RunOptions,
): Promise<ImportOutcome> {
  const report = startReport(plan);
  const invoices = await findInvoices(remit, plan.invoices, tool, report);
  const missing = invoices.filter(({ found }) => !found);
  await requireNumbers(remit, missing.length, newNumbers, next);
  const areNumbered = invoices.some(({ found }) => found?.number);
  if (next !== undefined) report.remarks.push(await setNextNumber(remit, next, areNumbered));
  const ids = new Map<string, string>();
  for (const customer of plan.customers) {
    const id = await ensureCustomer(remit, customer, tool, report);
    if (id !== undefined) ids.set(customer.id, id);
  }
  await createProducts(remit, plan.products, tool, report);
  for (const { planned } of missing) {
    const customerId = ids.get(planned.customer);
    if (customerId === undefined)
      report.leaveOut('invoices', planned.line, planned.number, 'Its customer was left out.');
    else await createInvoice(remit, planned, customerId, tool, report);
  }
  return report;
}

type Report = ReturnType<typeof startReport>;

function startReport({ customers, products, invoices }: ImportPlan) {
  const zero = () => ({ customers: 0, products: 0, invoices: 0 });
  const [created, existing] = [zero(), zero()];
  const leftOut: LeftOutRow[] = [];
  const remarks: string[] = [];
  const planned = customers.length + products.length + invoices.length;
  const step = () => {
    const done = [created, existing]
      .flatMap((counts) => Object.values(counts))
      .reduce((sum, n) => sum + n, 0);
    showProgress(`Importing: ${done + leftOut.length} of ${planned}`);
  };
  return {
    created,
    existing,
    leftOut,
    remarks,
    count: (counts: Record<ImportKind, number>, kind: ImportKind) => {
      counts[kind] += 1;
      step();
    },
    leaveOut: (kind: ImportKind, line: number, name: string, reason: string) => {
      leftOut.push({ kind, line, name, reason });
      step();
    },
  };
}

interface SoughtInvoice {
  readonly planned: PlannedInvoice;
  readonly found: Invoice | undefined;
}

/** Returns the planned invoices with those that exist. One that is not imported takes the reference of its row. */
async function findInvoices(
  remit: Remit,
  planned: readonly PlannedInvoice[],
  tool: ImportTool,
  report: Report,
): Promise<SoughtInvoice[]> {
  const sought: SoughtInvoice[] = [];
  for (const invoice of planned) {
    const found = await findInvoice(remit, invoice.number);
    if (found && !isImported(found, tool))
      report.leaveOut('invoices', invoice.line, invoice.number, takenMessage(found, tool));
    else sought.push({ planned: invoice, found });
    if (found && isImported(found, tool)) report.count(report.existing, 'invoices');
  }
  return sought;
}

async function findInvoice(remit: Remit, reference: string): Promise<Invoice | undefined> {
  const { data } = await remit.invoices.list({ reference }, patience).page();
  return data[0];
}

const isImported = ({ metadata }: Invoice | Customer, tool: ImportTool): boolean =>
  metadata.importedFrom === tool;

const takenMessage = ({ id }: Invoice | Customer, tool: ImportTool): string =>
  `${id} has this reference, and was not imported. If it is the same, set its metadata importedFrom to ${tool}.`;

/** Returns the ID of the customer. Undefined: it is left out. */
async function ensureCustomer(
  remit: Remit,
  { kind, line, id, body }: PlannedCustomer,
  tool: ImportTool,
  report: Report,
): Promise<string | undefined> {
  const { data } = await remit.customers.list({ reference: id }, patience).page();
  const found = data.find((customer) => isImported(customer, tool));
  const [other] = data;
  if (found) report.count(report.existing, 'customers');
  else if (other) report.leaveOut(kind, line, id, takenMessage(other, tool));
  if (other) return found?.id;
  const created = await createOrLeaveOut(report, 'customers', { kind, line, name: id }, () =>
    remit.customers.create(body, { ...patience, idempotencyKey: keyOf(tool, 'customers', id) }),
  );
  return created?.id;
}

async function createProducts(
  remit: Remit,
  products: readonly PlannedProduct[],
  tool: ImportTool,
  report: Report,
): Promise<void> {
  if (products.length === 0) return;
  const names = new Set<string>();
  for await (const { name } of remit.products.list({}, patience)) names.add(name);
  for (const { line, body } of products) {
    const row = { kind: 'products', line, name: body.name } as const;
    if (names.has(body.name)) report.count(report.existing, 'products');
    else
      await createOrLeaveOut(report, 'products', row, () =>
        remit.products.create(body, { ...patience, idempotencyKey: keyOf(tool, 'products', body.name) }),
      );
  }
}

async function createInvoice(
  remit: Remit,
  { line, number, body }: PlannedInvoice,
  customerId: string,
  tool: ImportTool,
  report: Report,
): Promise<void> {
  const row = { kind: 'invoices', line, name: number } as const;
  await createOrLeaveOut(report, 'invoices', row, async () => {
    try {
      return await remit.invoices.create({ ...body, customerId }, patience);
    } catch (error) {
      // Another run creates the same invoices at the same time.
      const found =
        error instanceof InvalidRequestError && error.code === 'reference_taken'
          ? await findInvoice(remit, number)
          : undefined;
      if (!found || !isImported(found, tool)) throw error;
      return found;
    }
  });
}

/** Counts a record that `create` makes. Undefined: the API refuses it, and its row is left out. */
async function createOrLeaveOut<Created>(
  report: Report,
  counted: ImportKind,
  { kind, line, name }: Omit<LeftOutRow, 'reason'>,
  create: () => Promise<Created>,
): Promise<Created | undefined> {
  try {
    const created = await create();
    report.count(report.created, counted);
    return created;
  } catch (error) {
    const isRefusal =
      error instanceof ValidationError ||
      error instanceof InvalidRequestError ||
      error instanceof IdempotencyError;
    if (!isRefusal) throw error;
    report.leaveOut(kind, line, name, error.message);
    return undefined;
  }
}

const keyOf = (tool: ImportTool, kind: ImportKind, id: string): string =>
  `import-${createHash('sha256')
    .update(JSON.stringify([tool, kind, id]))
    .digest('hex')}`;
