/** Tests webhook deliveries under random faults of DynamoDB, SQS and the background: no event is lost. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { draftEvent } from '../../shared/domain/events/event.ts';
import { toOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { invoiceBody } from '../support/api.ts';
import type { FaultPlan } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { seededNumber } from '../support/seeded-random.ts';
import type { TestItem } from '../support/table.ts';
import { type Background, startUnreliableBackground } from '../support/unreliable-background.ts';
import { deliveryItemsOf, webhookTimersOf, webhookViolations } from '../support/webhook-audit.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';

const minuteMs = 60_000;
/** The seed of the random faults. A failure names its seed, so that the run can be repeated. */
const seed = Number(process.env.WEBHOOK_SEED ?? 1);

let testStack: WebhookTestStack;
let background: Background;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
  background = await startUnreliableBackground(testStack.stack, { seed, rate: 0.15 });
});
afterEach(() => {
  testStack.receiver.respondWith();
  testStack.layer.setPlan({ seed });
});
afterAll(async () => {
  await background.close();
  await testStack.close();
});

/** Sweeps every three minutes until these owners have no outbox item and no timer. Returns all items of the table. */
async function runUntilQuiescent(owners: readonly WebhookOwner[]): Promise<TestItem[]> {
  const names = owners.map(({ owner }) => owner);
  for (let round = 0; round < 200; round++) {
    await background.idle();
    if (round === 10) await background.flush();
    const all = await testStack.table.all('');
    const outbox = all.filter(
      ({ pk, account, mode }) => pk.startsWith('OUTBOX#') && names.includes(`${account}#${mode}`),
    );
    if (outbox.length === 0 && names.every((name) => webhookTimersOf(all, name).length === 0)) return all;
    testStack.clock.advance(3 * minuteMs);
    await background.sweep();
  }
  throw new Error(`Work is left after 200 sweeps (seed ${seed}).`);
}

/** Returns what is wrong, with the seed that shows it. */
function violationsOf(all: readonly TestItem[], owners: readonly WebhookOwner[]): string[] {
  const violations = owners.flatMap((owner) => webhookViolations(all, owner, testStack.receiver.received));
  return violations.map((violation) => `${violation} (seed ${seed})`);
}

/** Each attempt of each call fails with a probability of 30 %, in one of four ways. */
const thirtyPercent: FaultPlan = {
  seed,
  throttled: 0.15,
  serverError: 0.05,
  requestLost: 0.05,
  responseLost: 0.05,
};

test('240 events are delivered although 30 % of all calls to DynamoDB and SQS are throttled or fail', async () => {
  const owners = await Promise.all([testStack.newOwner(1), testStack.newOwner(2), testStack.newOwner(1)]);
  testStack.layer.setPlan(thirtyPercent);
  const create = async ({ api }: WebhookOwner, label: string) => {
    const headers = { [invocationHeader]: label, 'Idempotency-Key': label };
    const response = await api.post('/api/invoices', invoiceBody(), { headers });
    expect([response.status, label]).toEqual([201, label]);
  };
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      owners.flatMap((owner, index) =>
        Array.from({ length: 10 }, (_, number) => create(owner, `create-${round}-${index}-${number}`)),
      ),
    );
  }
  const all = await runUntilQuiescent(owners);
  expect(violationsOf(all, owners)).toEqual([]);
  const statuses = owners.flatMap(({ owner }) => deliveryItemsOf(all, owner).map(({ status }) => status));
  expect(statuses).toEqual(Array(320).fill('succeeded'));
  const { counts } = testStack.layer;
  for (const fault of ['throttled', 'server error', 'request lost', 'response lost']) {
    expect(counts[fault]).toBeGreaterThan(50);
  }
});

/** Returns outbox items like those of payments, each with two events that the endpoint is subscribed to. */
function paymentItems({ owner }: WebhookOwner, count: number): TestItem[] {
  const [account = ''] = owner.split('#');
  const of = { account, mode: 'test' } as const;
  return Array.from({ length: count }, (_, number) => {
    const at = testStack.clock.now();
    const id = `inv_${account.slice(5)}${String(number).padStart(10, '0')}`;
    const events = (['payment.completed', 'invoice.paid'] as const).map((type) =>
      draftEvent(type, { id, objectVersion: 2, mode: 'test' }, at, {
        id,
        amount: number,
        note: 'é\u2028"\\',
      }),
    );
    return {
      ...toOutboxItem(of, `payment-${account}-${number}`, at, { indexEntries: [], events, timers: [] }),
    };
  });
}

test('none of 2,000 events of 20 accounts is lost while functions crash, calls fail or conflict, and batches are late, doubled and out of order', async () => {
  const owners: WebhookOwner[] = [];
  while (owners.length < 20) {
    owners.push(...(await Promise.all(Array.from({ length: 5 }, () => testStack.newOwner(1)))));
  }
  // The receiver fails one message in ten.
  testStack.receiver.respondWith(() => ({
    status: seededNumber(seed, 'receiver', testStack.receiver.received.length) < 0.1 ? 503 : 200,
  }));
  testStack.layer.setPlan({
    seed,
    conflicts: true,
    crash: 0.15,
    mixedReasons: 0.1,
    throttled: 0.04,
    serverError: 0.02,
    requestLost: 0.02,
    responseLost: 0.02,
  });
  for (const owner of owners) await testStack.table.putAll(paymentItems(owner, 50));
  const all = await runUntilQuiescent(owners);
  expect(violationsOf(all, owners)).toEqual([]);
  const deliveries = owners.flatMap(({ owner }) => deliveryItemsOf(all, owner));
  expect(deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(2000);
  const { counts } = testStack.layer;
  for (const fault of ['crash before call', 'crash after call', 'throttled', 'response lost']) {
    expect(counts[fault]).toBeGreaterThan(10);
  }
}, 1_200_000);
