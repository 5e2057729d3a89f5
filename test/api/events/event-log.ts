/** Logs of events for tests: how they are published without the changes that they announce, and how they are read. */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { EventType } from '../../../shared/events/event.ts';
import type { Owner } from '../../../shared/ids.ts';
import { now } from '../../../shared/time.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { type Fault, intercept, type WireCall } from '../../support/faults.ts';
import type { HttpResponse } from '../../support/http.ts';
import { sampleEvent } from '../../support/sample-events.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

/** Where a file's tests look at logs: one stack, whose clock stands still, and for each test an account of its own. */
export interface LogStand {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly owner: Owner;
  readonly api: Api;
}

/** Starts and ends it with the tests of the file; what it returns has its parts once they run. */
export function useLogStand(): LogStand {
  const stand = {} as { -readonly [part in keyof LogStand]: LogStand[part] };
  beforeAll(async () => {
    stand.stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    stand.table = tableOf(stand.stack);
    stand.clock = stopClock();
  });
  beforeEach(async () => {
    const account = await newAccount(stand.stack.baseUrl);
    stand.owner = { account: account.accountId, mode: 'test' };
    stand.api = account.test;
  });
  afterAll(() => stand.stack.close());
  return stand;
}

/** An event as the API shows it. */
export interface Shown {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

type Store = typeof import('../../../shared/events/store.ts');

/** As many as fit into a transaction. */
const batchSize = 49;

/** Publishes one event of each of these types, each about a resource of its own; returns them in that order. */
export async function publishEvents(
  owner: Owner,
  types: readonly EventType[],
  store?: Store,
): Promise<Shown[]> {
  const { storeEvents } = store ?? (await import('../../../shared/events/store.ts'));
  const drafts = types.map((type) => sampleEvent(type, owner));
  for (let start = 0; start < drafts.length; start += batchSize) {
    await storeEvents(owner, drafts.slice(start, start + batchSize), now());
  }
  return drafts.map(({ body }) => JSON.parse(body));
}

/** A page; the parameters of the query are given as they are to be read. */
export function list(api: Api, query: Record<string, string | number> = {}): Promise<HttpResponse> {
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return api.get(`/api/events?${new URLSearchParams(parameters)}`);
}

/** All pages from a place on, until one says that there are no more. */
export async function pagesFrom(
  api: Api,
  direction: 'before' | 'after',
  query: Record<string, string | number> = {},
): Promise<{ data: Shown[]; cursor: { hasMore: boolean; next: string | null } }[]> {
  const pages = [];
  let place: Record<string, string> = direction === 'after' ? { after: 'start' } : {};
  for (;;) {
    const { status, json, text } = await list(api, { ...query, ...place });
    if (status !== 200) throw new Error(text);
    pages.push(json);
    if (!json.cursor.hasMore) return pages;
    place = { [direction]: json.cursor.next };
  }
}

/** That the log is this, oldest first, in both orders and at several limits. */
export async function expectLog(api: Api, events: readonly Shown[], limits = [1, 3, 100]): Promise<void> {
  const ids = events.map(({ id }) => id);
  for (const limit of limits) {
    for (const [direction, expected] of [
      ['after', ids],
      ['before', ids.toReversed()],
    ] as const) {
      const pages = await pagesFrom(api, direction, { limit });
      expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
    }
  }
}

/** Runs `work` while calls meet `fault`, then lets all pass again; returns also what was called. */
export async function during<T>(fault: Fault, work: () => Promise<T>) {
  const interception = intercept(fault);
  try {
    return { answer: await work(), calls: interception.calls };
  } finally {
    interception.remove();
  }
}

export const isEventQuery = ({ operation, body }: WireCall) =>
  operation === 'Query' && body.includes('EVENTS#');
