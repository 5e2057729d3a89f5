/** Tests GET /api/events and GET /api/events/:id: both orders, pages, the filter, and the isolation of accounts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/base/ids.ts';
import type { EventType } from '../../../shared/domain/events/event.ts';
import { eventBodyIn } from '../../../shared/domain/versions/convert.ts';
import { newestApiVersion } from '../../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders, textForBothModes } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { isExhaustive } from '../../support/run.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  callWithFault,
  getAllPages,
  getEventPage,
  isEventQuery,
  type ShownEvent,
  storeSampleEvents,
} from './event-log.ts';

let stack: Stack;
let account: TestAccount;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = inNewestVersion(account.test);
});
afterAll(() => stack.close());

const some = (count: number, type: EventType = 'invoice.created') => Array<EventType>(count).fill(type);
const newestFirst = (events: readonly ShownEvent[]) => [...events].reverse();

test('an empty log has no cursor, and later events follow its start', async () => {
  const response = await getEventPage(api);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({ data: [], cursor: { hasMore: false, next: null } });
  const { json } = await getEventPage(api, { after: 'start' });
  expect(json).toEqual({ data: [], cursor: { hasMore: false, next: 'start' } });
  const [first] = await storeSampleEvents(owner, some(1));
  expect((await getEventPage(api, { after: json.cursor.next })).json.data).toEqual([first]);
});

test('events are listed newest first with their stored bodies, and each is found by its id', async () => {
  const { json: invoice } = await api.post('/api/invoices', invoiceBody({ description: 'Grüße "1" \u2028' }));
  const one = await waitUntil('the event is stored', async () => {
    const { json } = await getEventPage(api);
    return json.data.length === 1 ? json : undefined;
  });
  const path = `/api/invoices/${invoice.id}`;
  const { json: updated } = await api.patch(path, { amount: 7 });
  const { json } = await waitUntil('the event of the update is stored', async () => {
    const response = await getEventPage(api);
    return response.json.data.length === 2 ? response : undefined;
  });
  const [last, first] = json.data;
  expect(one.data).toEqual([first]);
  expect(json.cursor).toEqual({ hasMore: false, next: first.id });
  const id = expect.stringMatching(/^evt_[0-9a-z]{26}$/);
  const fields = { mode: 'test', id, apiVersion: newestApiVersion };
  expect(first).toEqual({
    ...fields,
    type: 'invoice.created',
    objectVersion: 1,
    data: invoice,
    timestamp: invoice.createdAt,
  });
  expect(last).toEqual({
    ...fields,
    type: 'invoice.updated',
    objectVersion: 2,
    data: updated,
    previous: { amount: invoice.amount },
    timestamp: updated.updatedAt,
  });
  const stored = await tableOf(stack).all(tableKeys.event(owner, 0).pk);
  for (const { id, body } of stored) {
    const response = await api.get(`/api/events/${id}`);
    expectHeaders(response);
    expect([response.status, response.text]).toEqual([200, eventBodyIn(newestApiVersion, body)]);
  }
});

test('the pages together are the whole log, with every limit and in both orders, and hasMore is exact', async () => {
  const events = await storeSampleEvents(owner, some(23));
  for (const limit of [1, 2, 7, 22, 23, 24, 100]) {
    for (const [direction, expected] of [
      ['before', newestFirst(events)],
      ['after', events],
    ] as const) {
      const pages = await getAllPages(api, direction, { limit });
      expect(pages).toEqual(
        Array.from({ length: Math.ceil(23 / limit) }, (_, index) => {
          const data = expected.slice(index * limit, (index + 1) * limit);
          return { data, cursor: { hasMore: (index + 1) * limit < 23, next: data.at(-1)?.id } };
        }),
      );
    }
  }
  expect((await getEventPage(api)).json.data).toEqual(newestFirst(events).slice(0, 20));
});

test('a client can continue from every event, in both orders', async () => {
  const events = await storeSampleEvents(owner, some(6));
  for (const [index, { id }] of events.entries()) {
    const older = (await getEventPage(api, { before: id, limit: 2 })).json;
    const data = newestFirst(events.slice(Math.max(0, index - 2), index));
    expect(older).toEqual({ data, cursor: { hasMore: index > 2, next: data.at(-1)?.id ?? null } });
    const newer = (await getEventPage(api, { after: id, limit: 2 })).json;
    const since = events.slice(index + 1, index + 3);
    expect(newer).toEqual({ data: since, cursor: { hasMore: index < 3, next: since.at(-1)?.id ?? id } });
  }
});

test('a filter examines at most a thousand events, and the next page finds later matches', async () => {
  const rare = [4, 1099, 1100, 1239];
  const types = some(1_250).map((type, index) => (rare.includes(index) ? 'refund.failed' : type));
  const events = await storeSampleEvents(owner, types);
  const expected = rare.map((index) => events[index] as ShownEvent);
  for (const [direction, wanted] of [
    ['before', newestFirst(expected)],
    ['after', expected],
  ] as const) {
    for (const limit of isExhaustive ? [1, 20] : [20]) {
      const { result: pages, calls } = await callWithFault(
        (_, send) => send(),
        () => getAllPages(api, direction, { limit, type: 'refund.failed' }),
      );
      expect(pages.flatMap(({ data }) => data)).toEqual(wanted);
      const queries = calls.filter(isEventQuery);
      expect(queries.length).toBeLessThanOrEqual(4 * pages.length);
      for (const { body } of queries) expect(JSON.parse(body).Limit).toBeLessThanOrEqual(251);
    }
  }
  const { json: none } = await getEventPage(api, { type: 'payment.failed', after: 'start' });
  expect(none).toEqual({ data: [], cursor: { hasMore: true, next: events[999]?.id } });
  const all = await getAllPages(api, 'before', { type: 'payment.failed' });
  expect(all.map(({ data, cursor }) => [data, cursor.hasMore])).toEqual([
    [[], true],
    [[], false],
  ]);
});

const wrong: [string, string][] = [
  ...['', 'invoice', 'invoice.deleted', 'webhook.test', '*', '__proto__', 'Invoice.paid'].map(
    (text): [string, string] => [`type=${text}`, 'type'],
  ),
  ['type=invoice.paid&type=invoice.paid', 'type'],
  ...['limit=0', 'limit=101', 'limit=', 'limit=1.0', 'limit=1&limit=1'].map((text): [string, string] => [
    text,
    'limit',
  ]),
  ...['before', 'after'].flatMap((field) =>
    [
      '',
      'x',
      'evt_1',
      `inv_${'0'.repeat(26)}`,
      `evt_${'0'.repeat(26)}`,
      `evt_${'u'.repeat(26)}`,
      '1',
      'Start',
    ].map((text): [string, string] => [`${field}=${text}`, field]),
  ),
  ['before=start', 'before'],
  ['after=start&after=start', 'after'],
];

test.each(wrong)('%s is 400, field %s', async (query, field) => {
  const response = await api.get(`/api/events?${query}`);
  expectError(response, 400, `invalid_${field}`, field);
  expect(response.json.error.message).toMatch(new RegExp(`^${field} must be`));
});

test('parameters are checked in order, unknown ones last, and before cannot be combined with after', async () => {
  const bad = ['limit=0', 'type=x', 'before=x', 'after=x'];
  for (const [index, field] of ['limit', 'type', 'before', 'after'].entries()) {
    const response = await api.get(`/api/events?${['color=1', ...bad.slice(index).reverse()].join('&')}`);
    expect(response.json.error.field).toBe(field);
  }
  for (const name of ['color', 'offset', 'status', '__proto__']) {
    expectError(await api.get(`/api/events?${name}=1`), 400, 'unknown_parameter', name);
  }
  const [event] = await storeSampleEvents(owner, some(1));
  const both = await getEventPage(api, { before: `${event?.id}`, after: 'start' });
  expectError(both, 400, 'invalid_after', 'after');
  expect(both.json.error.message).toContain('before');
});

describe('events of other accounts', () => {
  test('are in no list, and are handled like events that never existed', async () => {
    const [event] = (await storeSampleEvents(owner, some(3))).slice(1);
    const unknown = `evt_${'0'.repeat(26)}`;
    const notFound = await api.get(`/api/events/${unknown}`);
    expectError(notFound, 404, 'event_not_found');
    const other = await newAccount(stack.baseUrl);
    for (const stranger of [account.live, other.test, other.live]) {
      const found = await stranger.get(`/api/events/${event?.id}`);
      expect(textForBothModes(found)).toBe(textForBothModes(notFound));
      expect((await getEventPage(stranger)).json.data).toEqual([]);
      expect((await getEventPage(stranger, { after: 'start', type: 'invoice.created' })).json.data).toEqual(
        [],
      );
      for (const field of ['before', 'after']) {
        const response = await getEventPage(stranger, { [field]: `${event?.id}` });
        expectError(response, 400, `invalid_${field}`, field);
        expect(response.text).toBe((await getEventPage(api, { [field]: unknown })).text);
      }
    }
    expect((await getEventPage(api)).json.data).toHaveLength(3);
  });
});
