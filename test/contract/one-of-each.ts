/** Creates one record of each kind that a search finds. */
import type { Stack } from '../../infra/local/stack.ts';
import type { SearchType } from '../../shared/domain/search/search.ts';
import { type Api, invoiceBody, type TestAccount } from '../support/api.ts';
import { switchMailsOn } from '../support/mails.ts';
import { createStatement } from '../support/statements.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createDocument, scheduleBody } from './examples.ts';

/**
 * Creates the records. Returns their IDs.
 * @param api of a key with all permissions, in the newest version
 */
export async function createOneOfEach(
  stack: Stack,
  { accountId }: Pick<TestAccount, 'accountId'>,
  api: Api,
): Promise<Readonly<Record<SearchType, string>>> {
  const create = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await api.post(path, body);
    if (status > 201) throw new Error(`${path}: ${text}`);
    return json.id;
  };
  const first = async (path: string): Promise<string> =>
    waitUntil(path, async () => (await api.get(path)).json.data?.[0]?.id);
  await switchMailsOn(accountId);
  const webhook = await create('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] });
  const invoice = await create('/api/invoices', invoiceBody());
  const payment = await create('/api/payments', { invoiceId: invoice, method: 'offline' });
  const { path, row } = await createStatement(api);
  const made = {
    invoice,
    payment,
    refund: await create('/api/refunds', { paymentId: payment, amount: 1 }),
    customer: await create('/api/customers', { name: 'Pema' }),
    draft: await create('/api/drafts', { customerId: 'c_7', description: 'Tea', buyer: { name: 'Dorji' } }),
    schedule: await create('/api/schedules', scheduleBody()),
    mail: await create(`/api/invoices/${await create('/api/invoices', invoiceBody())}/send`, {
      to: 'payer@example.bt',
    }),
    product: await create('/api/products', { name: 'Tea', unitAmounts: { BTN: 5000 } }),
    statement: path.split('/').at(-1) ?? '',
    statement_row: row.split('/').at(-1) ?? '',
    export: await create('/api/exports', { kind: 'invoices' }),
    webhook,
    api_key: await create('/api/keys', { name: 'Shop', permissions: ['invoices:read'] }),
  };
  await untilRelayed(tableOf(stack), `${accountId}#test`);
  return {
    ...made,
    document: (await createDocument(api)).id,
    delivery: await first(`/api/webhooks/${webhook}/deliveries`),
    event: await first('/api/events'),
    audit_entry: await first('/api/audit-log'),
  };
}
