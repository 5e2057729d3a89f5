import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { idempotencyOf } from '../support/audit-table.ts';
import { agreedChains, type Observed } from '../support/chains-agree.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Fate, type FaultLayer, installFaults } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
/** Where each labelled invocation dies. */
const deaths = new Map<string, { at: number; fate: Fate }>();

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  const script = ({ label, index }: { label: string; index: number }) => {
    const death = deaths.get(label);
    return death?.at === index ? death.fate : undefined;
  };
  layer = await installFaults({ seed: 0, script });
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

async function newClient(): Promise<Observed> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  return { owner: `${accountId}#test`, api, table, now: clock.now };
}

interface Write {
  readonly what: string;
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: Record<string, unknown>;
  /** What a client is told that repeats, without a key, what took effect already. */
  readonly again: number;
  readonly status: string;
  readonly versions: number;
}

const create: Write = {
  ...{ what: 'create', method: 'POST', path: () => '/api/invoices', body: invoiceBody() },
  ...{ again: 201, status: 'pending', versions: 1 },
};
const update: Write = {
  ...{ what: 'update', method: 'PATCH', path: (id) => `/api/invoices/${id}`, body: { amount: 77 } },
  ...{ again: 200, status: 'pending', versions: 2 },
};
const cancel: Write = {
  ...{ what: 'cancel', method: 'DELETE', path: (id) => `/api/invoices/${id}` },
  ...{ again: 400, status: 'cancelled', versions: 2 },
};

const writes = [create, update, cancel];

let count = 0;
/** More than any write makes. */
const mostCalls = 8;

/** One write whose process dies at a call, and what the client does next. Returns undefined if it has no such call. */
async function crash(write: Write, at: number, fate: Fate, key: string | undefined) {
  const client = await newClient();
  const { api, owner } = client;
  const existing = write === create ? '' : (await api.post('/api/invoices', create.body)).json.id;
  const label = `${write.what}-${count++}`;
  const send = (headers = {}): Promise<HttpResponse> =>
    api.send(write.method, write.path(existing), {
      body: write.body,
      headers: { ...(key && { 'Idempotency-Key': key }), ...headers },
    });
  deaths.set(label, { at, fate });
  const first = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const items = await table.all('');
  const before = items.filter(({ sk, account }) => sk === 'RECORD' && `${account}#test` === owner);
  const tookEffect =
    write === create ? before.length === 1 : before.some(({ version }) => version === write.versions);
  if (key) expect(idempotencyOf(items, owner, key) !== undefined).toBe(tookEffect);

  const answer = await send();
  if (key || !tookEffect) expect(answer.status).toBe(write === create ? 201 : 200);
  else expect(answer.status).toBe(write.again);
  if (key) {
    expect(answer.headers['idempotent-replayed']).toBe(tookEffect ? 'true' : undefined);
    const repeated = await send();
    expect([repeated.status, repeated.text]).toEqual([answer.status, answer.text]);
  }
  if (key) {
    // The stream stands still: what the answer told is in the lists without it.
    for (const query of ['', '&customerId=cust_1']) {
      const { pagination } = (await api.get(`/api/invoices?status=${write.status}${query}`)).json;
      expect(pagination.total).toBe(1);
    }
  }
  const finish = async () => {
    const chains = await agreedChains(client);
    const invoices = write === create && !key && tookEffect ? 2 : 1;
    expect(chains.map(({ versions }) => versions.length)).toEqual(Array(invoices).fill(write.versions));
    expect(chains.map(({ versions }) => versions.at(-1)?.invoice.status)).toEqual(
      Array(invoices).fill(write.status),
    );
  };
  return { tookEffect, finish };
}

test.each(
  writes.flatMap((write) => [
    { write, key: undefined },
    { write, key: 'key' },
  ]),
)(
  '$write.what, key: $key: whatever call the process dies at, a repetition leads to one consistent effect',
  async ({ write, key }) => {
    await stack.stream.pause();
    const places = Array.from({ length: mostCalls }, (_, at) => at);
    const cases = places.flatMap((at) => [
      crash(write, at, 'dies before', key),
      crash(write, at, 'dies after', key),
    ]);
    const deadly = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
    stack.stream.resume();
    await Promise.all(deadly.map(({ finish }) => finish()));
    // Some deaths came before the deed and some after it, so there was one to die around.
    expect(new Set(deadly.map(({ tookEffect }) => tookEffect))).toEqual(new Set([false, true]));
    expect(deadly.length).toBeGreaterThanOrEqual(6);
    expect(deadly.length).toBeLessThan(cases.length);
  },
);
