/** Tests commits when DynamoDB fails, answers are lost or other requests change the same records. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../../../support/api.ts';
import type { HttpResponse } from '../../../support/http.ts';
import {
  cancelTransaction,
  type DynamodbAttempt,
  type FaultHandler,
  type Interception,
  injectFault,
  interceptCalls,
  loseRequest,
  loseResponse,
  respondWithError,
} from '../../../support/intercept-calls.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

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
const recordAt = (path: string) => table.get(tableKeys.record(path.split('/').at(-1) ?? ''));
const outboxOf = async () => (await table.all('OUTBOX#')).filter(({ account }) => account === owner.account);
const isWrite = ({ operation }: DynamodbAttempt) => operation === 'TransactWriteItems';
const outcome = ({ status, json }: HttpResponse) => (status < 400 ? status : json.error.code);

async function withFault<T>(fault: FaultHandler, work: () => Promise<T>): Promise<[T, Interception]> {
  const interception = interceptCalls(fault);
  try {
    return [await work(), interception];
  } finally {
    interception.remove();
  }
}
/** Runs `concurrent` immediately before the first write of `work` arrives. */
const withConcurrent = async (concurrent: () => Promise<unknown>, work: () => Promise<HttpResponse>) => {
  const fault = injectFault(isWrite, async (_, send) => {
    await concurrent();
    return send();
  });
  return (await withFault(fault, work))[0];
};

const undecided: [string, FaultHandler][] = [
  ['two conflicts', cancelTransaction('None', 'TransactionConflict', 'None')],
  ['throttling inside the transaction', cancelTransaction('ThrottlingError', 'None', 'None')],
  ['exhausted throughput inside the transaction', cancelTransaction('None', 'ProvisionedThroughputExceeded')],
  ['throttling of the call', respondWithError('ThrottlingException')],
  ['exhausted throughput of the call', respondWithError('ProvisionedThroughputExceededException')],
  ['exhausted request quota', respondWithError('RequestLimitExceeded')],
  ['a transaction that is in progress', respondWithError('TransactionInProgressException')],
  ['a server error', respondWithError('InternalServerError', {}, 500)],
  ['lost requests', loseRequest],
  ['lost answers', loseResponse],
];
test.each(undecided)(
  '%s: the transaction is retried with the same bytes and token, and has one effect',
  async (_, fault) => {
    const twice = injectFault(isWrite, fault, 2);
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
  '%s whose write loses its answer takes effect once, and its own answer is returned',
  async (_, send, status) => {
    const path = await newPath();
    const [response] = await withFault(injectFault(isWrite, loseResponse), () => send(path));
    expect([outcome(response), isReplay(response)]).toEqual([status, false]);
    expect(await recordAt(path)).toMatchObject({ version: 2 });
  },
);

test.each([
  ['a create', () => create()],
  ['a create under a key', () => create(underKey())],
])('%s whose condition fails because an earlier attempt was written succeeds', async (_, send) => {
  // Simulates that DynamoDB no longer knows the token at the second attempt.
  const expiredToken = injectFault(isWrite, async (call, pass) => {
    await pass();
    const items = JSON.parse(call.body).TransactItems as { Put: { Item: object } }[];
    const CancellationReasons = items.map(({ Put: { Item } }, index) =>
      index === 1 ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Item },
    );
    return respondWithError('TransactionCanceledException', { CancellationReasons })(call, pass);
  });
  const [response] = await withFault(expiredToken, send);
  expect([response.status, isReplay(response)]).toEqual([201, false]);
  expect(await total()).toBe(1);
});

test('endless conflicts are 500 without effect, and the key can be used again', async () => {
  const [response, wire] = await withFault(
    (call, send) => (isWrite(call) ? cancelTransaction('TransactionConflict')(call, send) : send()),
    () => create(underKey()),
  );
  expect(outcome(response)).toBe('internal_error');
  expect(wire.calls.filter(isWrite).length).toBeGreaterThanOrEqual(8);
  expect([await total(), await outboxOf()]).toEqual([0, []]);
  const again = await create(underKey());
  expect([again.status, isReplay(again), await total()]).toEqual([201, false, 1]);
});

test('after a version conflict, an update is decided again, and both updates take effect', async () => {
  const path = await newPath();
  const response = await withConcurrent(
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

test('an update that loses a race against a cancellation changes nothing and does not use its key', async () => {
  for (const options of [{}, underKey()]) {
    const path = await newPath();
    const response = await withConcurrent(
      () => api.delete(path),
      () => api.patch(path, { amount: 9 }, options),
    );
    expect(outcome(response)).toBe('invoice_not_pending');
    expect(await recordAt(path)).toMatchObject({ version: 2, amount: 2500, status: 'cancelled' });
  }
  expect((await create(underKey())).status).toBe(201);
});

test('an update under a key that changes nothing is decided again if the invoice changes concurrently', async () => {
  const path = await newPath();
  const response = await withConcurrent(
    () => api.patch(path, { amount: 1 }),
    () => api.patch(path, { amount: 2500 }, underKey()),
  );
  expect(response.json.amount).toBe(2500);
  expect(await recordAt(path)).toMatchObject({ version: 3, amount: 2500 });
});

test('the loser of a race for a key returns the winner’s answer, or is refused if its request differs', async () => {
  const answers: HttpResponse[] = [];
  const first = async () => void answers.push(await create(underKey()));
  const same = await withConcurrent(first, () => create(underKey()));
  expect([same.status, isReplay(same), same.text]).toEqual([201, true, answers[0]?.text]);
  const other = await withConcurrent(
    () => create(underKey('other')),
    () => api.post('/api/invoices', invoiceBody({ amount: 1 }), underKey('other')),
  );
  expect(outcome(other)).toBe('idempotency_key_reused');
  expect(await total()).toBe(2);
});

test('a repetition that reads the key before the first attempt and the invoice after it is replayed', async () => {
  const path = await newPath();
  const first = Promise.withResolvers<HttpResponse>();
  let hasStarted = false;
  const fault: FaultHandler = async (call, send) => {
    if (call.operation !== 'GetItem' || hasStarted) return send();
    if (call.body.includes('IDEMPOTENCY#')) {
      const answer = await send();
      hasStarted = true;
      first.resolve(await api.delete(path, underKey()));
      return answer;
    }
    // The invoice is read after the first attempt has ended.
    await first.promise;
    return send();
  };
  const [repetition] = await withFault(fault, () => api.delete(path, underKey()));
  expect([repetition.status, isReplay(repetition)]).toEqual([200, true]);
  expect(repetition.text).toBe((await first.promise).text);
});

test('the read before a refusal under a key is retried if it conflicts with a write', async () => {
  const path = await newPath();
  await api.delete(path);
  const conflict = injectFault(
    ({ operation }) => operation === 'TransactGetItems',
    cancelTransaction('TransactionConflict', 'None'),
    2,
  );
  const [response] = await withFault(conflict, () => api.delete(path, underKey()));
  expect([outcome(response), conflict.left()]).toEqual(['invoice_already_cancelled', 0]);
});

test('authorization succeeds after it was throttled more often than other calls are repeated', async () => {
  const throttled = respondWithError('ThrottlingException');
  const isAuthorization = ({ operation, body }: DynamodbAttempt) =>
    operation === 'UpdateItem' && body.includes('STATE');
  const often = injectFault(isAuthorization, throttled, 11);
  expect((await withFault(often, () => api.get('/api/invoices')))[0].status).toBe(200);
  expect(often.left()).toBe(0);
});
