/**
 * Measures what a list costs by the number of an account's invoices, with index items like those that the service has
 * written. Only the index of all invoices is loaded, and the records of the requested rows.
 */
import type { Stack } from '../infra/local/stack.ts';
import type { GoalResult } from './goals.ts';
import { type IndexForm, Ledger } from './ledger.ts';
import { type ListRequest, limit, type Probe, probe, timeInTurn } from './list-probe.ts';
import { formatCount, formatMs, printLine, type Table } from './results.ts';

export interface ListCost {
  readonly size: number;
  /** The most that one of two lists of all invoices needs: newest and oldest rows. */
  readonly readUnits: number;
  /** The same, also for rows of one status. Rows whose status can still change take twice as many units. */
  readonly mostReadUnits: number;
  readonly inSequence: number;
  /** The processor time of a list in milliseconds, without HTTP and authorization. */
  readonly cpuMs: number;
}

const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
const rounds = 3;
/** Larger accounts have too many pages for the emulator. */
const benchSizes = {
  pages: [1_000, 10_000, 100_000, 1_000_000],
  volumes: [1_000, 10_000, 100_000, 1_000_000, 10_000_000],
} as const satisfies Readonly<Record<IndexForm, readonly number[]>>;
const forms = ['pages', 'volumes'] as const satisfies readonly IndexForm[];
const formNames = { pages: 'before folding', volumes: 'folded' } as const;

/** Measures lists of accounts with these numbers of invoices, whose index is stored in the given form. */
export async function measureLists(
  stack: Stack,
  seed: number,
  form: IndexForm,
  sizes: readonly number[],
): Promise<ListCost[]> {
  const costs: ListCost[] = [];
  for (const size of sizes) {
    printLine(`  a list of ${formatCount(size)} invoices, ${formNames[form]}`);
    const ledger = await Ledger.open(stack, { seed, count: size, mix, customers: 50 });
    const all: ListRequest[] = [{ offset: 0 }, { offset: Math.max(0, size - 50) }];
    const ofStatus: ListRequest[] = [
      { status: 'paid', offset: Math.floor(size * 0.75) },
      { status: 'overdue', offset: Math.floor(size * 0.01) },
    ];
    const requests = [...all, ...ofStatus];
    await ledger.loadIndex(form);
    const rows = new Set(requests.flatMap((request) => ledger.expected(request, request.offset, limit).seqs));
    await ledger.table.putAll([...rows].map((seq) => ledger.record(seq)));
    // From the second list on, an instance knows whether the index has many volumes.
    await ledger.list({}, 0, limit);
    const probes = await probe(stack, ledger, requests);
    const [timing] = await timeInTurn([() => ledger.list({}, 0, limit)], rounds);
    const mostOf = (some: readonly Probe[]) => Math.max(...some.map(({ readUnits }) => readUnits));
    costs.push({
      size,
      readUnits: mostOf(probes.slice(0, all.length)),
      mostReadUnits: mostOf(probes),
      inSequence: Math.max(...probes.map(({ inSequence }) => inSequence)),
      cpuMs: timing?.cpuMs ?? Number.NaN,
    });
  }
  return costs;
}

/**
 * Returns a figure of lists for any number of invoices: straight lines through the measured accounts, from the smallest one to the
 * largest one. The first and the last line go on beyond them.
 */
export function lineThrough(
  costs: readonly ListCost[],
  figureOf: (cost: ListCost) => number,
): (size: number) => number {
  return (size) => {
    const next = costs.findIndex((cost) => cost.size >= size);
    const index = next === -1 ? costs.length - 1 : Math.max(1, next);
    const [small, large] = costs.slice(index - 1, index + 1);
    if (!small || !large) throw new Error('Lists of two sizes are needed.');
    const slope = (figureOf(large) - figureOf(small)) / (large.size - small.size);
    return Math.max(1, figureOf(small) + slope * (size - small.size));
  };
}

/** Lists of accounts of several sizes, before and after folding. */
export async function benchIndexUnits(stack: Stack, seed: number): Promise<Table> {
  const costs = {
    pages: await measureLists(stack, seed, 'pages', benchSizes.pages),
    volumes: await measureLists(stack, seed, 'volumes', benchSizes.volumes),
  };
  /** The rows of one size: all invoices and any status, before and after folding. */
  const results = (figure: GoalResult['figure'], of: number, units: number, calls: number): GoalResult[] =>
    forms.flatMap((form) =>
      costs[form]
        .filter(({ size }) => size === of)
        .flatMap(({ readUnits, mostReadUnits, inSequence }) =>
          Object.entries({ 'all invoices': readUnits, 'any status': mostReadUnits }).map(([rows, read]) => ({
            figure,
            row: `${rows}, ${formNames[form]}`,
            measured: `${formatCount(read)} read units, ${inSequence} calls`,
            shares: [read / units, inSequence / calls],
          })),
        ),
    );
  return {
    title: 'Lists by the size of the account',
    columns: ['invoices', 'index', 'read units', '… of any status', 'calls in sequence', 'CPU of the list'],
    rows: forms.flatMap((form) =>
      costs[form].map(({ size, readUnits, mostReadUnits, inSequence, cpuMs }) => [
        formatCount(size),
        formNames[form],
        formatCount(readUnits),
        formatCount(mostReadUnits),
        String(inSequence),
        formatMs(cpuMs),
      ]),
    ),
    goals: [
      ...results('list at 100,000 invoices', 100_000, 20, 2),
      ...results('list at 1,000,000 invoices', 1_000_000, 60, 2),
      ...results('list at 10,000,000 invoices', 10_000_000, 600, 3),
    ],
    diagrams: [
      {
        file: 'lists-by-size.svg',
        title: 'Read units of a list by the size of the account',
        description: forms
          .map(
            (form) =>
              `${formNames[form]}: ${costs[form].map(({ size, readUnits }) => `${formatCount(readUnits)} units at ${formatCount(size)} invoices`).join(', ')}`,
          )
          .join('. '),
        kind: 'lines',
        axis: 'read units, logarithmic',
        isLogarithmic: true,
        labels: benchSizes.volumes.map(formatCount),
        series: forms.map((form) => ({
          name: formNames[form],
          values: benchSizes.volumes.map((size) => costs[form].find((cost) => cost.size === size)?.readUnits),
        })),
      },
    ],
    notes: [
      `The more of two lists of all invoices: the newest and the oldest rows. Any status: the most of these and of lists of a status that most and few invoices have. A row costs half a unit if it is paid or cancelled, and a unit otherwise. ${limit} rows each. All pages are folded; in a deployment, the newest pages are not folded yet. The first list of an account in an instance is not measured: with more than 64 volumes, it reads all of them.`,
    ],
  };
}
