/**
 * Tests that a claim of a payer, its confirmation and its rejection have one effect when their process crashes at any call and the request
 * is repeated. Takes 20 seconds.
 */
import { expect, test } from '@jest/globals';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import { invoiceBody } from '../support/api.ts';
import { claimFormOf, claimOnPage } from '../support/claims.ts';
import { api, client, clock, crashes, layer, stack, table } from '../support/crash-test-file.ts';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { submit } from '../support/pay-page.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Beside each other, the requests make a few more calls than alone, and the last crash points are after the last call. */
const moreCalls = 4;
let count = 0;

interface Claimed {
  readonly id: string;
  readonly paymentUrl: string;
  readonly claim: string;
  /** A payment of the amount of the claim, if one is recorded before. */
  readonly paymentId?: string;
}
interface Operation {
  /** Sends the request. The repeated one has no header. */
  readonly send: (
    claimed: Claimed,
    key: string,
    headers: Record<string, string>,
  ) => Promise<{ status: number }>;
  /** A payment that can be its money is recorded before. */
  readonly isRecorded?: true;
  readonly outcome: 'open' | 'confirmed' | 'rejected';
  /** What is kept of its payment as credit. */
  readonly amountOver?: number;
}

const decide = (path: string, body: object, key: string, headers: object) =>
  api.post(path, body, { headers: { 'Idempotency-Key': key, ...headers } });
const operations: Readonly<Record<string, Operation>> = {
  'the claim of a payer': {
    send: ({ id, paymentUrl }, _, headers) =>
      submit(paymentUrl, claimFormOf({ reference: `again ${id}` }), { headers }),
    outcome: 'open',
  },
  'its confirmation': {
    send: ({ id, claim }, key, headers) =>
      decide('/api/payments', { invoiceId: id, method: 'offline', claim }, key, headers),
    outcome: 'confirmed',
  },
  'its confirmation with more than is due': {
    send: ({ id, claim }, key, headers) => {
      const body = { invoiceId: id, method: 'offline', claim, amount: 3000, acceptOver: true };
      return decide('/api/payments', body, key, headers);
    },
    outcome: 'confirmed',
    amountOver: 500,
  },
  'its confirmation with a recorded payment': {
    send: ({ id, claim, paymentId }, key, headers) =>
      decide(`/api/invoices/${id}/claim/confirm`, { claimId: claim, paymentId }, key, headers),
    isRecorded: true,
    outcome: 'confirmed',
  },
  'its rejection': {
    send: ({ id, claim }, key, headers) =>
      decide(
        `/api/invoices/${id}/claim/reject`,
        { claimId: claim, reason: 'No such transfer' },
        key,
        headers,
      ),
    outcome: 'rejected',
  },
};

async function newClaimed(): Promise<Claimed> {
  const { id, paymentUrl } = (await api.post('/api/invoices', invoiceBody({ acceptPartial: true }))).json;
  const sent = await claimOnPage({ paymentUrl }, { reference: id, amount: '10.00' });
  expect(sent.status).toBe(303);
  return { id, paymentUrl, claim: (await api.get(`/api/invoices/${id}`)).json.claim.id };
}

/** Prepares the request, which has the key `label`. */
async function begin({ outcome, isRecorded }: Operation) {
  const created = await newClaimed();
  const { id, claim } = created;
  const body = { invoiceId: id, method: 'offline', amount: 1000 };
  const claimed: Claimed = isRecorded
    ? { ...created, paymentId: (await api.post('/api/payments', body)).json.id }
    : created;
  // The payer claims again after a rejection.
  if (outcome === 'open')
    await api.post(`/api/invoices/${id}/claim/reject`, { claimId: claim, reason: 'No such transfer' });
  return { claimed, label: `claim-${count++}` };
}

/** Sends the request without a crash. Returns how many calls it makes. */
async function countCalls(operation: Operation): Promise<number> {
  const { claimed, label } = await begin(operation);
  const { status } = await operation.send(claimed, label, { [invocationHeader]: label });
  expect(status).toBeLessThan(400);
  return layer.invocation(label)?.operations.length ?? 0;
}

/** Sends the request with a crash at call `at`, and repeats it. Returns undefined if it does not make that many calls. */
async function crash(operation: Operation, at: number, fault: ScriptedFault) {
  const { claimed, label } = await begin(operation);
  const { send } = operation;
  crashes.set(label, { at, fault });
  const answer = await send(claimed, label, { [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (answer) return undefined;
  expect((await send(claimed, label, {})).status).toBeLessThan(400);
  expect((await send(claimed, label, {})).status).toBeLessThan(400);
  return claimed;
}

test.each(Object.keys(operations))('%s has one effect after a crash at any call', async (name) => {
  const operation = operations[name] as Operation;
  await stack.stream.pause();
  await stack.queues.pause();
  const calls = (await countCalls(operation)) + moreCalls;
  const cases = Array.from({ length: calls }, (_, at) => [
    crash(operation, at, 'crash before call'),
    crash(operation, at, 'crash after call'),
  ]).flat();
  const crashed = (await Promise.all(cases)).flatMap((each) => each ?? []);
  await runUntilQuiescent({ stack, table, clock });
  const { payments } = await expectConsistentMoney(client);
  for (const { id, claim } of crashed) {
    const own = payments.filter(({ invoiceId }) => invoiceId === id);
    const isConfirmed = operation.outcome === 'confirmed';
    const { amountOver = 0 } = operation;
    const amount = amountOver > 0 ? 3000 : 1000;
    expect(own).toMatchObject(isConfirmed ? [{ amount, status: 'completed' }] : []);
    if (isConfirmed)
      expect((await api.get(`/api/payments/${own[0]?.id}`)).json).toMatchObject({ claim, amountOver });
    const shown = (await api.get(`/api/invoices/${id}`)).json;
    const amountPaid = isConfirmed ? amount - amountOver : 0;
    expect(shown).toMatchObject({ amountPaid, claim: { status: operation.outcome } });
    const { data } = (await api.get('/api/events?type=invoice.claimed&limit=100')).json;
    const claims = data.filter((event: { data: { id: string } }) => event.data.id === id);
    expect(claims).toHaveLength(operation.outcome === 'open' ? 2 : 1);
  }
  expect(crashed.length).toBeGreaterThan(2);
  expect(crashed.length).toBeLessThan(cases.length);
});
