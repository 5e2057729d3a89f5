/** What the client throws, by what the service, or something in front of it, has answered. */
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
import { headAttributes } from '../../shared/store/heads.ts';
import { keys } from '../../shared/store/keys.ts';
import { setClock } from '../../shared/time.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { tableOf } from '../support/table.ts';
import { body, type ClientStand, startClientStand, thrownBy } from './client-stand.ts';

const hourMs = 3_600_000;
const requestId = expect.stringMatching(/^\S+$/);

let stand: ClientStand;
let account: TestAccount;
let remit: Remit;
beforeAll(async () => {
  stand = await startClientStand();
  account = await newAccount(stand.stack.baseUrl);
  remit = await stand.client(account);
});
afterAll(() => stand?.close());

describe('an error has the class of its type, and code, field, status and request id', () => {
  test('of a mistake, a state, a key that is taken, and an id that is not there', async () => {
    await expect(remit.invoices.create({ ...body, amount: 1.5 })).rejects.toMatchObject({
      ...{ name: 'ValidationError', type: 'validation_error', code: 'invalid_amount', field: 'amount' },
      ...{ status: 400, requestId, message: expect.stringContaining('integer') },
    });
    await expect(remit.invoices.create({ ...body, amount: 1.5 })).rejects.toBeInstanceOf(ValidationError);

    const { id } = await remit.invoices.create(body, { idempotencyKey: 'order-1' });
    await remit.invoices.cancel(id);
    const again = await thrownBy(remit.invoices.cancel(id));
    expect(again).toBeInstanceOf(InvalidRequestError);
    expect(again).toMatchObject({ code: 'invoice_already_cancelled', status: 400, requestId });

    const reused = await thrownBy(
      remit.invoices.create({ ...body, amount: 1 }, { idempotencyKey: 'order-1' }),
    );
    expect(reused).toBeInstanceOf(IdempotencyError);
    expect(reused).toMatchObject({ code: 'idempotency_key_reused', status: 400, requestId });

    const absent = await thrownBy(remit.refunds.retrieve('ref_1/../../invoices'));
    expect(absent).toBeInstanceOf(NotFoundError);
    expect(absent).toMatchObject({ code: 'refund_not_found', status: 404, requestId });
  });

  test('of a key that is unknown, or has not the permission', async () => {
    const stranger = new Remit({ apiKey: 'sk_test_unknown', baseUrl: stand.stack.baseUrl });
    const unknown = await thrownBy(stranger.invoices.list().page());
    expect(unknown).toBeInstanceOf(AuthenticationError);
    expect(unknown).toMatchObject({ code: 'invalid_api_key', status: 401, requestId });

    const { createKey } = await import('../../shared/accounts/key-store.ts');
    const owner = { account: account.accountId, mode: 'test' as const };
    const { value } = await createKey({ owner, name: 'Reader', permissions: ['invoices:read'] });
    const reader = new Remit({ apiKey: value, baseUrl: stand.stack.baseUrl });
    const forbidden = await thrownBy(reader.invoices.create(body));
    expect(forbidden).toBeInstanceOf(PermissionError);
    expect(forbidden).toMatchObject({ code: 'insufficient_permissions', status: 403, requestId });
  });

  test('of a limit that is reached, which is not waited for if it lasts', async () => {
    const hour = Math.ceil(Date.now() / hourMs) * hourMs;
    setClock(() => hour + 1_800_000);
    const limited = await newAccount(stand.stack.baseUrl, 'standard');
    const table = tableOf(stand.stack);
    const head = await table.get(keys.head({ account: limited.accountId, mode: 'test' }));
    await table.put({ ...head, [headAttributes.limit]: 1 });
    const client = await stand.client(limited);
    await client.invoices.list();
    const error = await thrownBy(client.invoices.list());
    setClock();
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429, requestId });
    expect(error).toMatchObject({ retryAfterSeconds: 1800 });
  });
});

test('an answer that is not the API’s is an error with its status, and not believed when it is 200', async () => {
  stand.proxy.meet(
    { status: 403, body: '<html>' },
    { status: 302, headers: { location: stand.proxy.baseUrl } },
  );
  const odd = await thrownBy(remit.invoices.retrieve('inv_1'));
  expect(odd).toBeInstanceOf(RemitError);
  expect(odd).toMatchObject({ name: 'RemitError', status: 403, type: undefined, code: undefined });
  expect(await thrownBy(remit.invoices.retrieve('inv_1'))).toMatchObject({ status: 302 });
  expect(stand.proxy.seen).toHaveLength(2);
  stand.proxy.meet({ status: 200, headers: { 'x-request-id': 'r1' }, body: 'Please log in' });
  const login = await thrownBy(remit.invoices.retrieve('inv_1', { maxRetries: 0 }));
  expect(login).toBeInstanceOf(ConnectionError);
  expect(login).toMatchObject({ status: 200, requestId: 'r1' });
});

test.each(['', '.', '..', undefined])('the id %p is refused without a request', async (id) => {
  stand.proxy.meet();
  expect(await thrownBy(remit.invoices.retrieve(id as string))).toMatchObject({ name: 'RemitError' });
  expect(stand.proxy.seen).toEqual([]);
});

test.each([
  { apiKey: undefined, baseUrl: 'https://remit.example.com' },
  { apiKey: 'sk_test_1\n', baseUrl: 'https://remit.example.com' },
  { apiKey: 'sk_test_1', baseUrl: 'remit.example.com' },
  { apiKey: 'sk_test_1', baseUrl: undefined },
])('a client that cannot work is not made: %p', (options) => {
  expect(() => new Remit(options as never)).toThrow(RemitError);
});
