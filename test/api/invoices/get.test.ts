/** Tests GET /api/invoices/:id: the current invoice in every state, and 404 for the invoices of other accounts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../../support/api.ts';
import { expectError, expectHeaders, textForBothModes } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

async function newInvoice() {
  const account = await newAccount(stack.baseUrl);
  const { json } = await account.test.post('/api/invoices', invoiceBody());
  return { ...account, api: account.test, invoice: json, path: `/api/invoices/${json.id}` };
}

test('always returns the same bytes as the creation', async () => {
  const { api, invoice, path } = await newInvoice();
  for (const response of [await api.get(path), await api.get(path)]) {
    expect(response.status).toBe(200);
    expectHeaders(response);
    expect(response.text).toBe(JSON.stringify(invoice));
  }
});

test('shows an update immediately', async () => {
  const { api, path } = await newInvoice();
  const { json } = await api.patch(path, { amount: 7, description: 'Other' });
  expect((await api.get(path)).json).toEqual(json);
});

test('a cancelled invoice can still be retrieved, with its other fields unchanged', async () => {
  const { api, invoice, path } = await newInvoice();
  const { json } = await api.delete(path);
  expect((await api.get(path)).json).toEqual({ ...invoice, status: 'cancelled', updatedAt: json.deletedAt });
});

test.each(['?', '?limit=0', '?status=nonsense&status=', '?__proto__=1&constructor=2', '/', '/?a=%20'])(
  '%j after the id has no effect',
  async (suffix) => {
    const { api, invoice, path } = await newInvoice();
    const response = await api.get(`${path}${suffix}`);
    expect([response.status, response.json]).toEqual([200, invoice]);
  },
);

test.each([
  ['of no invoice', () => `inv_${'0'.repeat(26)}`],
  ['in uppercase', (id: string) => id.toUpperCase()],
  ['in uppercase after the prefix', (id: string) => `inv_${id.slice(4).toUpperCase()}`],
  ['without its prefix', (id: string) => id.slice(4)],
  ['with another prefix', (id: string) => `pay_${id.slice(4)}`],
  ['without its last character', (id: string) => id.slice(0, -1)],
  ['with an extra character', (id: string) => `${id}0`],
  ['with a space at the end', (id: string) => `${id}%20`],
  ['with NUL at the end', (id: string) => `${id}%00`],
  ['with a line break at the end', (id: string) => `${id}%0a`],
  ['with an escaped slash at the end', (id: string) => `${id}%2f`],
  ['*', () => '*'],
  ['__proto__', () => '__proto__'],
  ['constructor', () => 'constructor'],
  ['dots', () => '..'],
  ['an emoji', () => '%F0%9F%98%80'],
  ['2048 characters long', () => `inv_${'a'.repeat(2044)}`],
  ['8000 characters long', () => 'a'.repeat(8000)],
])('404 invoice_not_found for an id %s', async (_, wrongIdOf) => {
  const { api, invoice } = await newInvoice();
  expectError(await api.get(`/api/invoices/${wrongIdOf(invoice.id)}`), 404, 'invoice_not_found');
});

test('an id with unnecessary escapes is the same id', async () => {
  const { api, invoice } = await newInvoice();
  const response = await api.get(`/api/invoices/%69nv%5F${invoice.id.slice(4)}`);
  expect([response.status, response.json]).toEqual([200, invoice]);
});

test('404 for an invoice of the other mode or of another account', async () => {
  const [mine, other] = await Promise.all([newInvoice(), newInvoice()]);
  const unknown = await mine.api.get(`/api/invoices/inv_${'0'.repeat(26)}`);
  for (const stranger of [mine.live, other.test, other.live]) {
    const response = await stranger.get(mine.path);
    expectError(response, 404, 'invoice_not_found');
    expect(textForBothModes(response)).toBe(textForBothModes(unknown));
  }
});
