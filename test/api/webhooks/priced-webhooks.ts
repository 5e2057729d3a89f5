/**
 * Measures the capacity units of webhook requests, of relaying an invoice to one endpoint, and of each attempt to
 * deliver. `test/support/priced-requests.ts` does the same for invoices.
 */
import type { Stack } from '../../../infra/local/stack.ts';
import { fromOutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import type { TimerMessage } from '../../../shared/store/timers/timer-item.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { countUnits } from '../../support/capacity-units.ts';
import type { TestClock } from '../../support/clock.ts';
import { setClock } from '../../support/clock.ts';
import { freezeStack, type PricedRequest, relayOutbox } from '../../support/priced-requests.ts';
import type { TestTable } from '../../support/table.ts';
import { newWebhook, underKey, webhookBody, webhookPath } from './new-webhook.ts';
import { type Mailbox, startMailboxReceiver } from './receiver.ts';

type Price = <T>(name: string, work: () => Promise<T>) => Promise<T>;

interface Dependencies {
  readonly api: Api;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly mailbox: Mailbox;
  readonly price: Price;
}

/** Runs each operation once, on a stack whose clock and background are stopped. */
export async function priceWebhooks(stack: Stack): Promise<PricedRequest[]> {
  const { clock, table } = await freezeStack(stack);
  const { test: api } = await newAccount(stack.baseUrl);
  for (const item of await table.all('OUTBOX#')) await table.delete(fromOutboxItem(item));
  const receiver = await startMailboxReceiver();
  const counter = countUnits(stack);
  const priced: PricedRequest[] = [];
  const price: Price = async (name, work) => {
    clock.advance(1_234);
    counter.take();
    const result = await work();
    const request = counter.take();
    await relayOutbox(table, clock.now());
    priced.push({ name, request, background: counter.take() });
    return result;
  };
  try {
    const dependencies = { api, table, clock, mailbox: receiver.mailbox(), price };
    const webhook = await priceRequests(dependencies);
    await priceDeliveries(dependencies, webhook);
    return priced;
  } finally {
    counter.remove();
    await receiver.close();
    setClock();
  }
}

/** Measures the requests. Returns an endpoint that still exists. */
async function priceRequests({ api, mailbox, price }: Dependencies): Promise<{ id: string }> {
  const body = webhookBody({ url: mailbox.url, description: 'd'.repeat(100) });
  const create = (options = {}) => api.post('/api/webhooks', body, options);
  const { json: webhook } = await price('create', create);
  const { json: other } = await price('create, with key', () => create(underKey('create')));
  await price('create, replayed', () => create(underKey('create')));
  const changed = { description: 'Shop' };
  await price('update', () => api.patch(webhookPath(webhook), changed));
  await price('update, with key', () =>
    api.patch(webhookPath(webhook), { description: 'x' }, underKey('update')),
  );
  await price('rotate, with key', () =>
    api.post(webhookPath(other, '/rotate-secret'), {}, underKey('rotate')),
  );
  await price('test', () => api.post(webhookPath(webhook, '/test')));
  await price('get', () => api.get(webhookPath(webhook)));
  await price('list of 2', () => api.get('/api/webhooks'));
  await price('delete, with key', () => api.delete(webhookPath(other), underKey('delete')));
  return webhook;
}

async function priceDeliveries(dependencies: Dependencies, webhook: { id: string }): Promise<void> {
  const { api, table, clock, mailbox, price } = dependencies;
  const { relay } = await import('../../../shared/operations/outbox/relay.ts');
  const { dispatchDeliveries } = await import('../../../shared/domain/webhooks/dispatch.ts');
  const createInvoice = async () => {
    await api.post('/api/invoices', invoiceBody({ description: 'd'.repeat(100) }));
    const item = (await table.all('OUTBOX#')).find(({ events }) => events.length > 0);
    return () => relay(fromOutboxItem(item ?? {}), clock.now());
  };
  const attempt = async () => {
    const timers = (await table.all('TIMER#')).filter(({ kind }) => kind === 'webhook');
    if (timers.length !== 1) throw new Error(`There are ${timers.length} pending deliveries instead of 1.`);
    return () => Promise.all(dispatchDeliveries([timers[0] as unknown as TimerMessage]));
  };
  await price('relay to 1 endpoint', await createInvoice());
  await price('deliver', await attempt());
  await price('relay to 1 endpoint again', await createInvoice());
  mailbox.respondWith(500);
  await price('deliver, failing first', await attempt());
  clock.advance(10_000);
  await price('deliver, failing again', await attempt());
  clock.advance(600_000);
  mailbox.respondWith(200);
  await price('deliver after failures', await attempt());
  const { data } = (await api.get(webhookPath(webhook, '/deliveries'))).json;
  await price('redeliver', () => api.post(webhookPath(webhook, `/deliveries/${data[0].id}/redeliver`)));
  await price('deliveries, 2 of them', () => api.get(webhookPath(webhook, '/deliveries')));
  // The cost of an endpoint for each invoice when the endpoint is not subscribed to the invoice's events.
  await api.delete(webhookPath(webhook));
  await newWebhook(api, { events: ['refund.failed'] });
  await price('relay to none of 1', await createInvoice());
}
