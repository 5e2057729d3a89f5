/** Measures the capacity units of a reconciliation. `test/flows/reconciliation-units.test.ts` asserts their limits. */
import type { Stack } from '../infra/local/stack.ts';
import { reconcileNow } from '../shared/reconciliation/reconcile-now.ts';
import { countUnits, sumOf } from '../test/support/capacity-units.ts';
import { newPaidInvoices } from '../test/support/paid-invoices.ts';
import { tableOf } from '../test/support/table.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { formatCount, type Table } from './results.ts';

const count = 2_000;
const customers = 50;

/** Reconciles an account with 2,000 paid invoices on several days. */
export async function benchReconciliation(stack: Stack): Promise<Table> {
  const { owner, api, keyOf } = await newPaidInvoices(stack, { count, customers });
  const units = countUnits(stack);
  const rows: string[][] = [];
  const run = async (name: string, full: boolean) => {
    await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
    units.take();
    const { records, remembered } = await reconcileNow(owner, { full, waitsMs: [] });
    const calls = units.take();
    for (const loop of [stack.stream, stack.queues, stack.schedule]) loop.resume();
    const figures = [records, remembered, sumOf(calls, 'read'), sumOf(calls, 'write')];
    rows.push([name, ...figures.map(formatCount)]);
  };
  await run('the first day', false);
  await run('a day without changes', false);
  for (const seq of [100, 700, 1_300]) {
    await api.post('/api/refunds', { paymentId: keyOf('payment', seq).pk, amount: 100 });
  }
  await waitUntil('the refunds are processed', async () => {
    const { json } = await api.get('/api/refunds?status=processed');
    const outbox = await tableOf(stack).outboxOf(`${owner.account}#${owner.mode}`);
    return json.pagination.total === 3 && outbox.length === 0;
  });
  await run('a day with 3 refunds of old payments', false);
  await run('a day without changes', false);
  await run('the day of a full comparison', true);
  units.remove();
  return {
    title: `Reconciliation of ${formatCount(count)} paid invoices`,
    columns: ['day', 'records read', 'records from digests', 'read units', 'write units'],
    rows,
    notes: [
      `Each invoice has one payment, and there are ${customers} customers. Without digests, every day costs as much as a full comparison.`,
    ],
  };
}
