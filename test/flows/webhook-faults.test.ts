import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventOf } from '../../shared/events/event.ts';
import { toOutboxItem } from '../../shared/store/outbox.ts';
import { invoiceBody } from '../support/api.ts';
import type { FaultPlan } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { chanceOf } from '../support/seeded-random.ts';
import type { TestItem } from '../support/table.ts';
import { type Background, startUnreliableBackground } from '../support/unreliable-background.ts';
import { deliveriesOf, webhookFaults, webhookTimersOf } from '../support/webhook-audit.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';

const minuteMs = 60_000;
/** Repeats a run; what fails names the seed that it ran with. */
const seed = Number(process.env.WEBHOOK_SEED ?? 1);

let stand: WebhookStand;
let background: Background;

beforeAll(async () => {
  stand = await startWebhookStand();
  background = await startUnreliableBackground(stand.stack, { seed, rate: 0.15 });
});
afterEach(() => {
  stand.receiver.answer();
  stand.layer.setPlan({ seed });
});
afterAll(async () => {
  await background.close();
  await stand.close();
});

/** Sweeps every three minutes until nothing of these owners waits; returns all that is in the table then. */
async function untilNothingWaits(owners: readonly WebhookOwner[]): Promise<TestItem[]> {
  const names = owners.map(({ owner }) => owner);
  for (let round = 0; round < 200; round++) {
    await background.idle();
    if (round === 10) await background.flush();
    const all = await stand.table.all('');
    const outbox = all.filter(
      ({ pk, account, mode }) => pk.startsWith('OUTBOX#') && names.includes(`${account}#${mode}`),
    );
    if (outbox.length === 0 && names.every((name) => webhookTimersOf(all, name).length === 0)) return all;
    stand.clock.advance(3 * minuteMs);
    await background.sweep();
  }
  throw new Error(`Something still waits after 200 sweeps (seed ${seed}).`);
}

/** What is wrong, each fault with the seed that shows it. */
function faultsOf(all: readonly TestItem[], owners: readonly WebhookOwner[]): string[] {
  const faults = owners.flatMap((owner) => webhookFaults(all, owner, stand.receiver.received));
  return faults.map((fault) => `${fault} (seed ${seed})`);
}

/** Each attempt of each call fails with a chance of 30 %, in one of four ways. */
const thirtyPercent: FaultPlan = {
  seed,
  throttled: 0.15,
  serverError: 0.05,
  requestLost: 0.05,
  answerLost: 0.05,
};

test('30 % of all calls to DynamoDB and SQS are throttled or fail while 240 events are made: all are delivered', async () => {
  const owners = await Promise.all([stand.newOwner(1), stand.newOwner(2), stand.newOwner(1)]);
  stand.layer.setPlan(thirtyPercent);
  const create = async ({ api }: WebhookOwner, label: string) => {
    const headers = { [invocationHeader]: label, 'Idempotency-Key': label };
    const answer = await api.post('/api/invoices', invoiceBody(), { headers });
    expect([answer.status, label]).toEqual([201, label]);
  };
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      owners.flatMap((owner, place) =>
        Array.from({ length: 10 }, (_, number) => create(owner, `create-${round}-${place}-${number}`)),
      ),
    );
  }
  const all = await untilNothingWaits(owners);
  expect(faultsOf(all, owners)).toEqual([]);
  const statuses = owners.flatMap(({ owner }) => deliveriesOf(all, owner).map(({ status }) => status));
  expect(statuses).toEqual(Array(320).fill('succeeded'));
  const { counts } = stand.layer;
  for (const fault of ['throttled', 'server error', 'request lost', 'answer lost']) {
    expect(counts[fault]).toBeGreaterThan(50);
  }
}, 600_000);

/** Items of the outbox as payments leave them: two events each, of which the endpoint wants both. */
function paymentItems({ owner }: WebhookOwner, count: number): TestItem[] {
  const [account = ''] = owner.split('#');
  const of = { account, mode: 'test' } as const;
  return Array.from({ length: count }, (_, number) => {
    const at = stand.clock.now();
    const id = `inv_${account.slice(5)}${String(number).padStart(10, '0')}`;
    const events = (['payment.completed', 'invoice.paid'] as const).map((type) =>
      eventOf(type, { id, objectVersion: 2, mode: 'test' }, at, { id, amount: number, note: 'é\u2028"\\' }),
    );
    return { ...toOutboxItem(of, `payment-${number}`, at, { elements: [], events, timers: [] }) };
  });
}

test('2,000 events of 20 accounts while functions die, calls conflict, are throttled and get lost, and batches come late, twice and out of order: none is lost', async () => {
  const owners: WebhookOwner[] = [];
  while (owners.length < 20) {
    owners.push(...(await Promise.all(Array.from({ length: 5 }, () => stand.newOwner(1)))));
  }
  // One answer in ten is a failure.
  stand.receiver.answer(() => ({
    status: chanceOf(seed, 'receiver', stand.receiver.received.length) < 0.1 ? 503 : 200,
  }));
  stand.layer.setPlan({
    ...{ seed, conflicts: true, death: 0.15, mixedReasons: 0.1 },
    ...{ throttled: 0.04, serverError: 0.02, requestLost: 0.02, answerLost: 0.02 },
  });
  for (const owner of owners) await stand.table.putAll(paymentItems(owner, 50));
  const all = await untilNothingWaits(owners);
  expect(faultsOf(all, owners)).toEqual([]);
  const deliveries = owners.flatMap(({ owner }) => deliveriesOf(all, owner));
  expect(deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(2000);
  const { counts } = stand.layer;
  for (const fault of ['dies before', 'dies after', 'throttled', 'answer lost']) {
    expect(counts[fault]).toBeGreaterThan(10);
  }
}, 1_200_000);
