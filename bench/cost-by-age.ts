/**
 * Computes the monthly bill of a merchant by age, from measured capacity units and list prices.
 *
 * - The units of requests, background work and reconciliation are measured on the emulator, and those of lists on index items
 *   of three sizes. Both come from the service's own code.
 * - Durations of functions are assumptions (`prices.ts`), except the processor time of lists and of the reconciliation, which
 *   grows with age and is measured.
 */
import type { Stack } from '../infra/local/stack.ts';
import { periodDays, quietPeriodsDays } from '../shared/operations/reconciliation/full-schedule.ts';
import { type ListCost, lineThrough, measureLists } from './index-units.ts';
import {
  measurePaidInvoice,
  type PaidInvoiceCost,
  perPaidInvoice,
  type StepCost,
  type UnitSum,
} from './paid-invoice.ts';
import { assumptions, priceList, priceOfCalls, priceOfLogs, priceOfUnits, prices } from './prices.ts';
import { measureReconciliation, type ReconciledDay, reconciledInvoices } from './reconciliation.ts';
import { formatCount, formatRatio, printLine, type Table } from './results.ts';

interface Merchant {
  readonly invoicesPerMonth: number;
  readonly listsPerMonth: number;
}

const merchants: readonly Merchant[] = [
  { invoicesPerMonth: 100_000, listsPerMonth: 100_000 },
  { invoicesPerMonth: 10_000_000, listsPerMonth: 400_000 },
];
const months = [1, 12, 36] as const;
const target = 1.3;
/** Larger accounts have too many pages for the emulator. */
const listSizes = { volumes: [100_000, 1_000_000, 10_000_000], pages: [100_000, 1_000_000] } as const;
const parts = [
  'requests',
  'background',
  'lists',
  'reconciliation',
  'storage',
  'Lambda',
  'API Gateway',
  'idle',
] as const;
/** The dollars of one month, by part. */
export type Bill = Readonly<Record<(typeof parts)[number], number>>;

/** What the computation of a bill needs to know. */
interface Measured {
  readonly invoice: PaidInvoiceCost;
  readonly lists: readonly ListCost[];
  readonly reconciliation: {
    readonly first: ReconciledDay;
    readonly unchanged: ReconciledDay;
    readonly full: ReconciledDay;
  };
}

export const totalOf = (bill: Bill): number => parts.reduce((sum, part) => sum + bill[part], 0);

/** Measures the units of all parts, and computes the bills. */
export async function benchCostByAge(stack: Stack, seed: number): Promise<Table> {
  printLine('  paid invoices');
  const invoice = await measurePaidInvoice(stack, true);
  printLine('  the reconciliation');
  const reconciliation = await measureReconciliation(stack);
  const lists = await measureLists(stack, seed, 'volumes', listSizes.volumes);
  const unfolded = await measureLists(stack, seed, 'pages', listSizes.pages);
  const measured = { invoice, lists, reconciliation };
  const bills = merchants.map((merchant) => months.map((month) => billOf(measured, merchant, month)));
  const [smaller] = merchants.map((merchant) =>
    months.map((month) => billOf({ ...measured, lists: unfolded }, merchant, month)),
  );
  return toTable(measured, bills, smaller ?? []);
}

/** Computes the bill of a month, counted from 1, as if everything happened in its middle. */
export function billOf(
  { invoice, lists, reconciliation }: Measured,
  { invoicesPerMonth, listsPerMonth }: Merchant,
  month: number,
): Bill {
  const present = invoicesPerMonth * (month - 0.5);
  const { requestSeconds, relaySeconds, deliverySeconds, daysPerMonth } = assumptions;
  const { requests, changes, deliveries } = perPaidInvoice;
  const of = (count: number, price: number) => count * price;
  const units = unitsOf(invoice);
  const compared = reconcile(reconciliation, invoicesPerMonth, present, daysPerMonth);
  const listUnits = lineThrough(lists, ({ readUnits }) => readUnits)(present);
  const listSeconds = requestSeconds + lineThrough(lists, ({ cpuMs }) => cpuMs)(present) / 1000;
  return {
    requests: of(invoicesPerMonth, priceOfUnits(units.request) + priceOfLogs(requests)),
    background: of(
      invoicesPerMonth,
      priceOfUnits(units.background) +
        priceOfLogs(changes + deliveries) +
        deliveries * assumptions.callsPerMessage * prices.queueCall,
    ),
    lists: of(listsPerMonth, priceOfUnits({ write: 1, read: listUnits }) + priceOfLogs(1)),
    reconciliation: priceOfUnits(compared),
    storage: bytesOf(invoice, invoicesPerMonth, month) * 1e-9 * (prices.tableGb + prices.backupGb),
    Lambda:
      of(invoicesPerMonth, priceOfCalls(requests, requestSeconds)) +
      of(invoicesPerMonth, priceOfCalls(changes, relaySeconds) + priceOfCalls(deliveries, deliverySeconds)) +
      of(listsPerMonth, priceOfCalls(1, listSeconds)) +
      (compared.cpuMs / 1000) * prices.functionSecond,
    'API Gateway': of(invoicesPerMonth * requests + listsPerMonth, prices.gatewayRequest),
    idle: assumptions.idleDollars,
  };
}

/** The units of all requests of a paid invoice, and of its background work. */
function unitsOf({ create, get, pay }: PaidInvoiceCost): StepCost {
  const sum = (part: keyof StepCost) => ({
    write: create[part].write + get[part].write + pay[part].write,
    read: create[part].read + get[part].read + pay[part].read,
  });
  return { request: sum('request'), background: sum('background') };
}

/** The units and the processor time of a month's reconciliations. */
function reconcile(
  { first, unchanged, full }: Measured['reconciliation'],
  invoicesPerMonth: number,
  present: number,
  daysPerMonth: number,
) {
  // A page is compared less often when nothing has changed on it for so long.
  const periods = [...quietPeriodsDays, periodDays];
  let older = 0;
  let perDay = 0;
  for (const [index, days] of periods.entries()) {
    const since = index < quietPeriodsDays.length ? days : 0;
    const asOld = Math.max(0, present - (invoicesPerMonth * since) / daysPerMonth);
    perDay += (asOld - older) / days;
    older = asOld;
  }
  const sum = (figure: 'read' | 'write' | 'cpuMs') => {
    const perInvoice = (day: ReconciledDay) => day[figure] / reconciledInvoices;
    const asNew = perInvoice(first) * invoicesPerMonth;
    const remembered = perInvoice(unchanged) * present * daysPerMonth;
    const compared = perInvoice(full) * perDay * daysPerMonth;
    return asNew + remembered + compared;
  };
  // A day needs one write for each account, however many invoices it has.
  return { read: sum('read'), write: sum('write'), cpuMs: sum('cpuMs') };
}

/** The bytes in the table in the middle of a month. */
function bytesOf({ stored }: PaidInvoiceCost, invoicesPerMonth: number, month: number): number {
  return stored.reduce(
    (sum, { bytes, months: kept }) => sum + bytes * invoicesPerMonth * Math.min(kept, month - 0.5),
    0,
  );
}

/** @param unfolded the bills of the first merchant if its index is not folded */
function toTable(
  { invoice, lists }: Measured,
  bills: readonly (readonly Bill[])[],
  unfolded: readonly Bill[],
): Table {
  const dollars = (value: number) =>
    value.toLocaleString('en-US', {
      minimumFractionDigits: value < 100 ? 2 : 0,
      maximumFractionDigits: value < 100 ? 2 : 0,
    });
  const rows = merchants.flatMap(({ invoicesPerMonth }, index) =>
    (bills[index] ?? []).map((bill, age) => {
      const first = bills[index]?.[0] ?? bill;
      return [
        invoicesPerMonth.toLocaleString('en-US'),
        String(months[age]),
        ...parts.map((part) => dollars(bill[part])),
        dollars(totalOf(bill)),
        formatRatio(totalOf(bill) / totalOf(first)),
      ];
    }),
  );
  const withoutBackup = (bill: Bill) =>
    totalOf(bill) - (bill.storage * prices.backupGb) / (prices.tableGb + prices.backupGb);
  const [withoutRatio = Number.NaN] = bills.map(
    (of) => withoutBackup(of.at(-1) as Bill) / withoutBackup(of[0] as Bill),
  );
  const ratios = bills.map((of) => totalOf(of.at(-1) as Bill) / totalOf(of[0] as Bill));
  const describeUnits = ({ write, read }: UnitSum) =>
    `${write.toFixed(1)} write and ${read.toFixed(1)} read units`;
  const kept = invoice.stored
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(
      ({ kind, bytes, months: forMonths }) =>
        `${kind} ${Math.round(bytes)}${Number.isFinite(forMonths) ? ` (${forMonths} months)` : ''}`,
    );
  return {
    title: 'Dollars a month by the age of a merchant',
    columns: ['invoices a month', 'month', ...parts, 'total', 'against month 1'],
    rows,
    goals: merchants.map(({ invoicesPerMonth }, index) => ({
      figure: 'cost of month 36 against month 1',
      row: `${formatCount(invoicesPerMonth)} invoices a month`,
      measured: formatRatio(ratios[index] ?? Number.NaN),
      shares: [(ratios[index] ?? Number.NaN) / target],
    })),
    diagrams: [
      {
        file: 'cost-by-age.svg',
        title: 'Dollars a month with 100,000 invoices a month, by age',
        description: (bills[0] ?? [])
          .map((bill, age) => `Month ${months[age]}: ${dollars(totalOf(bill))} dollars`)
          .join('. '),
        kind: 'stacked bars',
        axis: 'dollars a month',
        labels: months.map((month) => `month ${month}`),
        series: parts.map((part) => ({ name: part, values: (bills[0] ?? []).map((bill) => bill[part]) })),
      },
    ],
    notes: [
      `List prices of ${priceList.region} on ${priceList.date}, without free tiers. Target: month 36 costs at most ${target} times month 1, with 100,000 invoices a month.`,
      `Each invoice is created with an idempotency key, retrieved, and paid by card; three events are delivered to one endpoint. That is ${describeUnits(unitsOf(invoice).request)} for the requests, and ${describeUnits(unitsOf(invoice).background)} for the background work. There are ${merchants.map(({ listsPerMonth }) => listsPerMonth.toLocaleString('en-US')).join(' and ')} lists a month, of all invoices. A list needs ${lists.map(({ size, readUnits }) => `${Math.round(readUnits)} read units at ${size.toLocaleString('en-US')} invoices`).join(', ')}; other sizes are on straight lines through these. The first list of an account in an instance, which reads all volumes, is not counted.`,
      `Without folding, the months ${months.join(', ')} of the first merchant cost ${unfolded.map((bill) => dollars(totalOf(bill))).join(', ')} dollars.`,
      `Bytes that an invoice leaves in the table, with ${assumptions.itemOverheadBytes} bytes for each item: ${kept.join(', ')}. Storage includes the continuous backup; without it, the first merchant's last month costs ${formatRatio(withoutRatio)} the first one. Lambda contains all functions. Assumed: ${assumptions.requestSeconds * 1000} ms for a request, ${assumptions.relaySeconds * 1000} ms to relay a change and ${assumptions.deliverySeconds * 1000} ms to deliver an event, at 1 GB.`,
    ],
  };
}
