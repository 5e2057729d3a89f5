/** Creates an invoice and lets it turn overdue by moving the clock beyond its due date. */
import { type Api, invoiceBody } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Creates an overdue invoice. Leaves the clock after the due date, so the test must reset the clock. */
// biome-ignore lint/suspicious/noExplicitAny: the invoice in a response
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
