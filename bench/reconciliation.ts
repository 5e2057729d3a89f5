/** Measures the capacity units of a reconciliation. `test/flows/reconciliation-units.test.ts` asserts their limits. */
import type { Stack } from '../infra/local/stack.ts';
import { reconcileNow } from '../shared/operations/reconciliation/reconcile-now.ts';
import { countUnits, sumOf } from '../test/support/capacity-units.ts';
import { newPaidInvoices } from '../test/support/paid-invoices.ts';
import { tableOf } from '../test/support/table.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { formatCount, type Table } from './results.ts';

const count = 2_000;
const customers = 50;

const days = {
  first: 'the first day',
  unchanged: 'a day without changes',
  refunds: 'a day with 3 refunds of old payments',
  afterRefunds: 'the day after it, without changes',
  full: 'the day of a full comparison',
} as const;

/** What one day's reconciliation of an account costs. */
export interface ReconciledDay {
  readonly records: number;
  readonly remembered: number;
  readonly read: number;
  readonly write: number;
  readonly cpuMs: number;
}

/** Reconciles an account with 2,000 paid invoices on several days. */
export async function measureReconciliation(stack: Stack): Promise<Record<keyof typeof days, ReconciledDay>> {
  const { owner, api, keyOf } = await newPaidInvoices(stack, { count, customers });
  const units = countUnits(stack);
  const run = async (full: boolean): Promise<ReconciledDay> => {
    await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
    units.take();
    const before = process.cpuUsage();
    const { records, remembered } = await reconcileNow(owner, { full, waitsMs: [] });
    const { user, system } = process.cpuUsage(before);
    const calls = units.take();
    return {
      records,
      remembered,
      read: sumOf(calls, 'read'),
      write: sumOf(calls, 'write'),
      cpuMs: (user + system) / 1000,
    };
  };
  try {
    const first = await run(false);
    const unchanged = await run(false);
    for (const loop of [stack.stream, stack.queues, stack.schedule]) loop.resume();
    for (const seq of [100, 700, 1_300]) {
      await api.post('/api/refunds', { paymentId: keyOf('payment', seq).pk, amount: 100 });
    }
    await waitUntil('the refunds are processed', async () => {
      const { json } = await api.get('/api/refunds?status=processed');
      const outbox = await tableOf(stack).outboxOf(`${owner.account}#${owner.mode}`);
      return json.pagination.total === 3 && outbox.length === 0;
    });
    const refunds = await run(false);
    const afterRefunds = await run(false);
    return { first, unchanged, refunds, afterRefunds, full: await run(true) };
  } finally {
    units.remove();
  }
}

/** The number of paid invoices that `measureReconciliation` compares. Each has one payment. */
export const reconciledInvoices = count;

export async function benchReconciliation(stack: Stack): Promise<Table> {
  const measured = await measureReconciliation(stack);
  return {
    title: `Reconciliation of ${formatCount(count)} paid invoices`,
    columns: ['day', 'records read', 'records from digests', 'read units', 'write units'],
    rows: Object.entries(measured).map(([day, { records, remembered, read, write }]) => [
      days[day as keyof typeof days],
      ...[records, remembered, read, write].map(formatCount),
    ]),
    notes: [
      `Each invoice has one payment, and there are ${customers} customers. Without digests, every day costs as much as a full comparison.`,
    ],
  };
}
