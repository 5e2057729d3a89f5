/** Makes the calls of the functions of documents. */
import { expect } from '@jest/globals';
import type { ObservedFunctions } from './observed-calls.ts';

interface DocumentDriver extends Pick<ObservedFunctions, 'request'> {
  readonly newInvoice: () => Promise<string>;
  readonly relayAll: () => Promise<void>;
}

/** Runs all code paths of the functions of documents, for an account with a seller profile. */
export async function driveDocuments({ request, newInvoice, relayAll }: DocumentDriver): Promise<void> {
  const invoice = await newInvoice();
  await relayAll();
  const list = await request('functions/documents/list.ts', 'GET', '/api/documents');
  expect(list).toMatchObject({ data: [{ invoiceId: invoice, number: expect.any(String) }] });
  const ofInvoice = `/api/invoices/${invoice}/documents`;
  const listed = await request('functions/invoices/list-documents.ts', 'GET', ofInvoice, { id: invoice });
  expect(listed.data).toEqual(list.data);
  for (const [id, statusCode] of [
    [list.data[0].id, 200],
    [`doc_${'0'.repeat(26)}`, 404],
  ]) {
    const path = `/api/documents/${id}`;
    expect(await request('functions/documents/get.ts', 'GET', path, { id })).toMatchObject({ statusCode });
    const pdf = await request('functions/documents/pdf.ts', 'GET', `${path}/pdf`, { id });
    expect(pdf).toMatchObject({ statusCode });
  }
}
