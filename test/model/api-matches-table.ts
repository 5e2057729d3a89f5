/** Checks that the API shows events and deliveries as the table has them, once the system is quiescent. */

import { eventTextOf } from '../support/stored-bodies.ts';
import type { TestItem } from '../support/table.ts';
import type { ClientAccount } from './random-clients.ts';

/** Checks that reading the event list page by page returns the whole event log, and each event the bytes that were sent. */
export async function eventMismatches(
  { owner, api }: ClientAccount,
  all: readonly TestItem[],
): Promise<string[]> {
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const violations: string[] = [];
  const listed: string[] = [];
  for (let after = 'start', hasMore = true; hasMore; ) {
    const { json } = await api.get(`/api/events?limit=100&after=${after}`);
    listed.push(...json.data.map((event: object) => JSON.stringify(event)));
    hasMore = json.cursor.hasMore;
    after = json.cursor.next ?? after;
  }
  if (listed.join() !== events.map(eventTextOf).join())
    violations.push(`the event list of ${owner} differs from its event log`);
  for (const event of events) {
    const { text } = await api.get(`/api/events/${event.id}`);
    if (text !== eventTextOf(event))
      violations.push(`the API shows event ${event.id} as ${text}, but ${eventTextOf(event)} is stored`);
  }
  return violations;
}

/** Checks that the endpoint's delivery list shows each delivery once, newest first. */
export async function deliveryMismatches(
  { api }: ClientAccount,
  webhookId: string,
  all: readonly TestItem[],
): Promise<string[]> {
  const deliveries = all.filter(({ pk }) => pk === `DELIVERIES#${webhookId}`);
  const expected = deliveries
    .map(({ sk, status }) => `${sk} ${status}`)
    .sort()
    .reverse();
  const listed: string[] = [];
  for (let before = '', hasMore = true; hasMore; ) {
    const { json } = await api.get(`/api/webhooks/${webhookId}/deliveries?limit=100${before}`);
    listed.push(...json.data.map(({ id, status }: TestItem) => `${id} ${status}`));
    hasMore = json.cursor.hasMore;
    before = `&before=${json.cursor.next}`;
  }
  return listed.join() === expected.join()
    ? []
    : [`the delivery list of ${webhookId} differs from its deliveries in the table`];
}
