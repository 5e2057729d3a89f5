/** An invoice that has turned overdue, the way it does in life: its due date passes. */
import { setClock } from '../../../shared/time.ts';
import { type Api, invoiceBody } from '../../support/api.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Leaves the clock set to a time after the due date; put it back after the test. */
// biome-ignore lint/suspicious/noExplicitAny: an invoice as it was answered
export async function newOverdueInvoice(api: Api): Promise<{ invoice: any; path: string }> {
  const due = Date.now() + 3_600_000;
  const body = invoiceBody({ dueDate: new Date(due).toISOString() });
  const path = `/api/invoices/${(await api.post('/api/invoices', body)).json.id}`;
  const started = Date.now();
  setClock(() => due + 1_000 + Date.now() - started);
  const invoice = await waitUntil('the invoice is overdue', async () => {
    const { json } = await api.get(path);
    return json.status === 'overdue' && json;
  });
  return { invoice, path };
}
