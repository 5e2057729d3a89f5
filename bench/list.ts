/** Measures lists of 100,000 invoices at several offsets: with index pages, and with a query that skips and counts. */
import type { Stack } from '../infra/local/stack.ts';
import { Ledger, type StatusMix } from './ledger.ts';
import {
  allRequests,
  countWrong,
  type ListRequest,
  limit,
  type Probe,
  probe,
  type Timing,
  timeInTurn,
  timeRequests,
} from './list-probe.ts';
import { formatCount, formatMs, formatRatio, printLine, type Table } from './results.ts';
import { SkipAndCountList, type SkipAndCountResult } from './skip-and-count.ts';

const size = 100_000;
const customers = 50;
const batch = 5_000;
const mostlyPaid: StatusMix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
/** Every invoice has had the largest possible number of statuses. */
const worstCase: StatusMix = { paid: 0.5, cancelled: 0.5, overdue: 0, late: 1 };

const last = size - 50;
const requests: readonly ListRequest[] = [
  { offset: 0 },
  { offset: last },
  { status: 'paid', offset: 0 },
  { status: 'paid', offset: 75_000 },
  { status: 'overdue', offset: 1_000 },
  { customer: 0, offset: 1_000 },
  { customer: 40, status: 'paid', offset: 10 },
];

export async function benchList(stack: Stack, seed: number): Promise<Table> {
  const ledger = await Ledger.open(stack, { seed, count: size, mix: mostlyPaid, customers });
  await load(ledger);
  const verified = allRequests(ledger, [undefined, 0, 40]);
  const wrong = `${await countWrong(ledger, verified)} of ${verified.length}`;
  const probes = await probe(stack, ledger, requests);
  const requestTimings = await timeRequests(stack, ledger, requests, 15);
  const worstProbes = await probeWorst(stack, seed);

  const baseline = new SkipAndCountList(ledger, 'BASELINE');
  printLine(`  loading ${formatCount(size)} records for the baseline`);
  await baseline.load((items) => ledger.table.putAll(items), batch);
  const compared = requests.slice(0, 4);
  const baselines = [];
  for (const request of compared) baselines.push(await checkBaseline(baseline, ledger, request));
  const timings = await timeInTurn(
    compared.flatMap((request) => [
      () => ledger.list(request, request.offset, limit),
      () => baseline.list(request.status, request.offset, limit),
    ]),
    5,
  );
  return toTable({
    probes,
    requestTimings,
    timings,
    worstProbes,
    baselines,
    wrong,
    bytes: baseline.bytesPerItem,
  });
}

/** Loads all items that the service would have written, except events, timers and idempotency records. */
async function load(ledger: Ledger): Promise<void> {
  printLine(`  loading ${formatCount(size)} records and the pages of ${customers} customers`);
  await ledger.table.putAll(ledger.pages());
  for (let customer = 0; customer < customers; customer++) await ledger.table.putAll(ledger.pages(customer));
  for (let first = 1; first <= size; first += batch) {
    await ledger.table.putAll(Array.from({ length: batch }, (_, index) => ledger.record(first + index)));
  }
}

/** Measures the worst case. Loads the index pages of all invoices and the records of the requested rows. */
async function probeWorst(stack: Stack, seed: number): Promise<Probe[]> {
  const ledger = await Ledger.open(stack, { seed, count: size, mix: worstCase, customers });
  const ends: ListRequest[] = [{ offset: 0 }, { offset: last }];
  await ledger.table.putAll(ledger.pages());
  const rows = ends.flatMap((request) => ledger.expected(request, request.offset, limit).seqs);
  await ledger.table.putAll(rows.map((seq) => ledger.record(seq)));
  return probe(stack, ledger, ends);
}

/** Returns the cost of the baseline. @throws Error if its result is wrong */
async function checkBaseline(
  baseline: SkipAndCountList,
  ledger: Ledger,
  { status, offset }: ListRequest,
): Promise<SkipAndCountResult> {
  const found = await baseline.list(status, offset, limit);
  const { total } = ledger.expected({ status }, 0, 0);
  if (found.total !== total || found.rows !== limit) throw new Error('The baseline returned a wrong list.');
  return found;
}

interface Measurements {
  readonly probes: readonly Probe[];
  /** The times of the whole requests through HTTP. */
  readonly requestTimings: readonly Timing[];
  /** The times of the lists alone. Own and baseline values alternate. */
  readonly timings: readonly Timing[];
  readonly worstProbes: readonly Probe[];
  readonly baselines: readonly SkipAndCountResult[];
  readonly wrong: string;
  readonly bytes: number;
}

function toTable({
  probes,
  requestTimings,
  timings,
  worstProbes,
  baselines,
  wrong,
  bytes,
}: Measurements): Table {
  const rows = probes.flatMap((ownProbe, index) => {
    const [baseline, own, baselineTiming] = [baselines[index], timings[2 * index], timings[2 * index + 1]];
    const row = ownRow(nameOf(ownProbe), ownProbe, requestTimings[index], own);
    return baseline && own && baselineTiming
      ? [row, baselineRow(baseline, baselineTiming, ownProbe, own)]
      : [row];
  });
  const [start, end] = requestTimings;
  const ratio = start && end ? formatRatio(end.wallMs / start.wallMs) : '';
  return {
    title: `A list at ${formatCount(size)} invoices, limit ${limit}`,
    columns: [
      'request',
      'calls in sequence (all)',
      'read units',
      'whole request (emulator)',
      'list alone (emulator)',
      'CPU of the list',
      'modeled',
    ],
    rows: [...rows, ...worstProbes.map((worst) => ownRow(`worst case, ${nameOf(worst)}`, worst))],
    notes: [
      'Targets: 2 calls in sequence; ≤ 75 read units at 80 % paid, ≤ 100 in the worst case; offset 99,950 within 1.2× of offset 0; skip and count ≥ 50× the units, ≥ 20× the time.',
      `The whole request for offset ${formatCount(last)} took ${ratio} the time of offset 0. Wrong responses: ${wrong}.`,
      `The mix is 80 % paid (every 20th of them late), 10 % pending, 5 % overdue, 5 % cancelled, with ${customers} customers. In the worst case every invoice was overdue, then paid or cancelled. All records and pages are stored; in the worst case only the pages of all invoices and the records of the requested rows. Skip and count uses records of ${Math.round(bytes)} bytes; it counts without reading rows, and reads the rows last.`,
      'The whole request includes HTTP and authorization. The list alone is the index and the rows, or the queries of skip and count; both alternate on the emulator. Modeled times use the latencies of AWS (update 5 ms, query and batch get 4 ms + 1 ms per 256 KB).',
    ],
  };
}

const nameOf = ({ path }: Probe) =>
  decodeURIComponent(path.replace(/^.*?limit=\d+&/, '').replaceAll('&', ', '));

function ownRow(name: string, measured: Probe, whole?: Timing, alone?: Timing): string[] {
  const cells = [`${measured.inSequence} (${measured.calls})`, formatCount(measured.readUnits)];
  const times = [whole?.wallMs, alone?.wallMs, alone?.cpuMs].map((value) => (value ? formatMs(value) : ''));
  return [name, ...cells, ...times, formatMs(measured.modeledMs)];
}

function baselineRow(baseline: SkipAndCountResult, timing: Timing, own: Probe, alone: Timing): string[] {
  const compare = (value: number, ownValue: number) =>
    `${formatMs(value)} = ${formatRatio(value / ownValue)}`;
  return [
    '… skip and count',
    `${baseline.calls} (${baseline.calls})`,
    `${formatCount(baseline.readUnits)} = ${formatRatio(baseline.readUnits / own.readUnits)}`,
    '',
    compare(timing.wallMs, alone.wallMs),
    compare(timing.cpuMs, alone.cpuMs),
    compare(baseline.modeledMs, own.modeledMs),
  ];
}
