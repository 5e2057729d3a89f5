/** Tests the endpoints of the account: what they show, change and refuse of the seller profile. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { sellerIn } from '../../../shared/store/account-state.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { png } from '../../support/pictures.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

const path = '/api/account';
const bhutan = { legalName: 'Druk Crafts Pvt Ltd', address: { country: 'BT' } };
const gstin = { type: 'in_gstin', value: '29AAGCB7383J1Z4' };
const india = { legalName: 'Tea House', address: { city: 'Bengaluru', country: 'IN' }, taxIds: [gstin] };

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = apiOf(stack.baseUrl, await newKey(account));
});
afterAll(() => stack.close());

const change = async (seller: unknown, of = api) => {
  const response = await of.patch(path, { seller });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.json;
};

const storedLogos = async () => {
  const { bucket } = await import('../../../shared/store/bucket.ts');
  return bucket.list(`logos/${account.accountId}/`);
};

test('an account has no seller profile until it is set, and then both modes show the same', async () => {
  const { json } = await api.get(path);
  expect(json).toEqual({
    id: account.accountId,
    name: 'Test',
    mode: 'test',
    plan: 'enterprise',
    seller: null,
    mail: {
      ...{
        invoice: false,
        receipt: false,
        refund: false,
        failure: false,
        reminders: [],
        reminderHour: 9,
        daysOff: [],
      },
      ...{ senderName: null, replyTo: null, locale: 'en' },
      notices: [
        'disputed',
        'claimed',
        'endpoint',
        'schedule',
        'key',
        'member',
        'payout',
        'sign_in',
        'invitation',
      ],
      noticesTo: null,
    },
  });
  const changed = await change({ ...bhutan, taxIds: [{ type: 'bt_tpn', value: 'tab 12345' }] });
  expect(changed).toEqual({
    ...json,
    seller: {
      legalName: 'Druk Crafts Pvt Ltd',
      address: { line1: null, line2: null, city: null, state: null, postalCode: null, country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
      timeZone: 'Asia/Thimphu',
      fiscalYearStart: 1,
      series: {
        invoice: { prefix: 'INV-', digits: 4, restart: 'never' },
        creditNote: { prefix: 'CN-', digits: 4, restart: 'never' },
        receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
      },
      paymentDays: null,
      acceptPartial: false,
      writeOffPercent: 0,
      defaultTax: null,
      taxes: [],
      terms: null,
      footer: null,
      signatory: null,
      color: null,
      logo: null,
    },
  });
  expect((await api.get(path)).json).toEqual(changed);
  expect((await account.live.get(path)).json).toEqual({ ...changed, mode: 'live' });
});

test('a change keeps other fields, and null removes an optional one', async () => {
  await change({ ...india, terms: 'Pay within 30 days.\nThanks.', color: '#1F5F8B' });
  const { seller } = await change({
    terms: null,
    series: { invoice: { prefix: 'TH/{year}/', restart: 'yearly' } },
  });
  expect(seller).toMatchObject({
    legalName: 'Tea House',
    address: { city: 'Bengaluru', state: 'Karnataka', country: 'IN' },
    fiscalYearStart: 4,
    timeZone: 'Asia/Kolkata',
    terms: null,
    color: '#1f5f8b',
    series: {
      invoice: { prefix: 'TH/{year}/', digits: 4, restart: 'yearly' },
      creditNote: { prefix: 'CN-', digits: 4, restart: 'never' },
      receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
    },
  });
});

test('an account that was received can be sent back, and read-only fields cannot change', async () => {
  const empty = await api.get(path);
  expect((await api.patch(path, empty.json)).json).toEqual(empty.json);
  const changed = await change(india);
  expect((await api.patch(path, changed)).json).toEqual(changed);
  expectError(await api.patch(path, { ...changed, plan: 'standard' }), 400, 'immutable_field', 'plan');
  expectError(await api.patch(path, { seller: null }), 400, 'invalid_seller', 'seller');
});

test('the first change needs a name and a country, and the answer names all that is missing', async () => {
  const response = await api.patch(path, { seller: { footer: 'Thanks' } });
  expectError(response, 400, 'invalid_seller', 'seller.legalName');
  expect(response.json.error.details.map(({ field }: { field: string }) => field)).toEqual([
    'seller.legalName',
    'seller.address',
  ]);
  expect((await api.get(path)).json.seller).toBeNull();
});

test.each<[string, object, string, string]>([
  [
    'a GSTIN with a wrong check digit',
    { taxIds: [{ ...gstin, value: '29AAGCB7383J1Z5' }] },
    'seller.taxIds.0.value',
    'last character',
  ],
  [
    'a GSTIN of another state',
    { address: { state: 'Goa', country: 'IN' } },
    'seller.taxIds.0.value',
    'code of Karnataka',
  ],
  ['a GSTIN outside India', { address: { country: 'BT' } }, 'seller.address.country', 'India'],
  [
    'an unknown state of India',
    { address: { state: 'Paro', country: 'IN' } },
    'seller.address.state',
    'state of India',
  ],
  [
    'an unknown kind of tax ID',
    { taxIds: [{ type: 'fr_tva', value: '1' }] },
    'seller.taxIds.0.type',
    'bt_tpn',
  ],
  [
    'a wrong VAT number',
    { taxIds: [{ type: 'eu_vat', value: 'DE136695977' }] },
    'seller.taxIds.0.value',
    'VAT number',
  ],
  ['a wrong EIN', { taxIds: [{ type: 'us_ein', value: '00-1234567' }] }, 'seller.taxIds.0.value', 'EIN'],
  [
    'numbers of more than 16 characters',
    { series: { invoice: { prefix: 'ABCDEFGHIJKLM-' } } },
    'seller.series.invoice.prefix',
    '16',
  ],
  [
    'a prefix that ends with a digit',
    { series: { invoice: { prefix: 'INV-1' } } },
    'seller.series.invoice.prefix',
    'end with a digit',
  ],
  [
    'a prefix with other characters',
    { series: { creditNote: { prefix: 'CN_' } } },
    'seller.series.creditNote.prefix',
    'A to Z',
  ],
  [
    'a yearly restart without the year',
    { series: { invoice: { restart: 'yearly' } } },
    'seller.series.invoice.restart',
    '{year}',
  ],
  [
    'the same prefix twice',
    { series: { creditNote: { prefix: 'INV-' } } },
    'seller.series.creditNote.prefix',
    'same numbers',
  ],
  [
    'a change of direction in the name',
    { legalName: 'Tea\u202eHouse' },
    'seller.legalName',
    'hidden characters',
  ],
  [
    'a change of direction in the address',
    { address: { city: 'Pa\u2067ro', country: 'IN' } },
    'seller.address.city',
    'hidden characters',
  ],
  ['a card number in the footer', { footer: '4242 4242 4242 4242' }, 'seller.footer', 'card number'],
  ['an address without country', { address: { city: 'Bengaluru' } }, 'seller.address.country', 'missing'],
  ['an offset as the time zone', { timeZone: '+05:30' }, 'seller.timeZone', 'IANA'],
  ['a month that does not exist', { fiscalYearStart: 0 }, 'seller.fiscalYearStart', '1 to 12'],
  ['a name of a color', { color: 'red' }, 'seller.color', 'hexadecimal'],
  ['too large a share to write off', { writeOffPercent: 101 }, 'seller.writeOffPercent', '0 to 100'],
  ['too many days', { paymentDays: 366 }, 'seller.paymentDays', '0 to 365'],
  ['an unknown tax', { defaultTax: 'bt_gst_7' }, 'seller.defaultTax', 'one of none'],
  ['a tax whose rate each line says', { defaultTax: 'us_sales' }, 'seller.defaultTax', 'one of none'],
  [
    'a default tax that the account lacks',
    { defaultTax: 'own_hotel' },
    'seller.defaultTax',
    'no tax own_hotel',
  ],
  [
    'a tax with a code of Remit',
    { taxes: [{ code: 'bt_gst_5', name: 'A', rates: [{ from: '2026-01-01', percent: '5' }] }] },
    'seller.taxes.0.code',
    'must be own_',
  ],
  [
    'a rate above 100 %',
    { taxes: [{ code: 'own_a', name: 'A', rates: [{ from: '2026-01-01', percent: '101' }] }] },
    'seller.taxes.0.rates.0.percent',
    '0 to 100',
  ],
  ['no name', { legalName: null }, 'seller.legalName', 'legalName'],
])('%s is refused, and nothing changes', async (_, seller, field, message) => {
  const before = await change(india);
  const response = await api.patch(path, { seller });
  expectError(response, 400, 'invalid_seller', field);
  expect(response.json.error.message).toContain(message);
  expect((await api.get(path)).json).toEqual(before);
});

test('taxes of the account are replaced as a whole, sorted by day, and recorded', async () => {
  const rates = [
    { from: '2027-01-01', percent: '4.5' },
    { from: '2026-01-01', percent: '3' },
  ];
  const tax = { code: 'own_hotel', name: 'Hotel levy', rates };
  const changed = await change({ ...bhutan, taxes: [tax], defaultTax: 'own_hotel' });
  expect(changed.seller).toMatchObject({
    taxes: [{ ...tax, rates: rates.toReversed() }],
    defaultTax: 'own_hotel',
  });
  expect((await api.patch(path, changed)).json).toEqual(changed);
  expect((await change({ footer: 'Thanks' })).seller.taxes).toEqual(changed.seller.taxes);
  const missing = await api.patch(path, { seller: { taxes: null } });
  expectError(missing, 400, 'invalid_seller', 'seller.defaultTax');
  expect(missing.json.error.message).toContain('has no tax own_hotel');
  expect((await change({ taxes: null, defaultTax: null })).seller.taxes).toEqual([]);
  const entry = await waitUntil('the entries', async () => {
    const { data } = (await account.test.get('/api/audit-log')).json;
    return data.length === 3 ? data[2] : undefined;
  });
  expect(entry.changes).toContainEqual({
    field: 'seller.taxes',
    before: null,
    after: 'own_hotel 3 2026-01-01 Hotel levy, own_hotel 4.5 2027-01-01 Hotel levy',
  });
});

test('a logo is stored under its hash, stays in other changes, and null removes it', async () => {
  const file = png();
  const sha256 = createHash('sha256').update(file).digest('hex');
  const logo = { sha256, type: 'image/png', width: 4, height: 2 };
  const changed = await change({ ...bhutan, logo: { data: file.toString('base64') } });
  expect(changed.seller.logo).toEqual(logo);
  expect(await storedLogos()).toEqual([`logos/${account.accountId}/${sha256}`]);
  expect((await change({ footer: 'Thanks' })).seller.logo).toEqual(logo);
  expect((await api.patch(path, (await api.get(path)).json)).json.seller.logo).toEqual(logo);
  expect((await change({ logo: null })).seller.logo).toBeNull();
  const stale = await api.patch(path, { seller: { logo } });
  expectError(stale, 400, 'invalid_seller', 'seller.logo');
  const changes = await waitUntil('the entries', async () => {
    const { data } = (await account.test.get('/api/audit-log')).json;
    const ofLogo = data.flatMap((entry: { changes: { field: string }[] | null }) =>
      (entry.changes ?? []).filter(({ field }) => field === 'seller.logo'),
    );
    return ofLogo.length === 2 ? ofLogo : undefined;
  });
  expect(changes).toEqual([
    { field: 'seller.logo', before: sha256, after: null },
    { field: 'seller.logo', before: null, after: sha256 },
  ]);
});

test('a logo that is lost is there again after the same file is sent again', async () => {
  const logo = { data: png().toString('base64') };
  await change({ ...bhutan, logo });
  const [key = ''] = await storedLogos();
  const { bucket } = await import('../../../shared/store/bucket.ts');
  await bucket.delete(key);
  await change({ logo });
  expect(await storedLogos()).toEqual([key]);
});

test.each<[string, unknown, string, string]>([
  ['SVG', { data: Buffer.from('<svg/>').toString('base64') }, 'seller.logo', 'PNG or a JPEG'],
  ['text that is not base64', { data: 'no base64' }, 'seller.logo.data', 'base64'],
  ['too many pixels', { data: png({ width: 2_001 }).toString('base64') }, 'seller.logo', '2001 × 2 pixels'],
  ['more than 200 KB', { data: Buffer.alloc(204_801).toString('base64') }, 'seller.logo', '204801 bytes'],
  ['more than 200 KB in base64', { data: 'A'.repeat(280_000) }, 'seller.logo.data', 'larger than 200 KB'],
  ['an address of a file', 'https://example.com/logo.png', 'seller.logo', 'base64'],
])('a logo is refused, and nothing is stored: %s', async (_, logo, field, message) => {
  const response = await api.patch(path, { seller: { ...bhutan, logo } });
  expectError(response, 400, 'invalid_seller', field);
  expect(response.json.error.message).toContain(message);
  expect(await storedLogos()).toEqual([]);
});

test('a change that is refused stores no logo', async () => {
  await change({ ...bhutan, series: { invoice: { next: 42 } } });
  const logo = { data: png().toString('base64') };
  const response = await api.patch(path, { seller: { logo, series: { invoice: { next: 41 } } } });
  expectError(response, 400, 'invalid_seller', 'seller.series.invoice.next');
  expect(await storedLogos()).toEqual([]);
});

test('a body of 320 KiB is accepted, and a larger one is refused', async () => {
  const body = (bytes: number) => JSON.stringify({ seller: bhutan }).padEnd(bytes, ' ');
  expect((await api.send('PATCH', path, { body: body(327_680) })).status).toBe(200);
  const response = await api.send('PATCH', path, { body: body(327_681) });
  expectError(response, 400, 'body_too_large', 'body');
  expect(response.json.error.message).toContain('327680');
});

test('a default tax of India needs a seller there, and defaults can be removed', async () => {
  const refused = await api.patch(path, { seller: { ...bhutan, defaultTax: 'in_gst_18' } });
  expectError(refused, 400, 'invalid_seller', 'seller.defaultTax');
  const { seller } = await change({ ...bhutan, defaultTax: 'bt_gst_5', paymentDays: 0 });
  expect(seller).toMatchObject({ defaultTax: 'bt_gst_5', paymentDays: 0 });
  const removed = await change({ defaultTax: null, paymentDays: null });
  expect(removed.seller).toMatchObject({ defaultTax: null, paymentDays: null });
});

test('a series goes on where another system stopped, once, in the mode of the key', async () => {
  const next = (invoice: object) => api.patch(path, { seller: { ...bhutan, series: { invoice } } });
  expect((await next({ prefix: 'D/{year}/', next: 42 })).status).toBe(200);
  expect((await next({ next: 42 })).status).toBe(200);
  const other = await next({ next: 43 });
  expectError(other, 400, 'invalid_seller', 'seller.series.invoice.next');
  expect(other.json.error.message).toMatch(/begin with D\/20\d\d\/ have reached 41 in test mode/);
  expectError(await next({ next: 1 }), 400, 'invalid_seller', 'seller.series.invoice.next');
  expectError(await next({ next: 0 }), 400, 'invalid_seller', 'seller.series.invoice.next');
  const year = new Date(Date.now() + 6 * 3_600_000).getUTCFullYear();
  const counter = (mode: 'test' | 'live') =>
    tableOf(stack).get(tableKeys.series({ account: account.accountId, mode }, 'invoice', `D/${year}/`));
  expect(await counter('test')).toMatchObject({ last: 41 });
  expect(await counter('live')).toBeUndefined();
  expect((await next({ prefix: 'E-', next: 1 })).status).toBe(200);
  expect((await api.get(path)).json.seller.series.invoice).toEqual({
    prefix: 'E-',
    digits: 4,
    restart: 'never',
  });
});

test('a next number counts for the length of the numbers', async () => {
  const series = { invoice: { prefix: 'ABCDEFGHIJ-', next: 100_000 } };
  const response = await api.patch(path, { seller: { ...india, series } });
  expectError(response, 400, 'invalid_seller', 'seller.series.invoice.prefix');
  expect(response.json.error.message).toContain('would have 17 characters');
});

test('an unknown field of the profile is named', async () => {
  expectError(
    await api.patch(path, { seller: { ...bhutan, legalname: 'x' } }),
    400,
    'unknown_parameter',
    'seller.legalname',
  );
});

test('the same request under an idempotency key has one effect and one answer', async () => {
  const headers = { 'Idempotency-Key': 'seller' };
  const first = await api.patch(path, { seller: bhutan }, { headers });
  await change({ legalName: 'Other' });
  const again = await api.patch(path, { seller: bhutan }, { headers });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect((await api.get(path)).json.seller.legalName).toBe('Other');
});

test('a key needs the permission to read or to change', async () => {
  const reader = apiOf(stack.baseUrl, await newKey(account, { permissions: ['account:read'] }));
  expect((await reader.get(path)).status).toBe(200);
  expectError(await reader.patch(path, { seller: bhutan }), 403, 'insufficient_permissions');
  expectError(await account.live.patch(path, { seller: bhutan }), 403, 'insufficient_permissions');
  const other = apiOf(stack.baseUrl, await newKey(account, { permissions: ['invoices:read'] }));
  expectError(await other.get(path), 403, 'insufficient_permissions');
});

test('a change has an entry in the audit log of both modes, and requests know the seller', async () => {
  await change(india);
  for (const mode of ['test', 'live'] as const) {
    const entry = await waitUntil(
      'the entry',
      async () => (await account[mode].get('/api/audit-log')).json.data[0],
    );
    expect(entry).toMatchObject({ action: 'account.update', resource: account.accountId });
    expect(entry.changes).toContainEqual({ field: 'seller.legalName', before: null, after: 'Tea House' });
    const state = await tableOf(stack).get(tableKeys.accountState({ account: account.accountId, mode }));
    expect(sellerIn(state ?? {})).toEqual({ country: 'IN', state: '29', timeZone: 'Asia/Kolkata' });
  }
});
