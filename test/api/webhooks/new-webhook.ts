/** Creates webhook endpoints as a client does, relays events to them, and waits for their deliveries. */
import { expect } from '@jest/globals';
import type { Mode, Owner } from '../../../shared/base/ids.ts';
import { now } from '../../../shared/base/time.ts';
import type { EventType } from '../../../shared/domain/events/event.ts';
import type { OutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import { padInstant } from '../../../shared/store/keys.ts';
import type { Api, CallOptions, TestAccount } from '../../support/api.ts';
import { sampleEvent } from '../../support/sample-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

// biome-ignore lint/suspicious/noExplicitAny: resources as the API returned them
type Shown = any;

export { codesOf, isReplay, repeatInParallel, timestamp, underKey } from '../payments/new-payment.ts';

/** No process listens on this port. */
export const unreachableUrl = 'http://127.0.0.1:9/hooks';
export const unknownWebhookId = `wh_${'0'.repeat(26)}`;
export const commonTypes: readonly EventType[] = [
  'invoice.created',
  'invoice.paid',
  'payment.completed',
  'payment.failed',
  'refund.processed',
];
export const uncommonTypes: readonly EventType[] = [
  'invoice.updated',
  'invoice.cancelled',
  'invoice.overdue',
  'payment.updated',
  'payment.disputed',
  'payment.held',
  'payment.voided',
  'refund.failed',
];

/** Returns a valid body of `POST /api/webhooks`. `fields` replace its fields. */
export const webhookBody = (fields: Record<string, unknown> = {}) => ({
  url: unreachableUrl,
  events: ['*'],
  ...fields,
});

/** Creates an endpoint and returns the response, which contains the secret. */
export async function newWebhook(
  api: Api,
  fields: Record<string, unknown> = {},
  options?: CallOptions,
): Promise<Shown> {
  const { json, status, text } = await api.post('/api/webhooks', webhookBody(fields), options);
  expect({ status, text }).toEqual({ status: 201, text });
  return json;
}

export const webhookPath = ({ id }: { id: string }, rest = '') => `/api/webhooks/${id}${rest}`;

export const ownerOf = ({ accountId }: TestAccount, mode: Mode = 'test'): Owner => ({
  account: accountId,
  mode,
});

/** Relays one event of each type, each about a new resource. Returns the event ids in the same order. */
export async function relaySampleEvents(owner: Owner, types: readonly EventType[]): Promise<string[]> {
  const { relay } = await import('../../../shared/operations/outbox/relay.ts');
  const events = types.map((type) => sampleEvent(type, owner));
  // A transaction stores up to 49 events.
  for (let start = 0; start < events.length; start += 49) {
    const followUps = { indexEntries: [], events: events.slice(start, start + 49), timers: [] };
    await relay(
      { ...owner, pk: 'OUTBOX#none', sk: `${padInstant(now())}#none`, ...followUps } satisfies OutboxItem,
      now(),
    );
  }
  return events.map(({ id }) => id);
}

/** Reads all deliveries to an endpoint, newest first. */
export async function readDeliveries(api: Api, webhook: { id: string }, query = ''): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let before = ''; ; ) {
    const { json } = await api.get(webhookPath(webhook, `/deliveries?limit=100${query}${before}`));
    found.push(...json.data);
    if (!json.cursor.hasMore) return found;
    before = `&before=${json.cursor.next}`;
  }
}

/** Waits until `areReady` returns true for the deliveries to an endpoint, and returns them. */
export function waitForDeliveries(
  api: Api,
  webhook: { id: string },
  what: string,
  areReady: (deliveries: Shown[]) => boolean,
): Promise<Shown[]> {
  return waitUntil(
    what,
    async () => {
      const deliveries = await readDeliveries(api, webhook);
      return areReady(deliveries) ? deliveries : undefined;
    },
    { everyMs: 100 },
  );
}
