/**
 * What webhooks cost in capacity units, as `test/support/priced-requests.ts` tells it of invoices: on the path of a
 * request, of publishing an invoice to one endpoint, and of each attempt to deliver.
 */
import type { Stack } from '../../../infra/local/stack.ts';
import type { OutboxItem } from '../../../shared/store/outbox.ts';
import type { TimerMessage } from '../../../shared/store/timers.ts';
import { setClock } from '../../../shared/time.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import type { TestClock } from '../../support/clock.ts';
import { type PricedRequest, standStill } from '../../support/priced-requests.ts';
import type { TestTable } from '../../support/table.ts';
import { countUnits } from '../../support/units.ts';
import { newWebhook, pathOf, underKey, webhookBody } from './new-webhook.ts';
import { type Mailbox, startReceiver } from './receiver.ts';

type Price = <T>(name: string, work: () => Promise<T>) => Promise<T>;

interface Surroundings {
  readonly api: Api;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly mailbox: Mailbox;
  readonly price: Price;
}

/** Does each thing once, on a stack whose clock it stops and whose background it holds still. */
export async function priceWebhooks(stack: Stack): Promise<PricedRequest[]> {
  const { clock, table } = await standStill(stack);
  const { test: api } = await newAccount(stack.baseUrl);
  for (const item of await table.all('OUTBOX#')) await table.delete(item as OutboxItem);
  const receiver = await startReceiver();
  const counter = countUnits(stack);
  const priced: PricedRequest[] = [];
  const price: Price = async (name, work) => {
    clock.advance(1_234);
    counter.take();
    const result = await work();
    priced.push({ name, request: counter.take(), background: [] });
    return result;
  };
  try {
    const surroundings = { api, table, clock, mailbox: receiver.mailbox(), price };
    const webhook = await priceRequests(surroundings);
    await priceDeliveries(surroundings, webhook);
    return priced;
  } finally {
    counter.remove();
    await receiver.close();
    setClock();
  }
}

/** Leaves an endpoint. */
async function priceRequests({ api, mailbox, price }: Surroundings): Promise<{ id: string }> {
  const body = webhookBody({ url: mailbox.url, description: 'd'.repeat(100) });
  const create = (options = {}) => api.post('/api/webhooks', body, options);
  const { json: webhook } = await price('create', create);
  const { json: other } = await price('create, with key', () => create(underKey('create')));
  await price('create, replayed', () => create(underKey('create')));
  const changed = { description: 'Shop' };
  await price('update', () => api.patch(pathOf(webhook), changed));
  await price('update, with key', () => api.patch(pathOf(webhook), { description: 'x' }, underKey('update')));
  await price('rotate, with key', () => api.post(pathOf(other, '/rotate-secret'), {}, underKey('rotate')));
  await price('test', () => api.post(pathOf(webhook, '/test')));
  await price('get', () => api.get(pathOf(webhook)));
  await price('list of 2', () => api.get('/api/webhooks'));
  await price('delete, with key', () => api.delete(pathOf(other), underKey('delete')));
  return webhook;
}

async function priceDeliveries(surroundings: Surroundings, webhook: { id: string }): Promise<void> {
  const { api, table, clock, mailbox, price } = surroundings;
  const { publish } = await import('../../../shared/webhooks/publish.ts');
  const { dispatch } = await import('../../../shared/webhooks/dispatch.ts');
  const announce = async () => {
    await api.post('/api/invoices', invoiceBody({ description: 'd'.repeat(100) }));
    const [item] = await table.all('OUTBOX#');
    return () => publish(item as OutboxItem, clock.now());
  };
  const attempt = async () => {
    const timers = (await table.all('TIMER#')).filter(({ kind }) => kind === 'webhook');
    if (timers.length !== 1) throw new Error('There is not one delivery that waits.');
    return () => dispatch(timers[0] as unknown as TimerMessage);
  };
  await price('publish to 1 endpoint', await announce());
  await price('deliver', await attempt());
  await price('publish to 1 endpoint again', await announce());
  mailbox.answer(500);
  await price('deliver, failing first', await attempt());
  clock.advance(10_000);
  await price('deliver, failing again', await attempt());
  clock.advance(600_000);
  mailbox.answer(200);
  await price('deliver after failures', await attempt());
  const { data } = (await api.get(pathOf(webhook, '/deliveries'))).json;
  await price('redeliver', () => api.post(pathOf(webhook, `/deliveries/${data[0].id}/redeliver`)));
  await price('deliveries, 2 of them', () => api.get(pathOf(webhook, '/deliveries')));
  // What an endpoint that is known elsewhere costs each invoice when nobody asks for its events.
  await api.delete(pathOf(webhook));
  await newWebhook(api, { events: ['refund.failed'] });
  await price('publish to none of 1', await announce());
}
