/** That the API shows events and deliveries as the table has them, from end to end, once everything has come to rest. */
import type { ClientAccount } from './history-clients.ts';
import type { TestItem } from './table.ts';

/** The log that `after` leads through is the log, and each event is shown as the bytes that were sent. */
export async function shownEventFaults(
  { owner, api }: ClientAccount,
  all: readonly TestItem[],
): Promise<string[]> {
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const faults: string[] = [];
  const listed: string[] = [];
  for (let after = 'start', more = true; more; ) {
    const { json } = await api.get(`/api/events?limit=100&after=${after}`);
    listed.push(...json.data.map((event: object) => JSON.stringify(event)));
    more = json.cursor.hasMore;
    after = json.cursor.next ?? after;
  }
  if (listed.join() !== events.map(({ body }) => body).join())
    faults.push(`${owner}: its list of events is not its log`);
  for (const { id, body } of events) {
    const { text } = await api.get(`/api/events/${id}`);
    if (text !== body) faults.push(`${id} is shown as ${text}, sent was ${body}`);
  }
  return faults;
}

/** The endpoint's list shows each delivery once, newest first. */
export async function shownDeliveryFaults(
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
  for (let before = '', more = true; more; ) {
    const { json } = await api.get(`/api/webhooks/${webhookId}/deliveries?limit=100${before}`);
    listed.push(...json.data.map(({ id, status }: TestItem) => `${id} ${status}`));
    more = json.cursor.hasMore;
    before = `&before=${json.cursor.next}`;
  }
  return listed.join() === expected.join()
    ? []
    : [`${webhookId}: its list of deliveries is not what there is`];
}
