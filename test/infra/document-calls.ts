/** Makes the calls of the functions of documents. */
import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Owner } from '../../shared/base/ids.ts';
import { growingPng } from '../support/pictures.ts';
import { type ObservedFunctions, queueEvent } from './observed-calls.ts';

interface DocumentDriver extends Pick<ObservedFunctions, 'request' | 'run'> {
  readonly owner: Owner;
  readonly relayAll: () => Promise<void>;
  readonly advance: (ms: number) => void;
}

/**
 * Runs all code paths of the functions of documents. From then on, the account has a seller profile.
 * @returns a function that leaves an invoice and a credit note for the next relay
 */
export async function driveDocuments({
  run,
  request,
  owner,
  relayAll,
  advance,
}: DocumentDriver): Promise<() => Promise<void>> {
  await relayAll();
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const logo = growingPng();
  await changeSeller(owner.account, {
    legalName: 'Druk Crafts',
    address: { country: 'BT' },
    logo: { data: logo.toString('base64') },
  });
  const createInvoice = async (): Promise<string> => {
    const customerId = `cust_${'0'.repeat(26)}`;
    const body = { customerId, amount: 2500, currency: 'BTN', description: 'Kira' };
    const call = { body, prefer: 'wait' };
    return (await request('functions/invoices/create.ts', 'POST', '/api/invoices', call)).id;
  };
  const invoiceId = await createInvoice();
  await relayAll();
  const pay = { body: { invoiceId, method: 'offline' } };
  const payment = await request('functions/payments/create.ts', 'POST', '/api/payments', pay);
  const refund = async () => {
    const body = { paymentId: payment.id, amount: 100 };
    const { id } = await request('functions/refunds/create.ts', 'POST', '/api/refunds', { body });
    const event = queueEvent({ reference: id, kind: 'refund', due: 1, minute: 1 });
    const processed = await run('functions/background/process-refund.ts', event);
    expect(processed).toEqual({ batchItemFailures: [] });
  };
  await refund();
  await relayAll();

  const list = await request('functions/documents/list.ts', 'GET', '/api/documents');
  // The ids of one millisecond have no order.
  const byKind = new Map<string, { readonly id: string }>(
    list.data.map((each: { kind: string; id: string }) => [each.kind, each]),
  );
  expect([...byKind.keys()].sort()).toEqual(['credit_note', 'invoice', 'receipt']);
  const ofInvoice = `/api/invoices/${invoiceId}/documents`;
  const listed = await request('functions/invoices/list-documents.ts', 'GET', ofInvoice, { id: invoiceId });
  expect(listed.data).toEqual(list.data);
  for (const [id, statusCode, ofPdf] of [
    [byKind.get('invoice')?.id ?? '', 200, 303],
    [`doc_${'0'.repeat(26)}`, 404, 404],
  ] as const) {
    const path = `/api/documents/${id}`;
    expect(await request('functions/documents/get.ts', 'GET', path, { id })).toMatchObject({ statusCode });
    const pdf = await request('functions/documents/pdf.ts', 'GET', `${path}/pdf`, { id });
    expect(pdf).toMatchObject({ statusCode: ofPdf });
  }
  await drivePayer({ request, advance }, invoiceId, list.data[0].id);
  advance(31_000);
  const query = { sha256: createHash('sha256').update(logo).digest('hex') };
  const shown = { id: invoiceId, query, form: {} };
  const picture = await request('functions/pay/logo.ts', 'GET', `/pay/${invoiceId}/logo`, shown);
  expect(picture).toMatchObject({ statusCode: 200 });
  const unknown = { ...shown, query: { sha256: 'unknown' } };
  for (let count = 0; count < 100; count++)
    await request('functions/pay/logo.ts', 'GET', `/pay/${invoiceId}/logo`, unknown);
  return async () => {
    await createInvoice();
    await refund();
  };
}

/** Opens the page and the files of an invoice with documents, and sends a form that pays nothing. */
async function drivePayer(
  { request, advance }: Pick<DocumentDriver, 'request' | 'advance'>,
  id: string,
  creditNote: string,
): Promise<void> {
  const path = `/pay/${id}`;
  const file = (query: Record<string, string> = {}) =>
    request('functions/pay/pdf.ts', 'GET', `${path}/pdf`, { id, query, form: {} });
  // The functions cache the settings for 30 seconds. In this test they share one cache.
  advance(31_000);
  expect(await file()).toMatchObject({ statusCode: 303 });
  expect(await file({ document: creditNote })).toMatchObject({ statusCode: 303 });
  // The table learns of a hundred views at once, and a file counts as ten.
  for (let count = 0; count < 10; count++) await file({ document: 'unknown' });
  const page = await request('functions/pay/show.ts', 'GET', path, { id, form: {} });
  expect(page).toMatchObject({ statusCode: 200 });
  const form = { attempt: '0'.repeat(26), version: '1', amount: '2500', number: '42', expiry: '', cvc: '' };
  const answer = await request('functions/pay/submit.ts', 'POST', path, { id, form });
  expect(answer).toMatchObject({ statusCode: 400 });
}
