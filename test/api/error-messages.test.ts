/** Tests that errors name every fault of a request, and say what the client probably meant. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../infra/local/stack.ts';
import { apiEndpoints } from '../../shared/api/http/unknown-route.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import type { HttpResponse } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
let live: Api;
beforeAll(async () => {
  stack = await startTestStack();
  ({ test: api, live } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

const messageOf = ({ json }: HttpResponse): string => json.error.message;
const fieldsOf = ({ json }: HttpResponse): string[] =>
  json.error.details.map(({ field }: { field: string }) => field);

describe('all field errors at once', () => {
  test('of a body, in the order of the schema', async () => {
    const body = { ...invoiceBody(), amount: '1', dueDate: 'soon', color: 'red' };
    const response = await api.post('/api/invoices', { ...body, currency: 'usd' });
    expectError(response, 400, 'invalid_amount', 'amount');
    expect(response.json.error.details).toMatchObject([
      { field: 'amount', code: 'invalid_amount' },
      { field: 'currency', code: 'invalid_currency', message: expect.stringContaining('USD') },
      { field: 'dueDate', code: 'invalid_due_date' },
      { field: 'color', code: 'unknown_parameter' },
    ]);
  });

  test('of a query, and of a nested object', async () => {
    const list = await api.get('/api/invoices?customer_id=a&limit=0&offset=x');
    expectError(list, 400, 'invalid_limit', 'limit');
    expect(fieldsOf(list)).toEqual(['limit', 'offset', 'customer_id']);
    const card = { number: '1', exp_month: 1, cvc: '123' };
    const payment = await api.post('/api/payments', { invoiceId: 'x', method: 'card', card });
    expectError(payment, 400, 'invalid_card_number', 'card.number');
    expect(fieldsOf(payment)).toEqual(['card.number', 'card.expMonth', 'card.expYear', 'card.exp_month']);
  });

  test('of a rule that only the state shows: one detail', async () => {
    const response = await api.post('/api/refunds', { paymentId: `pay_${'0'.repeat(26)}` });
    expectError(response, 400, 'invalid_payment', 'paymentId');
    expect(fieldsOf(response)).toEqual(['paymentId']);
  });
});

describe('names', () => {
  test('a missing field with a similar unknown one', async () => {
    const { customerId: customer_id, ...body } = invoiceBody();
    const response = await api.post('/api/invoices', { ...body, customer_id });
    expectError(response, 400, 'invalid_customer', 'customerId');
    expect(response.json.error.details.map(({ message }: { message: string }) => message)).toEqual([
      'customerId is missing, and customer_id is unknown. Did you mean customerId?',
      'customer_id is not a known parameter. Did you mean customerId?',
    ]);
  });

  test('a missing field has an example', async () => {
    const response = await api.post('/api/webhooks', { events: ['*'] });
    expect(fieldsOf(response)).toEqual(['url']);
    expect(messageOf(response)).toBe(
      'url is required. Add it, such as "url": "https://example.com/webhooks".',
    );
  });

  test('a query parameter', async () => {
    const response = await api.get('/api/payments?invoice_id=x');
    expectError(response, 400, 'unknown_parameter', 'invoice_id');
    expect(messageOf(response)).toBe('invoice_id is not a known parameter. Did you mean invoiceId?');
  });
});

const wrong = { type: [7.5, [], {}, true, null], text: ['\0', 'a\ud800', 'x'.repeat(6000)] };
const wrongTexts = fc.constantFrom<unknown>(...wrong.type, ...wrong.text);
const notNull = fc.constantFrom<unknown>(...wrong.type.filter((value) => value !== null), ...wrong.text);
/** The wrong values of each field; `undefined` leaves a field out. */
const wrongValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  customerId: fc.option(wrongTexts, { nil: undefined }),
  amount: fc.option(wrongTexts, { nil: undefined }),
  currency: fc.option(wrongTexts, { nil: undefined }),
  description: fc.option(wrongTexts, { nil: undefined }),
  dueDate: notNull,
};
const extraKeys = fc.uniqueArray(
  fc.constantFrom('constructor', 'toString', 'x\0', 'y\ud800', 'Amount ', '', 'k'.repeat(2000), 'status'),
  { maxLength: 4 },
);

test('property: the details name exactly the mutated fields of a valid body', async () => {
  const fields = Object.keys(wrongValues);
  const mutated = fc
    .subarray(fields)
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(chosen.map((field) => [field, wrongValues[field] as fc.Arbitrary<unknown>])),
      ),
    );
  await fc.assert(
    fc.asyncProperty(mutated, extraKeys, async (changes, extra) => {
      const expected = [...fields.filter((field) => Object.hasOwn(changes, field)), ...extra];
      fc.pre(expected.length > 0);
      const valid = { ...invoiceBody(), dueDate: '2027-01-31T12:00:00Z' };
      const more = Object.fromEntries(extra.map((key) => [key, 1]));
      const response = await api.post('/api/invoices', { ...valid, ...changes, ...more });
      expect(response.status).toBe(400);
      const shown = expected.map((field) => (field.length > 128 ? `${field.slice(0, 128)}…` : field));
      expect(fieldsOf(response)).toEqual(shown);
    }),
    { numRuns: 100 },
  );
});

test.each(['{"__proto__":1', '{"customerId":{"__proto__":null}'])(
  '%s…: one error of the body',
  async (start) => {
    const response = await api.post('/api/invoices', `${start},"amount":"x"}`);
    expectError(response, 400, 'invalid_json', 'body');
    expect(fieldsOf(response)).toEqual(['body']);
    expect(messageOf(response)).toMatch(/__proto__" at line 1, column \d+/);
  },
);

describe('bodies', () => {
  const send = (text: string, contentType?: string) =>
    api.post('/api/invoices', text, { headers: contentType ? { 'Content-Type': contentType } : {} });

  test('a form: what arrived, and the header to send', async () => {
    const response = await send('amount=1&currency=USD', 'application/x-www-form-urlencoded');
    expectError(response, 400, 'invalid_content_type', 'Content-Type');
    expect(messageOf(response)).toBe(
      'The Content-Type header is "application/x-www-form-urlencoded". Send a JSON object with the header Content-Type: application/json.',
    );
    expect(messageOf(await send('{}', 'x'.repeat(5000))).length).toBeLessThan(200);
  });

  test('no content type: the header to send', async () => {
    const response = await send('amount=1');
    expectError(response, 400, 'invalid_json', 'body');
    expect(messageOf(response)).toBe(
      'The body is not valid JSON at line 1, column 1. Send one JSON object. Add the header Content-Type: application/json.',
    );
  });

  test('a syntax error: line and column', async () => {
    const response = await send('{\n  "amount": 1,\n}', 'application/json');
    expect(messageOf(response)).toBe(
      'The body is not valid JSON at line 3, column 1. Remove the comma before it.',
    );
  });

  test('a duplicate key: its path and position', async () => {
    const response = await send('{"card": {"cvc": 1,\n "cvc": 2}}', 'application/json');
    expect(messageOf(response)).toBe(
      'The body has the key "card.cvc" twice, again at line 2, column 2. Send it only once.',
    );
  });
});

describe('paths without an endpoint', () => {
  test('the list of endpoints is that of the routes', () => {
    const byPath = new Map<string, string[]>();
    for (const { method, path } of Object.values<Route>(routes)) {
      if (!path.startsWith('/api/')) continue;
      byPath.set(path.slice(4), [...(byPath.get(path.slice(4)) ?? []), method]);
    }
    expect(apiEndpoints).toEqual(
      Object.fromEntries([...byPath].map(([path, methods]) => [path, methods.join(', ')])),
    );
  });

  const id = `inv_${'0'.repeat(26)}`;
  test.each([
    ['PUT', `/api/invoices/${id}`, '/api/invoices/{id} does not have this method. Use GET, PATCH or DELETE.'],
    ['DELETE', '/api/invoices', '/api/invoices does not have this method. Use GET or POST.'],
    ['POST', '/api/events/', '/api/events does not have this method. Use GET.'],
    ['POST', '/invoices', 'This endpoint does not exist. Did you mean POST /api/invoices?'],
    ['GET', `/invoices/${id}`, 'This endpoint does not exist. Did you mean GET /api/invoices/{id}?'],
    ['GET', '/v1/invoices', 'This endpoint does not exist. Did you mean GET /api/invoices?'],
    ['GET', '/api/v2/invoices', 'This endpoint does not exist. Did you mean GET /api/invoices?'],
    ['GET', '/api/invoice', 'This endpoint does not exist. Did you mean GET /api/invoices?'],
    ['POST', '/api/invoices//', 'This endpoint does not exist. Did you mean POST /api/invoices?'],
    ['POST', '/API/invoices', 'This endpoint does not exist. Did you mean POST /api/invoices?'],
    ['POST', '/api/event', 'This endpoint does not exist. Did you mean GET /api/events?'],
    [
      'POST',
      '/api/webhook/wh_1/rotate_secret',
      'This endpoint does not exist. Did you mean POST /api/webhooks/{id}/rotate-secret?',
    ],
    ['GET', '/api/unicorns', 'This endpoint does not exist.'],
    ['GET', '/api/<script>alert(1)</script>', 'This endpoint does not exist.'],
    ['GET', `/api/${'x'.repeat(5000)}`, 'This endpoint does not exist.'],
    ['GET', '//evil.example/invoices', 'This endpoint does not exist.'],
  ])('%s %s', async (method, path, hint) => {
    const response = await api.send(method, path);
    expectError(response, 404, 'route_not_found');
    expect(messageOf(response)).toBe(`${hint} See ${stack.baseUrl}/docs for all endpoints.`);
    expect(response.json.error.docUrl).toBe(`${stack.baseUrl}/docs/errors/route_not_found`);
  });
});

describe('API keys', () => {
  const call = (headers: Record<string, string>, path = '/api/invoices', body?: object) =>
    apiOf(stack.baseUrl, undefined).send(body ? 'POST' : 'GET', path, { headers, body });
  const secret = () => api.apiKey.slice('sk_test_'.length);

  test.each<[string, (key: string) => string, string]>([
    ['no scheme', (key) => key, 'The Authorization header lacks the scheme Bearer.'],
    ['Basic', (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`, 'uses the scheme Basic.'],
    ['another scheme', (key) => `Token ${key}`, 'The Authorization header has another form.'],
    ['a colon', (key) => `Bearer: ${key}`, 'needs a space between Bearer and the API key.'],
    ['the scheme twice', (key) => `Bearer Bearer ${key}`, 'has the scheme Bearer twice.'],
    ['quotes', (key) => `Bearer "${key}"`, 'The API key is in quotes. Remove them.'],
    ['quotes, no scheme', (key) => `'${key}'`, 'lacks the scheme Bearer.'],
    [
      'white space',
      (key) => `Bearer ${key.slice(0, 20)} ${key.slice(20)}`,
      'has white space in the API key.',
    ],
    ['a placeholder in brackets', () => 'Bearer <your key>', 'has white space in the API key.'],
    ['a placeholder', () => 'Bearer <API_KEY>', 'The API key is a placeholder. Replace it with your key.'],
    ['dots', () => 'Bearer sk_test_...', 'is a placeholder.'],
    ['a variable', () => 'Bearer $REMIT_API_KEY', 'is a placeholder.'],
    ['undefined', () => 'Bearer undefined', 'is not set in your program.'],
    ['a webhook secret', () => `Bearer whsec_${'A'.repeat(43)}=`, 'is the secret of a webhook endpoint.'],
    ['an invoice id', () => `Bearer inv_${'0'.repeat(26)}`, 'The API key is an ID.'],
    ['a part of a key', (key) => `Bearer ${key.slice(0, -1)}`, 'is incomplete or altered.'],
    ['a key of another service', () => 'Bearer rzp_test_123', 'Its keys begin with sk_test_ or sk_live_.'],
    ['a key that does not exist', (key) => `Bearer ${key.slice(0, -6)}000000`, 'The API key is invalid.'],
  ])('%s: 401 with the reason, without the value', async (_, authorization, reason) => {
    const response = await call({ Authorization: authorization(api.apiKey) });
    expectError(response, 401, 'invalid_api_key');
    expect(messageOf(response)).toContain(reason);
    expect(messageOf(response)).toContain('Authorization: Bearer <API_KEY>');
    expect(response.text).not.toContain(secret().slice(0, 8));
  });

  test.each<[string, (key: string) => Promise<HttpResponse>, string]>([
    ['nothing', () => call({}), 'The API key is missing.'],
    ['an empty bearer', () => call({ Authorization: 'Bearer ' }), 'There is no API key after Bearer.'],
    [
      'a key in the query',
      (key) => call({}, `/api/invoices?api_key=${key}`),
      'in the query, and logs can contain it.',
    ],
    ['a key in another header', (key) => call({ 'X-API-Key': key }), 'sent in the header x-api-key.'],
    [
      'a key in the body',
      (key) => call({}, '/api/invoices', { apiKey: key }),
      'The API key was sent in the body.',
    ],
  ])('%s: 401 missing_api_key', async (_, send, reason) => {
    const response = await send(api.apiKey);
    expectError(response, 401, 'missing_api_key');
    expect(messageOf(response)).toContain(reason);
    expect(response.text).not.toContain(secret().slice(0, 8));
  });

  test('an ID of the other mode: the mode of the key, and the same answer as for no resource', async () => {
    const { id } = (await live.post('/api/invoices', invoiceBody())).json;
    const other = await api.get(`/api/invoices/${id}`);
    const absent = await api.get(`/api/invoices/inv_${'0'.repeat(26)}`);
    expectError(other, 404, 'invoice_not_found');
    expect(other.json).toEqual(absent.json);
    expect(messageOf(other)).toBe(
      'The invoice does not exist. Check its ID and the mode of your API key. This API key works only in test mode.',
    );
    expect(messageOf(await live.get(`/api/invoices/inv_${'0'.repeat(26)}`))).toContain('only in live mode.');
  });
});
