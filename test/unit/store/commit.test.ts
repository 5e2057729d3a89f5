import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/ids.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import {
  cancelled,
  errorAnswer,
  type Fault,
  faultOn,
  type Interception,
  intercept,
  lostAnswer,
  lostRequest,
  type WireCall,
} from '../../support/faults.ts';
import type { HttpResponse } from '../../support/http.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

let stack: Stack;
let table: TestTable;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await stack.stream.pause();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterAll(() => stack.close());

const underKey = (key = 'key') => ({ headers: { 'Idempotency-Key': key } });
const create = (options = {}) => api.post('/api/invoices', invoiceBody(), options);
const newPath = async () => `/api/invoices/${(await create()).json.id}`;
const isReplay = ({ headers }: HttpResponse) => headers['idempotent-replayed'] === 'true';
const total = async () => (await api.get('/api/invoices')).json.pagination.total;
const recordAt = (path: string) => table.get(keys.record(path.split('/').at(-1) ?? ''));
const outboxOf = async () => (await table.all('OUTBOX#')).filter(({ account }) => account === owner.account);
const isWrite = ({ operation }: WireCall) => operation === 'TransactWriteItems';
const outcome = ({ status, json }: HttpResponse) => (status < 400 ? status : json.error.code);

async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<[T, Interception]> {
  const interception = intercept(fault);
  try {
    return [await work(), interception];
  } finally {
    interception.remove();
  }
}
/** Something else happens just before the first write of `work` arrives. */
const overtaken = async (meanwhile: () => Promise<unknown>, work: () => Promise<HttpResponse>) => {
  const fault = faultOn(isWrite, async (_, send) => {
    await meanwhile();
    return send();
  });
  return (await withFault(fault, work))[0];
};

const undecided: [string, Fault][] = [
  ['two conflicts', cancelled('None', 'TransactionConflict', 'None')],
  ['throttling inside of the transaction', cancelled('ThrottlingError', 'None', 'None')],
  ['exhausted throughput inside of the transaction', cancelled('None', 'ProvisionedThroughputExceeded')],
  ['throttling of the call', errorAnswer('ThrottlingException')],
  ['exhausted throughput of the call', errorAnswer('ProvisionedThroughputExceededException')],
  ['exhausted request quota', errorAnswer('RequestLimitExceeded')],
  ['a transaction that is in progress', errorAnswer('TransactionInProgressException')],
  ['a server error', errorAnswer('InternalServerError', {}, 500)],
  ['requests that got lost', lostRequest],
  ['answers that got lost', lostAnswer],
];
test.each(undecided)(
  '%s: the same bytes are sent again under the same token, with one effect',
  async (_, fault) => {
    const twice = faultOn(isWrite, fault, 2);
    const [response, wire] = await withFault(twice, () => create(underKey()));
    expect([response.status, isReplay(response), twice.left()]).toEqual([201, false, 0]);
    const writes = wire.calls.filter(isWrite).map(({ body }) => body);
    expect(writes.length).toBe(3);
    expect(new Set(writes).size).toBe(1);
    expect(JSON.parse(writes[0] ?? '').ClientRequestToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(await total()).toBe(1);
    expect(await outboxOf()).toHaveLength(1);
    expect(await recordAt(response.json.id)).toMatchObject({ version: 1 });
  },
);

test.each([
  ['an update', (path: string) => api.patch(path, { amount: 9 }), 200],
  ['a cancellation', (path: string) => api.delete(path), 200],
  ['a cancellation under a key', (path: string) => api.delete(path, underKey()), 200],
] as const)(
  '%s whose answer was lost has taken effect once, and is answered as its own',
  async (_, send, status) => {
    const path = await newPath();
    const [response] = await withFault(faultOn(isWrite, lostAnswer), () => send(path));
    expect([outcome(response), isReplay(response)]).toEqual([status, false]);
    expect(await recordAt(path)).toMatchObject({ version: 2 });
  },
);

test.each([
  ['a create', () => create()],
  ['a create under a key', () => create(underKey())],
])('%s whose condition fails by its own earlier success is a success', async (_, send) => {
  // As if the token had been forgotten between the first attempt and the second.
  const forgotten = faultOn(isWrite, async (call, pass) => {
    await pass();
    const items = JSON.parse(call.body).TransactItems as { Put: { Item: object } }[];
    const CancellationReasons = items.map(({ Put: { Item } }, index) =>
      index === 1 ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Item },
    );
    return errorAnswer('TransactionCanceledException', { CancellationReasons })(call, pass);
  });
  const [response] = await withFault(forgotten, send);
  expect([response.status, isReplay(response)]).toEqual([201, false]);
  expect(await total()).toBe(1);
});

test('conflicts without end are 500 without effect, and the key is still free', async () => {
  const [response, wire] = await withFault(
    (call, send) => (isWrite(call) ? cancelled('TransactionConflict')(call, send) : send()),
    () => create(underKey()),
  );
  expect(outcome(response)).toBe('internal_error');
  expect(wire.calls.filter(isWrite).length).toBeGreaterThanOrEqual(8);
  expect([await total(), await outboxOf()]).toEqual([0, []]);
  const again = await create(underKey());
  expect([again.status, isReplay(again), await total()]).toEqual([201, false, 1]);
});

test('an update that was overtaken is decided again upon what it found, and both take effect', async () => {
  const path = await newPath();
  const response = await overtaken(
    () => api.patch(path, { description: 'Other' }),
    () => api.patch(path, { amount: 9 }),
  );
  expect(response.json).toMatchObject({ amount: 9, description: 'Other' });
  expect(await recordAt(path)).toMatchObject({ version: 3, amount: 9, description: 'Other' });
  expect(
    (await outboxOf())
      .flatMap(({ events }) => events.map(({ body = '' }) => JSON.parse(body).objectVersion))
      .sort(),
  ).toEqual([1, 2, 3]);
});

test('an update that a cancellation overtook changes nothing, and leaves its key free', async () => {
  for (const options of [{}, underKey()]) {
    const path = await newPath();
    const response = await overtaken(
      () => api.delete(path),
      () => api.patch(path, { amount: 9 }, options),
    );
    expect(outcome(response)).toBe('invoice_not_pending');
    expect(await recordAt(path)).toMatchObject({ version: 2, amount: 2500, status: 'cancelled' });
  }
  expect((await create(underKey())).status).toBe(201);
});

test('an update of nothing under a key is judged again if the invoice has changed meanwhile', async () => {
  const path = await newPath();
  const response = await overtaken(
    () => api.patch(path, { amount: 1 }),
    () => api.patch(path, { amount: 2500 }, underKey()),
  );
  expect(response.json.amount).toBe(2500);
  expect(await recordAt(path)).toMatchObject({ version: 3, amount: 2500 });
});

test('the loser of a race for a key gives the winner’s answer, or is refused if it wanted something else', async () => {
  const answers: HttpResponse[] = [];
  const first = async () => void answers.push(await create(underKey()));
  const same = await overtaken(first, () => create(underKey()));
  expect([same.status, isReplay(same), same.text]).toEqual([201, true, answers[0]?.text]);
  const other = await overtaken(
    () => create(underKey('other')),
    () => api.post('/api/invoices', invoiceBody({ amount: 1 }), underKey('other')),
  );
  expect(outcome(other)).toBe('idempotency_key_reused');
  expect(await total()).toBe(2);
});

test('a repetition that read the key before, and the invoice after the first try, never sees the state rule', async () => {
  const path = await newPath();
  const first = Promise.withResolvers<HttpResponse>();
  let began = false;
  const fault: Fault = async (call, send) => {
    if (call.operation !== 'GetItem' || began) return send();
    if (call.body.includes('IDEMPOTENCY#')) {
      const answer = await send();
      began = true;
      first.resolve(await api.delete(path, underKey()));
      return answer;
    }
    // The invoice itself is read when the first try is through.
    await first.promise;
    return send();
  };
  const [repetition] = await withFault(fault, () => api.delete(path, underKey()));
  expect([repetition.status, isReplay(repetition)]).toEqual([200, true]);
  expect(repetition.text).toBe((await first.promise).text);
});

test('the read before a refusal under a key is tried again if it conflicts with a write', async () => {
  const path = await newPath();
  await api.delete(path);
  const conflict = faultOn(
    ({ operation }) => operation === 'TransactGetItems',
    cancelled('TransactionConflict', 'None'),
    2,
  );
  const [response] = await withFault(conflict, () => api.delete(path, underKey()));
  expect([outcome(response), conflict.left()]).toEqual(['invoice_already_cancelled', 0]);
});

test('admission that is throttled seven times within its time admits; without end it is 500', async () => {
  const throttled = errorAnswer('ThrottlingException');
  const isAdmission = ({ operation, body }: WireCall) => operation === 'UpdateItem' && body.includes('HEAD');
  const seven = faultOn(isAdmission, throttled, 7);
  expect((await withFault(seven, () => api.get('/api/invoices')))[0].status).toBe(200);
  const [response] = await withFault(
    (call, send) => (isAdmission(call) ? throttled(call, send) : send()),
    () => create(),
  );
  expect(outcome(response)).toBe('internal_error');
  expect(await total()).toBe(0);
});
