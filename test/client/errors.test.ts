/** Tests which errors the client throws for the responses of the service, or of a proxy in front of it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  Remit,
  RemitError,
  ValidationError,
} from '../../client/src/remit.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { tableOf } from '../support/table.ts';
import { body, type ClientFixture, catchError, startClientFixture } from './client-fixture.ts';

const hourMs = 3_600_000;
const requestId = expect.stringMatching(/^\S+$/);

let fixture: ClientFixture;
let account: TestAccount;
let remit: Remit;
beforeAll(async () => {
  fixture = await startClientFixture();
  account = await newAccount(fixture.stack.baseUrl);
  remit = await fixture.createClient(account);
});
afterAll(() => fixture?.close());

describe('an error has the class of its type, with code, field, status and request ID', () => {
  test('for an invalid field, a state, a used idempotency key and an unknown ID', async () => {
    await expect(remit.invoices.create({ ...body, amount: 1.5 })).rejects.toMatchObject({
      name: 'ValidationError',
      type: 'validation_error',
      code: 'invalid_amount',
      field: 'amount',
      details: [{ field: 'amount', code: 'invalid_amount', message: expect.stringContaining('integer') }],
      docUrl: `${fixture.stack.baseUrl}/docs/errors/invalid_amount`,
      status: 400,
      requestId,
      message: expect.stringContaining('integer'),
    });
    await expect(remit.invoices.create({ ...body, amount: 1.5 })).rejects.toBeInstanceOf(ValidationError);

    const { id } = await remit.invoices.create(body, { idempotencyKey: 'order-1' });
    await remit.invoices.cancel(id);
    const again = await catchError(remit.invoices.cancel(id));
    expect(again).toBeInstanceOf(InvalidRequestError);
    expect(again).toMatchObject({ code: 'invoice_already_cancelled', status: 400, requestId });

    const reused = await catchError(
      remit.invoices.create({ ...body, amount: 1 }, { idempotencyKey: 'order-1' }),
    );
    expect(reused).toBeInstanceOf(IdempotencyError);
    expect(reused).toMatchObject({ code: 'idempotency_key_reused', status: 400, requestId });

    const absent = await catchError(remit.refunds.retrieve('ref_1/../../invoices'));
    expect(absent).toBeInstanceOf(NotFoundError);
    expect(absent).toMatchObject({ code: 'refund_not_found', status: 404, requestId });
  });

  test('for an unknown API key, and for one without the permission', async () => {
    const stranger = new Remit({ apiKey: 'sk_test_unknown', baseUrl: fixture.stack.baseUrl });
    const unknown = await catchError(stranger.invoices.list().page());
    expect(unknown).toBeInstanceOf(AuthenticationError);
    expect(unknown).toMatchObject({ code: 'invalid_api_key', status: 401, requestId });

    const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
    const owner = { account: account.accountId, mode: 'test' as const };
    const { value } = await createKey({ owner, name: 'Reader', permissions: ['invoices:read'] });
    const reader = new Remit({ apiKey: value, baseUrl: fixture.stack.baseUrl });
    const forbidden = await catchError(reader.invoices.create(body));
    expect(forbidden).toBeInstanceOf(PermissionError);
    expect(forbidden).toMatchObject({ code: 'insufficient_permissions', status: 403, requestId });
  });

  test('for a rate limit, without a wait if the wait would be long', async () => {
    const hour = Math.ceil(Date.now() / hourMs) * hourMs;
    setClock(() => hour + 1_800_000);
    const limited = await newAccount(fixture.stack.baseUrl, 'standard');
    const table = tableOf(fixture.stack);
    const state = await table.get(tableKeys.accountState({ account: limited.accountId, mode: 'test' }));
    await table.put({ ...state, [accountStateAttributes.limit]: 1 });
    const client = await fixture.createClient(limited);
    await client.invoices.list();
    const error = await catchError(client.invoices.list());
    setClock();
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429, requestId });
    expect(error).toMatchObject({ retryAfterSeconds: 1800 });
  });
});

test('a response that is not from the API is an error with its status, even if the status is 200', async () => {
  fixture.proxy.setFaults(
    { status: 403, body: '<html>' },
    { status: 302, headers: { location: fixture.proxy.baseUrl } },
  );
  const odd = await catchError(remit.invoices.retrieve('inv_1'));
  expect(odd).toBeInstanceOf(RemitError);
  expect(odd).toMatchObject({ name: 'RemitError', status: 403, type: undefined, code: undefined });
  expect(await catchError(remit.invoices.retrieve('inv_1'))).toMatchObject({ status: 302 });
  expect(fixture.proxy.requests).toHaveLength(2);
  fixture.proxy.setFaults({ status: 200, headers: { 'x-request-id': 'r1' }, body: 'Please log in' });
  const login = await catchError(remit.invoices.retrieve('inv_1', { maxRetries: 0 }));
  expect(login).toBeInstanceOf(ConnectionError);
  expect(login).toMatchObject({ status: 200, requestId: 'r1' });
});

test.each(['', '.', '..', undefined])('the ID %p is rejected without a request', async (id) => {
  fixture.proxy.setFaults();
  expect(await catchError(remit.invoices.retrieve(id as string))).toMatchObject({ name: 'RemitError' });
  expect(fixture.proxy.requests).toEqual([]);
});

test.each(['sk_test_1\n', ' sk_test_1', 'sk_test_1\r\n', '\ufeffsk_test_1'])(
  'the key %j is rejected, and the error says that white space is too much',
  (apiKey) => {
    expect(() => new Remit({ apiKey, baseUrl: 'https://remit.example.com' })).toThrow(
      /white space or a line end.*trim\(\)/,
    );
  },
);

test.each([
  { apiKey: undefined, baseUrl: 'https://remit.example.com' },
  { apiKey: 'sk_test_1\n', baseUrl: 'https://remit.example.com' },
  { apiKey: 'sk_test_1', baseUrl: 'remit.example.com' },
  { apiKey: 'sk_test_1', baseUrl: undefined },
])('the client rejects invalid options: %p', (options) => {
  expect(() => new Remit(options as never)).toThrow(RemitError);
});
