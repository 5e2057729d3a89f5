/** Lists at 1,000,000 invoices, whose index no longer fits into one query: whether they are right, and what they cost. */
import type { Stack } from '../infra/local/stack.ts';
import { Ledger } from './ledger.ts';
import { allRequests, countWrong, type ListRequest, limit, probe, timeRequests } from './list-probe.ts';
import { count, ms, say, type Table } from './results.ts';

const size = 1_000_000;
const customers = 50;
const batch = 5_000;

const requests: readonly ListRequest[] = [
  { offset: 0 },
  { offset: size - 50 },
  { status: 'paid', offset: 750_000 },
  { status: 'overdue', offset: 10_000 },
  { customer: 0, offset: 10_000 },
  { customer: 40, status: 'paid', offset: 10 },
];

/** Only pages are loaded, of all invoices and of two customers, and the records of the rows that are asked for. */
export async function benchListOfAMillion(stack: Stack, seed: number): Promise<Table> {
  const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
  const ledger = await Ledger.open(stack, { seed, count: size, mix, customers });
  const asked = [...allRequests(ledger, [undefined, 0, 40]), ...requests];
  const rows = new Set(asked.flatMap((one) => ledger.expected(one, one.offset, limit).seqs));
  say(`  loading the pages of ${count(size)} invoices and ${count(rows.size)} records`);
  for (const customer of [undefined, 0, 40]) await ledger.table.putAll(ledger.pages(customer));
  const records = [...rows].map((seq) => ledger.record(seq));
  for (let first = 0; first < records.length; first += batch) {
    await ledger.table.putAll(records.slice(first, first + batch));
  }

  const wrong = await countWrong(ledger, asked);
  const probes = await probe(stack, ledger, requests);
  const timings = await timeRequests(stack, ledger, requests, 3);
  return {
    title: `A list at ${count(size)} invoices, limit ${limit}`,
    columns: [
      'request',
      'calls in sequence (all)',
      'of these queries',
      'read units',
      'time here',
      'CPU',
      'time modelled',
    ],
    rows: probes.map(({ path, inSequence, calls, queries, readUnits, modelledMs }, index) => {
      const { wallMs = Number.NaN, cpuMs = Number.NaN } = timings[index] ?? {};
      const name = decodeURIComponent(path.replace(/^.*?limit=20&/, '').replaceAll('&', ', '));
      const cells = [String(queries), count(readUnits), ms(wallMs), ms(cpuMs), ms(modelledMs)];
      return [name, `${inSequence} (${calls})`, ...cells];
    }),
    notes: [
      `Answers that were not what the ledger says, over all states, no or two customers and offsets from first to beyond the last: ${wrong} of ${asked.length}. Loaded: the pages of all invoices and of two customers, and the records of the rows asked for.`,
      'Where the first query ends at 1 MB, the other ranges are read in parallel: one more call in sequence.',
    ],
  };
}
