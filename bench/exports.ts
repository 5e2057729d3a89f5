/** Measures an export of 1,000,000 invoices: how long it takes, how many files it has, and how much memory the worker needs. */
import type { Stack } from '../infra/local/stack.ts';
import type { ShownExport } from '../shared/domain/exports/export.ts';
import { Ledger } from './ledger.ts';
import { formatCount, printLine, type Table } from './results.ts';

const size = 1_000_000;
const batch = 5_000;
const pollMs = 250;
const mostMinutes = 15;
const mostMegabytes = 256;

const bytesOf = ({ parts }: ShownExport) => parts.reduce((sum, part) => sum + part.bytes, 0);

/** Stores the records, and exports them as CSV. The worker runs in this process, as often as its function would end. */
export async function benchExports(stack: Stack, seed: number): Promise<Table> {
  const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
  const ledger = await Ledger.open(stack, { seed, count: size, mix, customers: 50 });
  for (let first = 1; first <= size; first += batch) {
    if (first % (20 * batch) === 1)
      printLine(`  storing ${formatCount(first - 1)} of ${formatCount(size)} records`);
    const seqs = Array.from({ length: Math.min(batch, size - first + 1) }, (_, index) => first + index);
    await ledger.table.putAll(seqs.map((seq) => ledger.record(seq)));
  }
  await Promise.all([stack.stream.resume(), stack.queues.resume()]);
  const usedBefore = process.memoryUsage().rss;
  let most = 0;
  const begunAt = performance.now();
  const { json } = await ledger.api.post('/api/exports', { kind: 'invoices' });
  let shown: ShownExport = json;
  while (shown.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    shown = (await ledger.api.get(`/api/exports/${json.id}`)).json;
    // The emulator of the bucket keeps the files in the memory of this process.
    most = Math.max(most, process.memoryUsage().rss - usedBefore - bytesOf(shown));
  }
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  const minutes = (performance.now() - begunAt) / 60_000;
  const megabytes = most / 1_000_000;
  const bytes = bytesOf(shown);
  return {
    title: `An export of ${formatCount(size)} invoices`,
    columns: ['rows', 'files', 'size', 'time', 'target', 'memory of the worker', 'target'],
    rows: [
      [
        formatCount(shown.rows),
        formatCount(shown.parts.length),
        `${formatCount(Math.round(bytes / 1_000_000))} MB`,
        `${minutes.toFixed(1)} min`,
        `≤ ${mostMinutes} min`,
        `${formatCount(Math.round(megabytes))} MB`,
        `≤ ${mostMegabytes} MB`,
      ],
    ],
    goals: [
      {
        figure: 'export of 1,000,000 invoices',
        row: 'CSV',
        measured: `${minutes.toFixed(1)} min, ${formatCount(Math.round(megabytes))} MB`,
        shares: [minutes / mostMinutes, megabytes / mostMegabytes, size / shown.rows],
      },
    ],
    notes: [
      'The worker runs in the process of this benchmark. Its memory is the most that the process had above what it had before the export, without the files, which the emulator of the bucket keeps there. DynamoDB Local and the emulators of the queues and of the bucket run on the same two cores.',
    ],
  };
}
