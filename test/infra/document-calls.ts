/** Makes the calls of the functions of documents. */
import { expect } from '@jest/globals';
import type { Owner } from '../../shared/base/ids.ts';
import { type ObservedFunctions, queueEvent } from './observed-calls.ts';

interface DocumentDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly owner: Owner;
  readonly newInvoice: () => Promise<string>;
  readonly relayAll: () => Promise<void>;
}

/** Runs all code paths of the functions of documents. From then on, the account has a seller profile. */
export async function driveDocuments({
  run,
  request,
  owner,
  newInvoice,
  relayAll,
}: DocumentDriver): Promise<void> {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(owner.account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
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
  await refundInvoiceOfCustomer({ run, request });
  await relayAll();
}

/** Refunds the invoice of a customer. A credit note follows when the outbox is relayed. */
export async function refundInvoiceOfCustomer({
  run,
  request,
}: Pick<DocumentDriver, 'run' | 'request'>): Promise<void> {
  const post = (file: string, path: string, body: object) =>
    request(`functions/${file}/create.ts`, 'POST', path, { body });
  const { id: customerId } = await post('customers', '/api/customers', { name: 'Pema' });
  const tea = { customerId, amount: 100, currency: 'USD', description: 'Tea' };
  const { id: invoiceId } = await post('invoices', '/api/invoices', tea);
  const { id: paymentId } = await post('payments', '/api/payments', { invoiceId, method: 'offline' });
  const { id: reference } = await post('refunds', '/api/refunds', { paymentId });
  const event = queueEvent({ reference, kind: 'refund', due: 1, minute: 1 });
  expect(await run('functions/background/process-refund.ts', event)).toEqual({ batchItemFailures: [] });
}
