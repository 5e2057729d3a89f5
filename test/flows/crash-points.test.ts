/** Tests that a change of an invoice whose process crashes at any call has one effect after a repeated request. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { findIdempotencyRecord } from '../model/audit-table.ts';
import { expectConsistentInvoices } from '../model/expect-consistent-invoices.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
/** The call at which each labeled invocation crashes. */
const crashes = new Map<string, { at: number; fault: ScriptedFault }>();

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  const script = ({ label, index }: { label: string; index: number }) => {
    const planned = crashes.get(label);
    return planned?.at === index ? planned.fault : undefined;
  };
  layer = await installFaults({ seed: 0, script });
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

async function newClient(): Promise<AccountUnderTest> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  return { owner: `${accountId}#test`, api, table, now: clock.now };
}

interface Write {
  readonly what: string;
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: Record<string, unknown>;
  /** The status of a repetition without a key, after the first request took effect. */
  readonly repeatedStatus: number;
  readonly status: string;
  readonly versions: number;
}

const create: Write = {
  what: 'create',
  method: 'POST',
  path: () => '/api/invoices',
  body: invoiceBody(),
  repeatedStatus: 201,
  status: 'pending',
  versions: 1,
};
const update: Write = {
  what: 'update',
  method: 'PATCH',
  path: (id) => `/api/invoices/${id}`,
  body: { amount: 77 },
  repeatedStatus: 200,
  status: 'pending',
  versions: 2,
};
const cancel: Write = {
  what: 'cancel',
  method: 'DELETE',
  path: (id) => `/api/invoices/${id}`,
  repeatedStatus: 400,
  status: 'cancelled',
  versions: 2,
};

const writes = [create, update, cancel];

let count = 0;
/** No write makes as many calls. */
const mostCalls = 8;

/**
 * Sends one write whose process crashes at call `at`, and repeats it. Returns undefined if the write does not make that
 * many calls.
 */
async function crash(write: Write, at: number, fault: ScriptedFault, key: string | undefined) {
  const client = await newClient();
  const { api, owner } = client;
  const existing = write === create ? '' : (await api.post('/api/invoices', create.body)).json.id;
  const label = `${write.what}-${count++}`;
  const send = (headers = {}): Promise<HttpResponse> =>
    api.send(write.method, write.path(existing), {
      body: write.body,
      headers: { ...(key && { 'Idempotency-Key': key }), ...headers },
    });
  crashes.set(label, { at, fault });
  const first = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const items = await table.all('');
  const before = items.filter(({ sk, account }) => sk === 'RECORD' && `${account}#test` === owner);
  const hadEffect =
    write === create ? before.length === 1 : before.some(({ version }) => version === write.versions);
  if (key) expect(findIdempotencyRecord(items, owner, key) !== undefined).toBe(hadEffect);

  const answer = await send();
  if (key || !hadEffect) expect(answer.status).toBe(write === create ? 201 : 200);
  else expect(answer.status).toBe(write.repeatedStatus);
  if (key) {
    expect(answer.headers['idempotent-replayed']).toBe(hadEffect ? 'true' : undefined);
    const repeated = await send();
    expect([repeated.status, repeated.text]).toEqual([answer.status, answer.text]);
  }
  if (key) {
    // The stream is paused, so the request itself has updated the lists.
    for (const query of ['', '&customerId=cust_1']) {
      const { pagination } = (await api.get(`/api/invoices?status=${write.status}${query}`)).json;
      expect(pagination.total).toBe(1);
    }
  }
  const finish = async () => {
    const chains = await expectConsistentInvoices(client);
    const invoices = write === create && !key && hadEffect ? 2 : 1;
    expect(chains.map(({ versions }) => versions.length)).toEqual(Array(invoices).fill(write.versions));
    expect(chains.map(({ versions }) => versions.at(-1)?.invoice.status)).toEqual(
      Array(invoices).fill(write.status),
    );
  };
  return { hadEffect, finish };
}

/** Sends a write of a customer whose process crashes at call `at`, and repeats it under its key. */
async function crashCustomer(method: 'POST' | 'PATCH' | 'DELETE', at: number, fault: ScriptedFault) {
  const { api } = await newClient();
  const { json } = await api.post('/api/customers', { name: 'Dorji', email: 'old@example.bt' });
  const label = `customer-${method}-${count++}`;
  const path = method === 'POST' ? '/api/customers' : `/api/customers/${json.id}`;
  const body = method === 'DELETE' ? undefined : { email: 'new@example.bt' };
  const headers = { 'Idempotency-Key': 'key' };
  crashes.set(label, { at, fault });
  const first = await api
    .send(method, path, { body, headers: { ...headers, [invocationHeader]: label } })
    .catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return false;
  const answers = [];
  for (let repeated = 0; repeated < 2; repeated++)
    answers.push(await api.send(method, path, { body, headers }));
  expect(answers.map(({ status }) => status)).toEqual(Array(2).fill(method === 'POST' ? 201 : 200));
  expect(answers[1]?.text).toBe(answers[0]?.text);
  const totalOf = async (query: string) => (await api.get(`/api/customers${query}`)).json.pagination.total;
  // The stream is paused, so the request itself has updated the lists.
  expect([
    await totalOf(''),
    await totalOf('?email=old@example.bt'),
    await totalOf('?email=new@example.bt'),
  ]).toEqual({ POST: [2, 1, 1], PATCH: [1, 0, 1], DELETE: [0, 0, 0] }[method]);
  return true;
}

test.each(['POST', 'PATCH', 'DELETE'] as const)(
  '%s of a customer: after a crash at any call, a repetition leads to one effect',
  async (method) => {
    await stack.stream.pause();
    const indexes = Array.from({ length: mostCalls }, (_, at) => at);
    const crashed = await Promise.all(
      indexes.flatMap((at) => [
        crashCustomer(method, at, 'crash before call'),
        crashCustomer(method, at, 'crash after call'),
      ]),
    );
    stack.stream.resume();
    expect(crashed.filter(Boolean).length).toBeGreaterThanOrEqual(6);
    expect(crashed.filter(Boolean).length).toBeLessThan(crashed.length);
  },
);

test.each(
  writes.flatMap((write) => [
    { write, key: undefined },
    { write, key: 'key' },
  ]),
)(
  '$write.what, key: $key: after a crash at any call, a repetition leads to one consistent effect',
  async ({ write, key }) => {
    await stack.stream.pause();
    const callIndexes = Array.from({ length: mostCalls }, (_, at) => at);
    const cases = callIndexes.flatMap((at) => [
      crash(write, at, 'crash before call', key),
      crash(write, at, 'crash after call', key),
    ]);
    const crashed = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
    stack.stream.resume();
    await Promise.all(crashed.map(({ finish }) => finish()));
    // Some crashes happened before the write and some after it.
    expect(new Set(crashed.map(({ hadEffect }) => hadEffect))).toEqual(new Set([false, true]));
    expect(crashed.length).toBeGreaterThanOrEqual(6);
    expect(crashed.length).toBeLessThan(cases.length);
  },
);
