/** Tests the PDFs of documents, for clients of the API and for payers: the file, its headers, its languages, and a cancellation. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { extractImages, extractText, getDocumentProxy } from 'unpdf';
import { Remit } from '../../../client/src/remit.ts';
import type { Stack } from '../../../infra/local/stack.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { freshAddress, request } from '../../support/http.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { openPage, payOnPage } from '../../support/pay-page.ts';
import { growingPng, png } from '../../support/pictures.ts';
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

test('a document has the payment instructions of its currency', async () => {
  const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
  const change = { paymentInstructions: 'General', paymentInstructionsBtn: 'Account: 100 200 300' };
  await updateSettings(account.accountId, change);
  const { json } = await api.get(`/api/documents/${(await createDocument()).id}`);
  expect(json.content.seller.paymentInstructions).toBe('Account: 100 200 300');
});

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

describe('a logo', () => {
  const setLogo = async (file: Buffer | undefined) => {
    const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(account.accountId, { logo: file ? { data: file.toString('base64') } : null });
  };
  afterEach(() => setLogo(undefined));

  const imagesOf = async ({ bytes }: { readonly bytes: Buffer }) =>
    (await extractImages(await getDocumentProxy(new Uint8Array(bytes)), 1)).map(({ width, height }) => ({
      width,
      height,
    }));

  test('is on the documents that are issued from then on, and each keeps its own', async () => {
    const before = await createDocument();
    await setLogo(png({ width: 40, height: 20 }));
    const { id } = await createDocument();
    await setLogo(undefined);
    const response = await api.get(`/api/documents/${id}/pdf`);
    expect(response.headers).not.toHaveProperty('remit-warning');
    expect(await imagesOf(response)).toEqual([{ width: 40, height: 20 }]);
    expect(await imagesOf(await api.get(`/api/documents/${before.id}/pdf`))).toEqual([]);
  });

  test('that is lost is missing in the document, and a header says so', async () => {
    const file = png({ width: 30, height: 20 });
    await setLogo(file);
    const { id } = await createDocument();
    const { bucket, bucketKeys } = await import('../../../shared/store/bucket.ts');
    await bucket.delete(bucketKeys.logo(account.accountId, createHash('sha256').update(file).digest('hex')));
    const response = await api.get(`/api/documents/${id}/pdf`);
    expect([response.status, response.headers['remit-warning']]).toEqual([200, 'missing_logo']);
    expect(await imagesOf(response)).toEqual([]);
  });

  test('is on the page of the payer, under its hash', async () => {
    const file = png({ width: 20, height: 20 });
    await setLogo(file);
    const { invoiceId } = await createDocument();
    await setLogo(undefined);
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    const page = await openPage(paymentUrl);
    expect(page.headers['content-security-policy']).toContain("img-src 'self' data:");
    const [, source = ''] = /<img class="logo" src="([^"]+)"/.exec(page.text) ?? [];
    const load = (address: string) => {
      const { origin, pathname, search } = new URL(address, paymentUrl);
      return request({ baseUrl: origin, path: `${pathname}${search}`, localAddress: freshAddress() });
    };
    const image = await load(source);
    expect(image.status).toBe(200);
    expect(image.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(image.bytes.equals(file)).toBe(true);
    for (const address of [
      source.replace(/sha256=./, 'sha256=x'),
      source.replace(/\?.*/, ''),
      source.replace(invoiceId, `inv_${'0'.repeat(26)}`),
    ])
      expect(await load(address)).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    const other = await createDocument();
    expect((await load(source.replace(invoiceId, other.invoiceId))).status).toBe(404);
    const plain = await openPage((await api.get(`/api/invoices/${other.invoiceId}`)).json.paymentUrl);
    expect(plain.text).not.toContain('<img class="logo"');
    expect(plain.headers['content-security-policy']).toContain('img-src data:');
  });

  test('that makes a PDF of more than 4 MB: the answer leads to it, for the client too', async () => {
    await setLogo(growingPng());
    const { id, number, invoiceId } = await createDocument();
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    const answer = await api.get(`/api/documents/${id}/pdf`);
    expect([answer.status, answer.text]).toEqual([303, '']);
    const link = String(answer.headers.location);
    const file = await fetch(link);
    expect(file.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(4 * 1024 * 1024);
    expect(await textOf(bytes)).toContain(number);
    const remit = new Remit({ apiKey: await newKey(account), baseUrl: stack.baseUrl });
    expect(Buffer.from(await remit.documents.pdf(id)).equals(bytes)).toBe(true);
    const { origin, pathname } = new URL(`${paymentUrl}/pdf`);
    const forPayer = await request({ baseUrl: origin, path: pathname, localAddress: freshAddress() });
    expect(forPayer.status).toBe(303);
    expect(new URL(String(forPayer.headers.location)).pathname).toBe(new URL(link).pathname);
  });
});

describe('the payer', () => {
  const linksIn = ({ text }: { readonly text: string }) =>
    [...text.matchAll(/href="([^"]*\/pdf[^"]*)"/g)].map(([, link]) => String(link));
  /** Opens a link of the page as a browser does. */
  const follow = (paymentUrl: string, link: string) => {
    const { origin, pathname, search } = new URL(link, paymentUrl);
    return request({ baseUrl: origin, path: `${pathname}${search}`, localAddress: freshAddress() });
  };

  test('downloads the invoice, and its credit notes', async () => {
    const { number, invoiceId } = await createDocument();
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    const [link = '', ...others] = linksIn(await openPage(paymentUrl));
    expect(others).toEqual([]);
    const invoice = await follow(paymentUrl, link);
    expect(invoice.status).toBe(200);
    expect(invoice.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${number}.pdf"`,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    });
    expect(await textOf(invoice.bytes)).toContain(number);

    await payOnPage(paymentUrl);
    const payments = (await api.get(`/api/payments?invoiceId=${invoiceId}`)).json.data;
    expect((await api.post('/api/refunds', { paymentId: payments[0].id, amount: 100 })).status).toBe(201);
    const receipt = await waitUntil('the credit note on the receipt', async () => {
      const page = await openPage(paymentUrl);
      return linksIn(page).length === 2 ? page : undefined;
    });
    const creditNote = await follow(paymentUrl, linksIn(receipt)[1] ?? '');
    expect(await textOf(creditNote.bytes)).toContain(`Corrects invoice ${number}`);
  });

  test('finds the number and the link on the page that answers a form', async () => {
    const { number, invoiceId } = await createDocument();
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    const answer = await payOnPage(paymentUrl, { number: '42' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(number);
    expect(linksIn(answer)).toEqual([`${invoiceId}/pdf`]);
  });

  test('sees nothing of another invoice, and comes to the page if there is no document', async () => {
    const [one, other] = [await createDocument(), await createDocument()];
    const { paymentUrl } = (await api.get(`/api/invoices/${one.invoiceId}`)).json;
    const page = `../${one.invoiceId}`;
    for (const query of [`?document=${other.id}`, '?document=x', `?document=${one.id}&document=${one.id}x`]) {
      const { status, headers } = await follow(paymentUrl, `${paymentUrl}/pdf${query}`);
      expect({ query, status, location: headers.location }).toMatchObject(
        query.includes('&') ? { status: 200 } : { status: 303, location: page },
      );
    }
    const unknown = await follow(paymentUrl, `inv_${'0'.repeat(26)}/pdf`);
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain('Invoice not found');
    const hindi = await follow(paymentUrl, `${paymentUrl}/pdf?locale=hi&paper=us-letter`);
    expect(await textOf(hindi.bytes)).toContain('This is a copy for reading.');
    const plain = await newAccount(stack.baseUrl);
    const { json } = await plain.test.post('/api/invoices', {
      customerId: 'cust_1',
      amount: 100,
      currency: 'BTN',
      description: 'Kira',
    });
    expect(linksIn(await openPage(json.paymentUrl))).toEqual([]);
    expect(await follow(json.paymentUrl, `${json.paymentUrl}/pdf`)).toMatchObject({
      status: 303,
      headers: { location: `../${json.id}` },
    });
  });
});
