/** Makes the calls of the functions whose lines have a tax of the account. */
import { expect } from '@jest/globals';
import type { Owner } from '../../shared/base/ids.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type ObservedFunctions, queueEvent } from './observed-calls.ts';
import { futureSchedule } from './schedule-calls.ts';

interface OwnTaxDriver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly owner: Owner;
}

/** Runs the functions that read the rates of taxes of the account. The account has a seller profile. */
export async function driveOwnTaxes({ run, request, owner }: OwnTaxDriver): Promise<void> {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const rates = [{ from: '2026-01-01', percent: '3' }];
  await changeSeller(owner.account, { taxes: [{ code: 'own_hotel', name: 'Hotel levy', rates }] });
  const lines = [{ description: 'Room', quantity: '1', unitAmount: 1000, tax: 'own_hotel' }];
  const body = { customerId: 'c_8', currency: 'BTN', description: 'Room', lines };
  const apiVersion = newestApiVersion;
  const created = await request('functions/invoices/create.ts', 'POST', '/api/invoices', {
    body,
    apiVersion,
  });
  expect(created).toMatchObject({ statusCode: 201, amount: 1030 });
  const { id } = created;
  const path = `/api/invoices/${id}`;
  const change = { id, apiVersion, body: { lines } };
  expect(await request('functions/invoices/update.ts', 'PATCH', path, change)).toMatchObject({
    statusCode: 200,
  });
  const replaced = await request('functions/invoices/replace.ts', 'POST', `${path}/replace`, change);
  expect(replaced).toMatchObject({ statusCode: 200 });
  // The place of supply of a tax of India is that of the customer.
  const indian = { customerId: `cust_${'0'.repeat(26)}`, lines: [{ ...lines[0], tax: 'in_gst_18' }] };
  const plain = { customerId: indian.customerId, currency: 'INR', amount: 900, description: 'Tea' };
  const other = await request('functions/invoices/create.ts', 'POST', '/api/invoices', { body: plain });
  const otherPath = `/api/invoices/${other.id}`;
  const taxed = { id: other.id, apiVersion, body: { lines: indian.lines } };
  expect(await request('functions/invoices/update.ts', 'PATCH', otherPath, taxed)).toMatchObject({
    statusCode: 400,
  });
  const moved = { id: other.id, apiVersion, body: indian };
  expect(await request('functions/invoices/replace.ts', 'POST', `${otherPath}/replace`, moved)).toMatchObject(
    { statusCode: 400 },
  );
  const draft = await request('functions/drafts/create.ts', 'POST', '/api/drafts', { body });
  expect(draft).toMatchObject({ statusCode: 201 });
  const draftPath = `/api/drafts/${draft.id}`;
  const ofDraft = { id: draft.id, body: { lines } };
  expect(await request('functions/drafts/update.ts', 'PATCH', draftPath, ofDraft)).toMatchObject({
    statusCode: 200,
  });
  const finalized = await request('functions/drafts/finalize.ts', 'POST', `${draftPath}/finalize`, {
    id: draft.id,
  });
  expect(finalized).toMatchObject({ statusCode: 201, amount: 1030 });
  const schedule = await request('functions/schedules/create.ts', 'POST', '/api/schedules', {
    body: futureSchedule({ invoice: body }),
  });
  const ofSchedule = { id: schedule.id };
  const preview = await request('functions/schedules/preview.ts', 'GET', '/', ofSchedule);
  expect(preview.data[0]).toMatchObject({ amount: 1030 });
  await request('functions/schedules/run.ts', 'POST', '/', ofSchedule);
  const timer = { reference: schedule.id, kind: 'overdue', due: 1, minute: 1 };
  expect(await run('functions/background/overdue.ts', queueEvent(timer))).toEqual({ batchItemFailures: [] });
}
