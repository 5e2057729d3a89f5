/** Lists at 100,000 invoices: what they cost with index pages, wherever they begin, next to a query that skips and counts. */
import type { Stack } from '../infra/local/stack.ts';
import { Ledger, type Mix } from './ledger.ts';
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
import { count, ms, say, type Table, times } from './results.ts';
import { Rival, type SkipAndCount } from './skip-and-count.ts';

const size = 100_000;
const customers = 50;
const batch = 5_000;
const mostlyPaid: Mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
/** Every invoice has passed through as many states as it can. */
const worst: Mix = { paid: 0.5, cancelled: 0.5, overdue: 0, late: 1 };

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
  const asked = allRequests(ledger, [undefined, 0, 40]);
  const wrong = `${await countWrong(ledger, asked)} of ${asked.length}`;
  const probes = await probe(stack, ledger, requests);
  const wholes = await timeRequests(stack, ledger, requests, 15);
  const worstProbes = await probeWorst(stack, seed);

  const rival = new Rival(ledger, 'RIVAL');
  say(`  loading ${count(size)} records for the rival`);
  await rival.load((items) => ledger.table.putAll(items), batch);
  const compared = requests.slice(0, 4);
  const rivals = [];
  for (const one of compared) rivals.push(await check(rival, ledger, one));
  const timings = await timeInTurn(
    compared.flatMap((one) => [
      () => ledger.list(one, one.offset, limit),
      () => rival.list(one.status, one.offset, limit),
    ]),
    5,
  );
  return toTable({ probes, wholes, timings, worstProbes, rivals, wrong, bytes: rival.bytesPerItem });
}

/** All that the service would have written, but for events, timers and idempotency records. */
async function load(ledger: Ledger): Promise<void> {
  say(`  loading ${count(size)} records and the pages of ${customers} customers`);
  await ledger.table.putAll(ledger.pages());
  for (let customer = 0; customer < customers; customer++) await ledger.table.putAll(ledger.pages(customer));
  for (let first = 1; first <= size; first += batch) {
    await ledger.table.putAll(Array.from({ length: batch }, (_, index) => ledger.record(first + index)));
  }
}

/** Pages of all invoices, and the records of the rows. */
async function probeWorst(stack: Stack, seed: number): Promise<Probe[]> {
  const ledger = await Ledger.open(stack, { seed, count: size, mix: worst, customers });
  const ends: ListRequest[] = [{ offset: 0 }, { offset: last }];
  await ledger.table.putAll(ledger.pages());
  const rows = ends.flatMap((one) => ledger.expected(one, one.offset, limit).seqs);
  await ledger.table.putAll(rows.map((seq) => ledger.record(seq)));
  return probe(stack, ledger, ends);
}

/** What it costs the rival, which must find what there is. */
async function check(rival: Rival, ledger: Ledger, { status, offset }: ListRequest): Promise<SkipAndCount> {
  const found = await rival.list(status, offset, limit);
  const { total } = ledger.expected({ status }, 0, 0);
  if (found.total !== total || found.rows !== limit) throw new Error('The rival lists wrongly.');
  return found;
}

interface Figures {
  readonly probes: readonly Probe[];
  /** Of the requests, through HTTP. */
  readonly wholes: readonly Timing[];
  /** Of the lists alone: own and rival's in turn. */
  readonly timings: readonly Timing[];
  readonly worstProbes: readonly Probe[];
  readonly rivals: readonly SkipAndCount[];
  readonly wrong: string;
  readonly bytes: number;
}

function toTable({ probes, wholes, timings, worstProbes, rivals, wrong, bytes }: Figures): Table {
  const rows = probes.flatMap((one, index) => {
    const [rival, own, rivalTiming] = [rivals[index], timings[2 * index], timings[2 * index + 1]];
    const row = ownRow(nameOf(one), one, wholes[index], own);
    return rival && own && rivalTiming ? [row, rivalRow(rival, rivalTiming, one, own)] : [row];
  });
  const [start, end] = wholes;
  const farther = start && end ? `${times(end.wallMs / start.wallMs)} here` : '';
  return {
    title: `A list at ${count(size)} invoices, limit ${limit}`,
    columns: [
      'request',
      'calls in sequence (all)',
      'read units',
      'whole request here',
      'list alone here',
      'CPU of that',
      'modelled',
    ],
    rows: [...rows, ...worstProbes.map((one) => ownRow(`worst mix, ${nameOf(one)}`, one))],
    notes: [
      'Targets: 2 calls in sequence; ≤ 75 read units at 80 % paid, ≤ 100 whatever the mix; offset 99,950 within 1.2× of offset 0; skip and count ≥ 50× the units, ≥ 20× the time.',
      `The whole request for offset ${count(last)} took ${farther} the time of offset 0. Answers that were not what the ledger says: ${wrong}.`,
      `80 % paid (every 20th of them late), 10 % pending, 5 % overdue, 5 % cancelled, ${customers} customers; worst mix: every invoice was overdue, then paid or cancelled. All records and pages are stored; of the worst mix, the pages of all invoices and the records of the rows. The rival's records have ${Math.round(bytes)} bytes; it counts without reading rows, and reads the rows last.`,
      'The whole request goes through HTTP and admission; the list alone is index and rows, and the queries of the rival, taken in turn on the emulator. Modelled: the latencies of AWS (update 5 ms, query and batch get 4 ms + 1 per 256 KB).',
    ],
  };
}

const nameOf = ({ path }: Probe) =>
  decodeURIComponent(path.replace(/^.*?limit=\d+&/, '').replaceAll('&', ', '));

function ownRow(name: string, one: Probe, whole?: Timing, alone?: Timing): string[] {
  const cells = [`${one.inSequence} (${one.calls})`, count(one.readUnits)];
  const measured = [whole?.wallMs, alone?.wallMs, alone?.cpuMs].map((value) => (value ? ms(value) : ''));
  return [name, ...cells, ...measured, ms(one.modelledMs)];
}

function rivalRow(rival: SkipAndCount, timing: Timing, own: Probe, alone: Timing): string[] {
  const beside = (value: number, ownValue: number) => `${ms(value)} = ${times(value / ownValue)}`;
  return [
    '… skip and count',
    `${rival.calls} (${rival.calls})`,
    `${count(rival.readUnits)} = ${times(rival.readUnits / own.readUnits)}`,
    '',
    beside(timing.wallMs, alone.wallMs),
    beside(timing.cpuMs, alone.cpuMs),
    beside(rival.modelledMs, own.modelledMs),
  ];
}
