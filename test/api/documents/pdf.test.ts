/** Tests GET /api/documents/:id/pdf: the file, its headers, its languages, and what a cancellation changes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
});
afterAll(() => stack.close());

/** Creates an invoice with two lines, and returns its document. */
async function createDocument(
  description = 'Kira',
): Promise<{ id: string; number: string; invoiceId: string }> {
  const lines = [
    { description, quantity: '2', unitAmount: 125_000, tax: 'bt_gst_5' },
    { description: 'Freight', quantity: '1', unitAmount: 5_000 },
  ];
  const {
    json: invoice,
    status,
    text,
  } = await api.post('/api/invoices', {
    customerId: 'cust_1',
    currency: 'BTN',
    description: 'Textiles',
    lines,
  });
  if (status !== 201) throw new Error(text);
  return waitUntil('the document', async () => {
    const { json } = await api.get(`/api/invoices/${invoice.id}/documents`);
    return json.data?.[0];
  });
}

async function textOf(bytes: Buffer): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  return text;
}

test('a document is a PDF that a browser saves under its number, the same bytes each time', async () => {
  const { id, number } = await createDocument();
  const response = await api.get(`/api/documents/${id}/pdf`);
  expect(response.status).toBe(200);
  expectHeaders(response, 'application/pdf');
  expect(response.headers['content-disposition']).toBe(`attachment; filename="${number}.pdf"`);
  expect(response.headers).not.toHaveProperty('remit-warning');
  const text = await textOf(response.bytes);
  for (const part of ['Druk Crafts', number, 'Kira', 'GST 5 %', 'Nu. 2,675.00', 'Test mode', 'Scan to pay'])
    expect(text).toContain(part);
  const again = await api.get(`/api/documents/${id}/pdf?paper=a4&locale=en`);
  expect(again.bytes.equals(response.bytes)).toBe(true);
});

test('paper and language are chosen in the query, and other values are refused', async () => {
  const { id } = await createDocument();
  const path = `/api/documents/${id}/pdf`;
  const { bytes } = await api.get(`${path}?paper=us-letter&locale=hi`);
  const page = await (await getDocumentProxy(new Uint8Array(bytes))).getPage(1);
  expect(page.view.slice(2).map(Math.round)).toEqual([612, 792]);
  expect(await textOf(bytes)).toContain('This is a copy for reading. The document in English counts.');
  expectError(await api.get(`${path}?paper=a3`), 400, 'invalid_paper', 'paper');
  expectError(await api.get(`${path}?locale=fr`), 400, 'invalid_locale', 'locale');
  expectError(await api.get(`${path}?locale=en&locale=hi`), 400, 'invalid_locale', 'locale');
});

test('a cancelled invoice says so in its document, which has the same number and asks for no payment', async () => {
  const { id, number, invoiceId } = await createDocument();
  await api.delete(`/api/invoices/${invoiceId}`);
  const text = await textOf((await api.get(`/api/documents/${id}/pdf`)).bytes);
  expect(text).toContain('Cancelled');
  expect(text).toContain(number);
  expect(text).not.toContain('Scan to pay');
});

test('a header names the characters that no font has', async () => {
  const { id } = await createDocument('Snow ☃');
  const response = await api.get(`/api/documents/${id}/pdf`);
  expect(response.headers['remit-warning']).toBe('missing_characters U+2603');
  expect(await textOf(response.bytes)).toContain('Snow [U+2603]');
});

test('a document of another account or mode does not exist', async () => {
  const { id } = await createDocument();
  const other = await newAccount(stack.baseUrl);
  for (const caller of [other.test, account.live])
    expectError(await caller.get(`/api/documents/${id}/pdf`), 404, 'document_not_found');
});
