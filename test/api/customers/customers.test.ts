/** Tests the endpoints of customers: what they store, show, list, change and delete, and what they refuse. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { findTexts } from '../../support/find-texts.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const full = {
  name: 'Dorji Wangmo',
  email: 'Dorji+shop@Example.bt',
  phone: '+975 17 123-456',
  address: { line1: 'Norzin Lam 12', city: 'Thimphu', postalCode: '11001', country: 'BT' },
  taxIds: [
    { type: 'bt_tpn', value: 'TAB12345' },
    { type: 'eu_vat', value: 'DE123456789' },
  ],
  reference: 'C-1047',
  remindersPaused: true,
  metadata: { segment: 'retail' },
};
const create = async (fields: object = {}, of = api) => {
  const response = await of.post('/api/customers', { ...full, ...fields });
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.json;
};
const pathOf = ({ id }: { id: string }) => `/api/customers/${id}`;
const idsIn = async (query = '') =>
  (await api.get(`/api/customers${query}`)).json.data.map(({ id }: { id: string }) => id);

test('a new customer has all fields, and GET shows the same', async () => {
  const created = await create();
  const now = new Date(clock.now()).toISOString();
  expect(created).toEqual({
    id: expect.stringMatching(/^cust_[0-9a-z]{26}$/),
    ...full,
    address: { line2: null, state: null, ...full.address },
    createdAt: now,
    updatedAt: now,
  });
  const response = await api.get(pathOf(created));
  expectHeaders(response);
  // The table does not keep the order of the parts of an address.
  expect(response.text).toBe(JSON.stringify(created));
});

test('a name or an e-mail address is enough, and null counts as absent', async () => {
  const nothing = {
    phone: null,
    address: null,
    taxIds: [],
    reference: null,
    remindersPaused: false,
    metadata: {},
  };
  for (const body of [{ name: 'Pema' }, { email: 'pema@example.bt' }]) {
    const { status, json } = await api.post('/api/customers', { ...body, phone: null, taxIds: null });
    expect(status).toBe(201);
    expect(json).toMatchObject({ name: null, email: null, ...nothing, ...body });
  }
  for (const body of [{}, { phone: '123' }, { name: null, email: null }]) {
    const response = await api.post('/api/customers', body);
    expectError(response, 400, 'invalid_name', 'name');
    expect(response.json.error.message).toBe(
      'A customer needs a name or an email address. Send name or email.',
    );
  }
});

const long = (length: number) => 'x'.repeat(length);
/** The field, the code of its error, and the JSON of values that it refuses. */
const refused: [field: string, code: string, values: string[]][] = [
  ['name', 'invalid_name', ['7', '""', '" "', '"\\u0000"', '"\\ud800"', '[]', '{}', `"${long(201)}"`]],
  ['name', 'invalid_name', ['"4242 4242 4242 4242"']],
  ['email', 'invalid_email', ['7', '""', '"dorji"', '"a@b"', '"a@@b.c"', '"a\\u0000@b.cc"', '"a@1.2.3.4"']],
  ['email', 'invalid_email', ['"\\ud800@example.bt"', `"${long(250)}@example.bt"`, '["a@example.bt"]']],
  ['phone', 'invalid_phone', ['17', '""', '"12"', '"abc"', '"+"', '"12\\u0000345"', '"1234567890123456"']],
  ['phone', 'invalid_phone', ['"17 12 ext. 3"', `"1 2 3${' '.repeat(30)}"`, '"\\ud800123"']],
  ['reference', 'invalid_reference', ['7', '""', '"\\u0000"', '"\\udc00"', `"${long(129)}"`]],
  ['metadata', 'invalid_metadata', ['7', '[]', '{"a":1}', '{"a":null}', '{"":"x"}', '{"a":"\\u0000"}']],
  ['metadata', 'invalid_metadata', [`{"${long(41)}":"x"}`, `{"a":"${long(501)}"}`, '{"a":"\\ud800"}']],
  [
    'metadata',
    'invalid_metadata',
    [JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, ''])))],
  ],
  ['remindersPaused', 'invalid_reminders_paused', ['7', '"true"', '{}']],
  ['address', 'invalid_address', ['7', '[]', '"Thimphu"', '{}', '{"city":null}']],
  [
    'address.city',
    'invalid_address',
    ['{"city":7}', '{"city":""}', '{"city":"\\u0000"}', '{"city":"\\ud800"}'],
  ],
  ['address.line1', 'invalid_address', [`{"line1":"${long(201)}"}`]],
  [
    'address.country',
    'invalid_address',
    ['{"country":"bt"}', '{"country":"XX"}', '{"country":"BTN"}', '{"country":" "}'],
  ],
  [
    'taxIds',
    'invalid_tax_ids',
    ['7', '{}', '"x"', `[${Array.from({ length: 11 }, (_, i) => `{"type":"in_gst","value":"${i}"}`)}]`],
  ],
  ['taxIds', 'invalid_tax_ids', ['[{"type":"in_gst","value":"1"},{"type":"in_gst","value":"1"}]']],
  ['taxIds.0', 'invalid_tax_ids', ['[7]', '["x"]', '[null]']],
  [
    'taxIds.0.type',
    'invalid_tax_ids',
    ['[{"value":"1"}]', '[{"type":"gst","value":"1"}]', '[{"type":"xx_vat","value":"1"}]'],
  ],
  [
    'taxIds.0.value',
    'invalid_tax_ids',
    ['[{"type":"in_gst"}]', '[{"type":"in_gst","value":""}]', '[{"type":"in_gst","value":"\\u0000"}]'],
  ],
];

test.each(refused)('%s: %s', async (field, code, values) => {
  const { id } = await create();
  const name = field.split('.')[0] ?? '';
  for (const json of values) {
    const created = await api.post(
      '/api/customers',
      `{"name":"Dorji","${name}":${json}}`.replace('"name":"Dorji","name"', '"name"'),
    );
    expect({ json, status: created.status, text: created.text }).toMatchObject({ status: 400 });
    expectError(created, 400, code, field);
    // Null removes a key of metadata in an update.
    if (json !== '{"a":null}')
      expectError(await api.patch(pathOf({ id }), `{"${name}":${json}}`), 400, code, field);
  }
});

test('unknown fields, also in an address and a tax ID, and __proto__ are refused', async () => {
  const send = (body: unknown) => api.post('/api/customers', body);
  expectError(await send({ name: 'x', nmae: 'y' }), 400, 'unknown_parameter', 'nmae');
  expectError(
    await send({ name: 'x', address: { city: 'y', zip: '1' } }),
    400,
    'unknown_parameter',
    'address.zip',
  );
  const taxIds = [{ type: 'in_gst', value: '1', valid: true }];
  expectError(await send({ name: 'x', taxIds }), 400, 'unknown_parameter', 'taxIds.0.valid');
  for (const body of [
    '{"name":"x","__proto__":{"email":"a@b.cc"}}',
    '{"name":"x","address":{"__proto__":{"city":"x"}}}',
    '{"name":"x","metadata":{"__proto__":"x"}}',
  ])
    expect((await send(body)).status).toBe(400);
  expect(await idsIn()).toEqual([]);
});

test('an update changes what it names, null removes, and metadata is merged', async () => {
  const created = await create();
  clock.advance(1_000);
  const body = {
    name: null,
    phone: '17123456',
    address: { city: 'Paro' },
    taxIds: null,
    metadata: { a: 'b' },
  };
  const { json: updated } = await api.patch(pathOf(created), body);
  expect(updated).toEqual({
    ...created,
    ...body,
    address: { line1: null, line2: null, city: 'Paro', state: null, postalCode: null, country: null },
    taxIds: [],
    metadata: { a: 'b', segment: 'retail' },
    updatedAt: new Date(clock.now()).toISOString(),
  });
  expect((await api.get(pathOf(created))).json).toEqual(updated);
  clock.advance(1_000);
  expect((await api.patch(pathOf(created), body)).json).toEqual(updated);
  expect((await api.patch(pathOf(created), {})).json).toEqual(updated);
  const cleared = await api.patch(pathOf(created), {
    metadata: { segment: null },
    address: null,
    reference: null,
    remindersPaused: null,
  });
  expect(cleared.json).toMatchObject({ metadata: { a: 'b' }, address: null, reference: null });
  expect(cleared.json.remindersPaused).toBe(false);
  expectError(await api.patch(pathOf(created), { email: null }), 400, 'invalid_name', 'name');
});

test('a customer can be sent back as it was received, and read-only fields only with their current value', async () => {
  for (const created of [
    await create(),
    await create({ address: null, taxIds: null, metadata: null, phone: null }),
  ]) {
    const same = await api.patch(pathOf(created), created);
    expect([same.status, same.json]).toEqual([200, created]);
    clock.advance(1_000);
    const { json } = await api.patch(pathOf(created), { ...created, name: 'Pema' });
    expect(json).toEqual({ ...created, name: 'Pema', updatedAt: new Date(clock.now()).toISOString() });
    for (const field of ['id', 'createdAt', 'updatedAt'])
      for (const value of [`${created[field]}x`, '', null, 7, [created[field]], {}]) {
        const refused = await api.patch(pathOf(created), { [field]: value, name: 'Karma' });
        expectError(refused, 400, 'immutable_field', field);
      }
    expect((await api.get(pathOf(created))).json).toEqual(json);
  }
});

test('lists are newest first, with exact totals at any offset and without deleted customers', async () => {
  const created = [];
  for (let count = 0; count < 5; count++) created.unshift(await create({ name: `Customer ${count}` }));
  expectHeaders(await api.get('/api/customers'));
  expect((await api.get('/api/customers')).json).toEqual({
    data: created,
    pagination: { total: 5, limit: 20, offset: 0, hasMore: false },
  });
  expect((await api.get('/api/customers?limit=2&offset=1')).json).toEqual({
    data: created.slice(1, 3),
    pagination: { total: 5, limit: 2, offset: 1, hasMore: true },
  });
  const [, second] = created;
  expect((await api.delete(pathOf(second))).status).toBe(200);
  expect((await api.get('/api/customers?limit=2&offset=1')).json).toEqual({
    data: created.slice(2, 4),
    pagination: { total: 4, limit: 2, offset: 1, hasMore: true },
  });
  expectError(await api.get('/api/customers?limit=0'), 400, 'invalid_limit', 'limit');
  expectError(await api.get('/api/customers?email='), 400, 'invalid_email', 'email');
  expectError(await api.get('/api/customers?phone=1'), 400, 'unknown_parameter', 'phone');
});

test('the filter by e-mail address ignores case, and follows changes and deletions', async () => {
  const [first, second, third] = [
    await create(),
    await create(),
    await create({ email: 'other@example.bt' }),
  ];
  const filter = `?email=${encodeURIComponent('dorji+SHOP@example.BT')}`;
  expect(await idsIn(filter)).toEqual([second.id, first.id]);
  expect(await idsIn('?email=dorji+shop@example.bt')).toEqual([second.id, first.id]);
  await api.patch(pathOf(first), { email: 'new@example.bt' });
  await api.patch(pathOf(third), { email: full.email });
  expect((await api.get(`/api/customers${filter}&limit=1`)).json).toMatchObject({
    data: [{ id: third.id }],
    pagination: { total: 2, limit: 1, offset: 0, hasMore: true },
  });
  expect(await idsIn('?email=new@example.bt')).toEqual([first.id]);
  await api.delete(pathOf(third));
  expect(await idsIn(filter)).toEqual([second.id]);
  expect(await idsIn('?email=nobody@example.bt')).toEqual([]);
  expect(await idsIn('?email=nonsense')).toEqual([]);
});

// Costs some 25 requests.
test('the filters by reference, name and time of creation combine, and follow changes and deletions', async () => {
  const of = (fields: object) => create({ email: null, reference: null, ...fields });
  const first = await of({ name: 'Dorji Wangmo', reference: 'C 1' });
  clock.advance(3_600_000);
  const second = await of({ name: 'Wangmo Dorji Tshering', reference: 'C-1', email: 'w@example.bt' });
  clock.advance(3_600_000);
  const third = await of({ name: 'Café Wangchuk', reference: 'C-1' });
  // The buyer of an invoice is no customer.
  await api.post('/api/invoices', invoiceBody({ reference: 'C-1' }));
  expect(await idsIn('?name=wangmo')).toEqual([second.id, first.id]);
  expect(await idsIn('?name=dor%20WANG')).toEqual([second.id, first.id]);
  expect(await idsIn('?name=wang')).toEqual([third.id, second.id, first.id]);
  expect(await idsIn('?name=CAFE')).toEqual([third.id]);
  expect(await idsIn('?name=angmo')).toEqual([]);
  expect(await idsIn('?reference=C-1')).toEqual([third.id, second.id]);
  expect(await idsIn('?reference=C%201')).toEqual([first.id]);
  expect(await idsIn('?reference=C-1&name=dorji')).toEqual([second.id]);
  expect(await idsIn('?name=wangmo&email=W@example.bt')).toEqual([second.id]);
  const middle = `createdFrom=${second.createdAt}&createdTo=${second.createdAt}`;
  expect(await idsIn(`?${middle}`)).toEqual([second.id]);
  expect(await idsIn(`?name=wang&${middle}`)).toEqual([second.id]);
  expect(await idsIn(`?createdFrom=${second.createdAt}`)).toEqual([third.id, second.id]);
  expect((await api.get('/api/customers?name=wang&limit=1&offset=1')).json).toMatchObject({
    data: [{ id: second.id }],
    pagination: { total: 3, limit: 1, offset: 1, hasMore: true },
  });
  await api.patch(pathOf(first), { name: 'Pema Wangmo', reference: null });
  await api.delete(pathOf(second));
  expect(await idsIn('?name=dorji')).toEqual([]);
  expect(await idsIn('?name=pema')).toEqual([first.id]);
  expect(await idsIn('?reference=C-1')).toEqual([third.id]);
  expect(await idsIn(`?createdTo=${second.createdAt}`)).toEqual([first.id]);
  for (const name of ['', 'x', '%', 'a b', 'x'.repeat(201)])
    expectError(
      await api.get(`/api/customers?name=${encodeURIComponent(name)}`),
      400,
      'invalid_name',
      'name',
    );
  expectError(await api.get('/api/customers?reference='), 400, 'invalid_reference', 'reference');
  const swapped = '?createdFrom=2026-02-02&createdTo=2026-01-01';
  expectError(await api.get(`/api/customers${swapped}`), 400, 'invalid_created_to', 'createdTo');
});

test('a deletion leaves no personal data, and the invoices', async () => {
  const customer = await create();
  const { json: invoice } = await api.post('/api/invoices', invoiceBody({ customerId: customer.id }));
  // Only a newer version knows this attribute.
  await table.put({
    ...tableKeys.record(customer.id),
    ...(await table.get(tableKeys.record(customer.id))),
    nickname: 'Dorji',
  });
  clock.advance(1_000);
  const deleted = await api.delete(pathOf(customer));
  expectHeaders(deleted);
  expect(deleted.json).toEqual({ id: customer.id, deletedAt: new Date(clock.now()).toISOString() });
  for (const response of [
    await api.get(pathOf(customer)),
    await api.patch(pathOf(customer), { name: 'x' }),
    await api.delete(pathOf(customer)),
  ])
    expectError(response, 404, 'customer_not_found');
  expect((await api.get(`/api/invoices?customerId=${customer.id}`)).json.data).toEqual([invoice]);
  const record = await table.get(tableKeys.record(customer.id));
  expect(
    findTexts(record ? [record] : [], [
      'Dorji',
      'orji+shop',
      '17 123',
      'Norzin',
      'TAB12345',
      'C-1047',
      'retail',
    ]),
  ).toEqual([]);
  expect((await create()).id).not.toBe(customer.id);
});

test('an idempotency key takes effect once, also for a deletion', async () => {
  const first = await api.post('/api/customers', full, underKey('create'));
  const again = await api.post('/api/customers', full, underKey('create'));
  expect([again.status, again.text]).toEqual([201, first.text]);
  expectError(
    await api.post('/api/customers', { name: 'x' }, underKey('create')),
    400,
    'idempotency_key_reused',
  );
  expect(await idsIn()).toEqual([first.json.id]);
  const path = pathOf(first.json);
  const update = () => api.patch(path, { email: 'new@example.bt' }, underKey('update'));
  expect((await update()).text).toBe((await update()).text);
  const remove = () => api.delete(path, underKey('delete'));
  expect([(await remove()).text, (await remove()).status]).toEqual([(await remove()).text, 200]);
});

test('customers of other accounts and modes are not found, and in no list', async () => {
  const { id } = await create();
  const strangers = [account.live, (await newAccount(stack.baseUrl)).test];
  for (const stranger of strangers) {
    expectError(await stranger.get(pathOf({ id })), 404, 'customer_not_found');
    expectError(await stranger.patch(pathOf({ id }), { name: 'x' }), 404, 'customer_not_found');
    expectError(await stranger.delete(pathOf({ id })), 404, 'customer_not_found');
    expect((await stranger.get('/api/customers')).json.pagination.total).toBe(0);
  }
  expect((await create({}, account.live)).id).not.toBe(id);
});

test('a key needs the permission', async () => {
  const reader = apiOf(stack.baseUrl, await newKey(account, { permissions: ['customers:read'] }));
  const { id } = await create();
  expect((await reader.get(pathOf({ id }))).status).toBe(200);
  expect((await reader.get('/api/customers')).status).toBe(200);
  expectError(await reader.post('/api/customers', full), 403, 'insufficient_permissions');
  expectError(await reader.patch(pathOf({ id }), { name: 'x' }), 403, 'insufficient_permissions');
  expectError(await reader.delete(pathOf({ id })), 403, 'insufficient_permissions');
});

test('updates and a deletion at the same time lose no change', async () => {
  const { id } = await create();
  const updates = ['a', 'b', 'c', 'd', 'e'].map((key) =>
    api.patch(pathOf({ id }), { metadata: { [key]: key } }),
  );
  for (const { status } of await Promise.all(updates)) expect(status).toBe(200);
  const all = { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e', segment: 'retail' };
  expect((await api.get(pathOf({ id }))).json.metadata).toEqual(all);
  const answers = await Promise.all([
    api.delete(pathOf({ id })),
    api.delete(pathOf({ id })),
    api.patch(pathOf({ id }), { email: 'late@example.bt' }),
  ]);
  expect(
    answers
      .slice(0, 2)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual([200, 404]);
  expectError(await api.get(pathOf({ id })), 404, 'customer_not_found');
  expect((await api.get('/api/customers')).json.pagination.total).toBe(0);
  expect(await idsIn('?email=late@example.bt')).toEqual([]);
});
