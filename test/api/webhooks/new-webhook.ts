/** Webhook endpoints as a client makes them, events for them, and the wait for what becomes of their deliveries. */
import { expect } from '@jest/globals';
import type { EventType } from '../../../shared/events/event.ts';
import type { Mode, Owner } from '../../../shared/ids.ts';
import type { OutboxItem } from '../../../shared/store/outbox.ts';
import { now } from '../../../shared/time.ts';
import type { Api, CallOptions, TestAccount } from '../../support/api.ts';
import { sampleEvent } from '../../support/sample-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

// biome-ignore lint/suspicious/noExplicitAny: resources as they were answered
type Shown = any;

export { codesOf, isReplay, timestamp, together, underKey } from '../payments/new-payment.ts';

/** Nobody listens there. */
export const nowhere = 'http://127.0.0.1:9/hooks';
export const unknownId = `wh_${'0'.repeat(26)}`;
export const commonTypes: readonly EventType[] = [
  ...(['invoice.created', 'invoice.paid', 'payment.completed', 'payment.failed'] as const),
  'refund.processed',
];
export const rareTypes: readonly EventType[] = [
  ...(['invoice.updated', 'invoice.cancelled', 'invoice.overdue', 'refund.failed'] as const),
];

/** A valid body of `POST /api/webhooks`; what is given replaces its fields. */
export const webhookBody = (fields: Record<string, unknown> = {}) => ({
  ...{ url: nowhere, events: ['*'] },
  ...fields,
});

/** A new endpoint as it was answered, with its secret. */
export async function newWebhook(
  api: Api,
  fields: Record<string, unknown> = {},
  options?: CallOptions,
): Promise<Shown> {
  const { json, status, text } = await api.post('/api/webhooks', webhookBody(fields), options);
  expect({ status, text }).toEqual({ status: 201, text });
  return json;
}

export const pathOf = ({ id }: { id: string }, rest = '') => `/api/webhooks/${id}${rest}`;

export const ownerOf = ({ accountId }: TestAccount, mode: Mode = 'test'): Owner => ({
  account: accountId,
  mode,
});

/** Publishes one event of each of these types, each about a resource of its own; returns their ids in that order. */
export async function publishEvents(owner: Owner, types: readonly EventType[]): Promise<string[]> {
  const { publish } = await import('../../../shared/webhooks/publish.ts');
  const events = types.map((type) => sampleEvent(type, owner));
  // As many as fit into a transaction.
  for (let start = 0; start < events.length; start += 49) {
    const some = { elements: [], events: events.slice(start, start + 49), timers: [] };
    await publish({ ...owner, pk: 'OUTBOX#none', sk: 'none', ...some } satisfies OutboxItem, now());
  }
  return events.map(({ id }) => id);
}

/** All deliveries to an endpoint, newest first. */
export async function deliveriesOf(api: Api, webhook: { id: string }, query = ''): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let before = ''; ; ) {
    const { json } = await api.get(pathOf(webhook, `/deliveries?limit=100${query}${before}`));
    found.push(...json.data);
    if (!json.cursor.hasMore) return found;
    before = `&before=${json.cursor.next}`;
  }
}

/** The deliveries to an endpoint, once they are as awaited. */
export function waitForDeliveries(
  api: Api,
  webhook: { id: string },
  what: string,
  areReady: (deliveries: Shown[]) => boolean,
): Promise<Shown[]> {
  return waitUntil(
    what,
    async () => {
      const deliveries = await deliveriesOf(api, webhook);
      return areReady(deliveries) ? deliveries : undefined;
    },
    { everyMs: 100 },
  );
}
