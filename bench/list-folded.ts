/** Measures and verifies lists before, between and after the folds of their index. The index of the largest ones is synthesized. */
import type { Stack } from '../infra/local/stack.ts';
import { setClock } from '../test/support/clock.ts';
import { Ledger } from './ledger.ts';
import {
  allRequests,
  countWrong,
  type ListRequest,
  limit,
  type Probe,
  probe,
  timeRequests,
} from './list-probe.ts';
import { formatCount, formatMs, printLine, type Table } from './results.ts';

const customers = 50;
const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
const batch = 5_000;
/** The lists that are measured: all invoices, and those of two customers. */
const lists = [undefined, 0, 40];

const requestsOf = (size: number): ListRequest[] => [
  { offset: 0 },
  { offset: size - 50 },
  { status: 'paid', offset: Math.floor(size * 0.75) },
  { customer: 0, offset: Math.floor(size / 100) },
  { customer: 40, status: 'paid', offset: 10 },
];

/** Measures lists of 100,000 invoices, or of the sizes in `FOLDED_SIZES`, and the index of one and of ten million. */
export async function benchFoldedLists(stack: Stack, seed: number): Promise<Table> {
  const sizes = (process.env.FOLDED_SIZES ?? '100000').split(',').map(Number);
  const rows: string[][] = [];
  const wrong: string[] = [];
  for (const size of sizes) {
    const ledger = await Ledger.open(stack, { seed, count: size, mix, customers });
    const requests = requestsOf(size);
    const verified = [...allRequests(ledger, lists), ...requests];
    await load(ledger, verified);
    for (const [state, hour] of [
      ['pages only', 0],
      ['pages and volumes', 0],
      ['volumes only', 2],
    ] as const) {
      if (state !== 'pages only') await foldAll(ledger, hour);
      wrong.push(`${await countWrong(ledger, verified)} of ${verified.length}`);
      // The first list asks for a fold, which costs one write.
      const probes = await probe(stack, ledger, requests);
      const timings = await timeRequests(stack, ledger, requests, 5);
      for (const [index, found] of probes.entries())
        rows.push(rowOf(size, state, found, timings[index]?.cpuMs ?? Number.NaN));
    }
  }
  for (const size of [1_000_000, 10_000_000]) rows.push(await measureSynthesized(stack, seed, size));
  return {
    title: `Lists before and after their index is folded, limit ${limit}`,
    columns: [
      'invoices',
      'index',
      'request',
      'calls in sequence (all)',
      'read units',
      'CPU of the whole request',
    ],
    rows,
    notes: [
      `10 to 20 read units of each list are for its rows: half a unit for a row that is paid or cancelled. Targets after folding: ≤ 20 read units at 100,000 and ≤ 60 at 1,000,000 with 2 calls in sequence; ≤ 600 at 10,000,000 with 3. Wrong responses: ${wrong.join(', ')}.`,
      `80 % of the invoices are paid, 10 % pending, 5 % overdue and 5 % cancelled, with ${customers} customers. The lists without rows have a synthesized index: volumes of the same mix, and no records. The CPU includes the client and the gateway on this machine.`,
    ],
  };
}

function rowOf(
  size: number,
  state: string,
  { path, inSequence, calls, readUnits }: Probe,
  cpuMs: number,
): string[] {
  const name = decodeURIComponent(path.replace(/^.*?limit=\d+&/, '').replaceAll('&', ', '));
  return [
    formatCount(size),
    state,
    name,
    `${inSequence} (${calls})`,
    formatCount(readUnits),
    formatMs(cpuMs),
  ];
}

async function load(ledger: Ledger, requests: readonly ListRequest[]): Promise<void> {
  const seqs = new Set(requests.flatMap((request) => ledger.expected(request, request.offset, limit).seqs));
  printLine(
    `  loading the pages of ${formatCount(ledger.count)} invoices and ${formatCount(seqs.size)} records`,
  );
  for (const customer of lists) await ledger.table.putAll(ledger.pages(customer));
  const records = [...seqs].map((seq) => ledger.record(seq));
  for (let first = 0; first < records.length; first += batch)
    await ledger.table.putAll(records.slice(first, first + batch));
}

/** Continues to fold the lists. @param hours how far the clock is ahead */
async function foldAll(ledger: Ledger, hours: number): Promise<void> {
  const { foldStoreOf } = await import('../shared/store/lists/volumes/volume-store.ts');
  const { foldVolume } = await import('../shared/store/lists/volumes/fold-volume.ts');
  const { volumeSize } = await import('../shared/store/keys.ts');
  const startedAt = performance.now();
  setClock(() => Date.now() + hours * 3_600_000);
  for (const customer of lists) {
    const { owner, filterKey } = ledger.listOf(customer);
    const store = foldStoreOf(owner, 'invoice', filterKey);
    for (let volume = 0; volume <= Math.floor(ledger.count / volumeSize); volume++)
      await foldVolume(store, 'invoice', volume, () => Date.now() + hours * 3_600_000);
  }
  setClock();
  printLine(`  folded in ${formatMs(performance.now() - startedAt)}`);
}

/** Stores the volumes of so many invoices, and lists a status that none of them has. */
async function measureSynthesized(stack: Stack, seed: number, size: number): Promise<string[]> {
  const { emptyVolume } = await import('../shared/store/lists/volumes/volume.ts');
  const { putVolumePart } = await import('../shared/store/lists/volumes/volume-store.ts');
  const { volumeSize } = await import('../shared/store/keys.ts');
  const ledger = await Ledger.open(stack, { seed, count: 1, mix, customers: 1 });
  const { owner, filterKey } = ledger.listOf();
  const { states } = emptyVolume('invoice');
  let random = seed;
  for (let volume = 0; volume <= Math.floor(size / volumeSize); volume++) {
    // The codes 2, 3 and 4 stand for the statuses overdue, paid and cancelled.
    const codes = Uint8Array.from({ length: volumeSize }, () => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      const chance = random / 2 ** 32;
      return chance < 0.8 ? 3 : chance < 0.9 ? 2 : chance < 0.95 ? 4 : 0;
    });
    const list = { owner, resource: 'invoice', filterKey } as const;
    await putVolumePart(list, volume, 'states', states, { ...states, heldSince: 1, codes });
  }
  const requests: ListRequest[] = [{ status: 'pending', offset: 1 }];
  await ledger.list({}, 0, limit);
  const [found] = await probe(stack, ledger, requests);
  const [timing] = await timeRequests(stack, ledger, requests, 3);
  if (!found) throw new Error('The list was not measured.');
  return rowOf(size, 'volumes only, no rows', found, timing?.cpuMs ?? Number.NaN);
}
