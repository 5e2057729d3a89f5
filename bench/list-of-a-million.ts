/** Measures and verifies lists of 1,000,000 invoices, whose index no longer fits into one query. */
import type { Stack } from '../infra/local/stack.ts';
import { Ledger } from './ledger.ts';
import { allRequests, countWrong, type ListRequest, limit, probe, timeRequests } from './list-probe.ts';
import { formatCount, formatMs, printLine, type Table } from './results.ts';

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

/** Loads only the index pages of all invoices and of two customers, and the records of the requested rows. */
export async function benchListOfAMillion(stack: Stack, seed: number): Promise<Table> {
  const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
  const ledger = await Ledger.open(stack, { seed, count: size, mix, customers });
  const verified = [...allRequests(ledger, [undefined, 0, 40]), ...requests];
  const rows = new Set(verified.flatMap((request) => ledger.expected(request, request.offset, limit).seqs));
  printLine(`  loading the pages of ${formatCount(size)} invoices and ${formatCount(rows.size)} records`);
  for (const customer of [undefined, 0, 40]) await ledger.table.putAll(ledger.pages(customer));
  const records = [...rows].map((seq) => ledger.record(seq));
  for (let first = 0; first < records.length; first += batch) {
    await ledger.table.putAll(records.slice(first, first + batch));
  }

  const wrong = await countWrong(ledger, verified);
  const probes = await probe(stack, ledger, requests);
  const timings = await timeRequests(stack, ledger, requests, 3);
  return {
    title: `A list at ${formatCount(size)} invoices, limit ${limit}`,
    columns: [
      'request',
      'calls in sequence (all)',
      'queries',
      'read units',
      'time (emulator)',
      'CPU',
      'time (modeled)',
    ],
    rows: probes.map(({ path, inSequence, calls, queries, readUnits, modeledMs }, index) => {
      const { wallMs = Number.NaN, cpuMs = Number.NaN } = timings[index] ?? {};
      const name = decodeURIComponent(path.replace(/^.*?limit=20&/, '').replaceAll('&', ', '));
      const cells = [
        String(queries),
        formatCount(readUnits),
        formatMs(wallMs),
        formatMs(cpuMs),
        formatMs(modeledMs),
      ];
      return [name, `${inSequence} (${calls})`, ...cells];
    }),
    notes: [
      `Wrong responses, over all statuses, with and without a customer filter, and at offsets from the start to past the end: ${wrong} of ${verified.length}. Stored: the index pages of all invoices and of two customers, and the records of the requested rows.`,
      'If the first query ends at 1 MB, the service reads the other ranges in parallel, which adds one call in sequence.',
    ],
  };
}
