/** Helps tests of the event log: stores sample events without the changes that they announce, and reads the log. */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/base/ids.ts';
import type { EventType } from '../../../shared/domain/events/event.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { appendEvents } from '../../support/append-entries.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import type { HttpResponse } from '../../support/http.ts';
import { type DynamodbAttempt, type FaultHandler, interceptCalls } from '../../support/intercept-calls.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { sampleEvent } from '../../support/sample-events.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

/** The stack of a file's tests. Its clock is stopped, and each test has a new account. */
export interface EventLogStack {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly owner: Owner;
  readonly api: Api;
}

/** Starts and closes the stack with the tests of the file. The returned object is filled when the tests run. */
export function useEventLogStack(): EventLogStack {
  const log = {} as { -readonly [part in keyof EventLogStack]: EventLogStack[part] };
  beforeAll(async () => {
    log.stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    log.table = tableOf(log.stack);
    log.clock = stopClock();
  });
  beforeEach(async () => {
    const account = await newAccount(log.stack.baseUrl);
    log.owner = { account: account.accountId, mode: 'test' };
    // Stored events have the newest form.
    log.api = inNewestVersion(account.test);
  });
  afterAll(() => log.stack.close());
  return log;
}

/** An event as the API shows it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Stores one event of each type, each about a new resource. Returns the events in the same order. */
export async function storeSampleEvents(owner: Owner, types: readonly EventType[]): Promise<ShownEvent[]> {
  const drafts = types.map((type) => sampleEvent(type, owner));
  await appendEvents(owner, drafts);
  const { showEvent } = await import('../../../shared/domain/events/event.ts');
  return drafts.map((draft) => showEvent(draft));
}

/** Requests a page of the event list. */
export function getEventPage(api: Api, query: Record<string, string | number> = {}): Promise<HttpResponse> {
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return api.get(`/api/events?${new URLSearchParams(parameters)}`);
}

/** Requests pages until `hasMore` is false. Returns all of them. */
export async function getAllPages(
  api: Api,
  direction: 'before' | 'after',
  query: Record<string, string | number> = {},
): Promise<{ data: ShownEvent[]; cursor: { hasMore: boolean; next: string | null } }[]> {
  const pages = [];
  let cursor: Record<string, string> = direction === 'after' ? { after: 'start' } : {};
  for (;;) {
    const { status, json, text } = await getEventPage(api, { ...query, ...cursor });
    if (status !== 200) throw new Error(text);
    pages.push(json);
    if (!json.cursor.hasMore) return pages;
    cursor = { [direction]: json.cursor.next };
  }
}

/** Expects that the log has exactly these events, oldest first, in both orders and with several limits. */
export async function expectLog(
  api: Api,
  events: readonly ShownEvent[],
  limits = [1, 3, 100],
): Promise<void> {
  const ids = events.map(({ id }) => id);
  for (const limit of limits) {
    for (const [direction, expected] of [
      ['after', ids],
      ['before', ids.toReversed()],
    ] as const) {
      const pages = await getAllPages(api, direction, { limit });
      expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
    }
  }
}

/** Runs `work` while `fault` handles the calls to DynamoDB. Returns its result and the calls. */
export async function callWithFault<T>(fault: FaultHandler, work: () => Promise<T>) {
  const interception = interceptCalls(fault);
  try {
    return { result: await work(), calls: interception.calls };
  } finally {
    interception.remove();
  }
}

export const isEventQuery = ({ operation, body }: DynamodbAttempt) =>
  operation === 'Query' && body.includes('EVENTS#');
