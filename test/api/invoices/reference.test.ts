/** Tests the client's own references of invoices: uniqueness under races, crashes and repetitions, and the search for them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import {
  type Api,
  invoiceBody,
  listenToRequestLog,
  newAccount,
  type TestAccount,
} from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { injectFault, interceptCalls, respondWithError } from '../../support/intercept-calls.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack.close());

const create = (reference: unknown, key?: string, from = api) =>
  from.post('/api/invoices', invoiceBody({ reference }), key ? { headers: { 'Idempotency-Key': key } } : {});
const find = async (query: string, from = api) => {
  const response = await from.get(`/api/invoices?${query}`);
  return { status: response.status, ids: response.json.data?.map(({ id }: { id: string }) => id), response };
};

describe('a reference', () => {
  test('is shown, and leads to its invoice with two calls in sequence', async () => {
    const reference = 'ཨིན་ཝོ་ཨིས / 2026+42 🧾';
    const { status, json } = await create(reference);
    expect([status, json.reference]).toEqual([201, reference]);
    expect((await api.get(`/api/invoices/${json.id}`)).json.reference).toBe(reference);
    await create('another');
    const { ids, response } = await find(`reference=${encodeURIComponent(reference)}`);
    expect(ids).toEqual([json.id]);
    expect(response.json.pagination).toEqual({ total: 1, limit: 20, offset: 0, hasMore: false });
    const { dynamodbCalls, dynamodbCallsInSequence } = log.lineOf(response);
    expect([dynamodbCalls, dynamodbCallsInSequence]).toEqual([4, 2]);
  });

  test('without one, the field is null, and a null in the request counts as absent', async () => {
    expect((await api.post('/api/invoices', invoiceBody())).json.reference).toBeNull();
    for (const _ of [1, 2]) expect((await create(null)).json.reference).toBeNull();
  });

  test('combines with the other filters', async () => {
    const { json } = await create('A-1');
    const rows = [
      ['reference=A-1&status=pending&customerId=cust_1', 1],
      ['reference=A-1&status=paid', 0],
      ['reference=A-1&customerId=cust_2', 0],
      ['reference=a-1', 0],
      ['reference=A-1%20', 0],
      [`reference=${'x'.repeat(500)}`, 0],
    ] as const;
    for (const [query, total] of rows)
      expect([query, (await find(query)).response.json.pagination.total]).toEqual([query, total]);
    expect((await find('reference=A-1&offset=1')).ids).toEqual([]);
    for (const query of ['reference=', 'reference=A-1&reference=A-1'])
      expectError((await find(query)).response, 400, 'invalid_reference', 'reference');
    expect((await api.delete(`/api/invoices/${json.id}`)).status).toBe(200);
    expect((await find('reference=A-1&status=cancelled')).ids).toEqual([json.id]);
  });

  test('is unique per account and mode', async () => {
    await create('A-1');
    const other = await newAccount(stack.baseUrl);
    expect((await create('A-1', undefined, inNewestVersion(account.live))).status).toBe(201);
    expect((await create('A-1', undefined, inNewestVersion(other.test))).status).toBe(201);
    expect((await find('reference=A-1', inNewestVersion(other.live))).ids).toEqual([]);
  });

  test('stays taken after the invoice is cancelled, and the error names the invoice', async () => {
    const { json } = await create('A-1');
    await api.delete(`/api/invoices/${json.id}`);
    for (const key of [undefined, 'other']) {
      const refused = await create('A-1', key);
      expectError(refused, 400, 'reference_taken');
      expect(refused.json.error.message).toContain(json.id);
    }
    expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
    // A refused request is not stored, so it can be corrected under the same key.
    expect((await create('A-2', 'other')).status).toBe(201);
  });

  test.each([
    ['a number', 7],
    ['true', true],
    ['an object', {}],
    ['an empty text', ''],
    ['only white space', ' \u3000'],
    ['129 characters', 'x'.repeat(129)],
    ['NUL', 'a\0'],
    ['a lone surrogate', 'a\ud800'],
  ])('is refused: %s', async (_, reference) => {
    const response = await create(reference);
    expectError(response, 400, 'invalid_reference', 'reference');
  });

  test('has up to 128 code points', async () => {
    expect((await create('🧾'.repeat(128))).status).toBe(201);
  });

  test('does not change', async () => {
    const { json } = await create('A-1');
    const path = `/api/invoices/${json.id}`;
    expectError(await api.patch(path, { reference: 'A-2' }), 400, 'immutable_field', 'reference');
    expect((await api.patch(path, { ...json, amount: 9 })).json).toMatchObject({
      amount: 9,
      reference: 'A-1',
    });
  });
});

describe('the first version of the API', () => {
  test('knows neither field nor filter', async () => {
    const first = account.test;
    for (const body of [{ reference: 'A-1' }, { metadata: {} }, { metadata: 7 }]) {
      const [field = ''] = Object.keys(body);
      const refused = await first.post('/api/invoices', invoiceBody(body));
      expectError(refused, 400, 'unknown_parameter', field);
      expect(refused.json.error.message).toContain('2026-11-23');
    }
    expectError(await first.get('/api/invoices?reference=A-1'), 400, 'unknown_parameter', 'reference');
    const { json } = await create('A-1');
    expect(Object.keys((await first.get(`/api/invoices/${json.id}`)).json)).toHaveLength(10);
  });
});

describe('requests at the same time', () => {
  test('without a key, one creates the invoice, and all others name it', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('A-1')));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectError(answer, 400, 'reference_taken');
      expect(answer.json.error.message).toContain(created[0]?.json.id);
    }
    expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
    const items = (await tableOf(stack).all('INVOICEREFERENCE#')).filter(({ pk }) =>
      pk.includes(account.accountId),
    );
    expect(items.map(({ id }) => id)).toEqual([created[0]?.json.id]);
  });

  test('with the same key, all get the same answer', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create('A-1', 'one')));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect((await create('A-1', 'one')).headers['idempotent-replayed']).toBe('true');
  });

  test('with different keys, one takes effect', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => create('A-1', `key ${index}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  });
});

describe('a create whose answer is lost', () => {
  /** Lets a transaction take effect, and then fails it so that the SDK does not retry. */
  const loseAnswer = () =>
    interceptCalls(
      injectFault(
        ({ operation, body }) => operation === 'TransactWriteItems' && body.includes('INVOICEREFERENCE#'),
        async (call, send) => {
          await send();
          return respondWithError('ValidationException')(call, send);
        },
        1,
      ),
    );

  test.each([undefined, 'one'])('with the key %s: its repetition finds the invoice', async (key) => {
    const interception = loseAnswer();
    const lost = await create('A-1', key);
    interception.remove();
    expect(lost.status).toBe(500);
    const again = await create('A-1', key);
    const { ids } = await find('reference=A-1');
    expect(ids).toHaveLength(1);
    if (key) expect([again.status, again.json.id]).toEqual([201, ids[0]]);
    else expect([again.status, again.json.error?.message.includes(ids[0])]).toEqual([400, true]);
  });
});
