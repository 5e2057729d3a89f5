/** Tests that each change gets one entry in the audit log after crashes of the relay. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { toTimestamp } from '../../shared/base/time.ts';
import type { ShownAuditEntry } from '../../shared/domain/audit/entry.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { injectFault, interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.schedule.pause();
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
  await stack.stream.pause();
});
afterEach(() => stack.stream.resume());
afterAll(() => stack.close());

const create = () => api.post('/api/invoices', invoiceBody());
const outbox = () => table.outboxOf(`${owner.account}#${owner.mode}`);
const entries = async (): Promise<ShownAuditEntry[]> =>
  (await api.get('/api/audit-log')).json.data.filter(
    ({ actor }: ShownAuditEntry) => actor.type !== 'operator',
  );
async function relayItem(item: TestItem): Promise<void> {
  const { relay } = await import('../../shared/operations/outbox/relay.ts');
  await relay(fromOutboxItem(item), clock.now());
}
/** Returns the only outbox item of the account. */
async function onlyItem(): Promise<TestItem> {
  const items = await outbox();
  expect(items).toHaveLength(1);
  return items[0] as TestItem;
}

test('the sweep adds the entry of a change whose relay crashed, with the time of the request', async () => {
  const at = clock.now();
  const { headers, json: invoice } = await create();
  expect(await entries()).toEqual([]);
  clock.advance(61_000);
  await stack.schedule.run();
  expect(await outbox()).toEqual([]);
  expect(await entries()).toMatchObject([
    {
      action: 'invoice.create',
      resource: invoice.id,
      timestamp: toTimestamp(at),
      requestId: headers['x-request-id'],
    },
  ]);
});

test('a relay that fails at any call and is repeated adds one entry, and so does a repeated item', async () => {
  for (let call = 1; ; call++) {
    const { json: invoice } = await create();
    const item = await onlyItem();
    let calls = 0;
    const fault = injectFault(() => ++calls === call, respondWithError('ValidationException'));
    const interception = interceptCalls(fault);
    const crashed = await relayItem(item).then(
      () => false,
      () => true,
    );
    interception.remove();
    await relayItem(item);
    await relayItem(item);
    expect(await outbox()).toEqual([]);
    const found = (await entries()).filter(({ resource }) => resource === invoice.id);
    expect(found).toHaveLength(1);
    if (!crashed) break;
    expect(call).toBeLessThan(20);
  }
});

test('an event that no actor caused has no entry', async () => {
  const due = toTimestamp(clock.now() + 120_000);
  const { json: invoice } = await api.post('/api/invoices', invoiceBody({ dueDate: due }));
  await relayItem(await onlyItem());
  clock.advance(180_000);
  const { makeOverdueIfDue } = await import('../../shared/domain/invoices/invoice-store.ts');
  const { record } = await (await import('../../shared/domain/invoices/invoice-store.ts')).readInvoice(
    owner,
    invoice.id,
  );
  const timer = { reference: invoice.id, kind: 'overdue', due: record?.overdueAt ?? 0, minute: 0 } as const;
  await makeOverdueIfDue(timer, clock.now());
  await relayItem(await onlyItem());
  expect((await entries()).map(({ action }) => action)).toEqual(['invoice.create']);
});
