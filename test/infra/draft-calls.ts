/** Makes the calls of the functions of drafts. */
import { expect } from '@jest/globals';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import type { FunctionCallOptions, ObservedFunctions } from './observed-calls.ts';

interface DraftDriver extends Pick<ObservedFunctions, 'request'> {
  readonly table: TestTable;
}

/** Runs all code paths of the functions of drafts. */
export async function driveDrafts({ request, table }: DraftDriver): Promise<void> {
  const whole = { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Tea', reference: 'draft 1' };
  const create = (call: FunctionCallOptions = {}) =>
    request('functions/drafts/create.ts', 'POST', '/api/drafts', { body: whole, ...call });
  const list = () => request('functions/drafts/list.ts', 'GET', '/api/drafts', {});
  // The place of supply is that of the customer.
  const line = { description: 'Tea', quantity: '1', unitAmount: 900, tax: 'in_gst_18' };
  const customerId = `cust_${'0'.repeat(26)}`;
  const indian = await create({
    body: { ...whole, amount: undefined, currency: 'INR', customerId, lines: [line] },
  });
  const taxed = `/api/drafts/${indian.id}/finalize`;
  expect(await request('functions/drafts/finalize.ts', 'POST', taxed, { id: indian.id })).toMatchObject({
    statusCode: 400,
  });
  const { pagination: before } = await list();
  const { id } = await create({ idempotencyKey: 'draft one' });
  expect(await create({ idempotencyKey: 'draft one' })).toMatchObject({ statusCode: 201, id });
  const path = `/api/drafts/${id}`;
  const update = (body: object, idempotencyKey: string) =>
    request('functions/drafts/update.ts', 'PATCH', path, { id, body, idempotencyKey });
  expect(await update({ description: 'Cups' }, 'draft two')).toMatchObject({ statusCode: 200 });
  expect(await update({ description: 'Cups' }, 'draft three')).toMatchObject({ statusCode: 200 });
  expect(await request('functions/drafts/get.ts', 'GET', path, { id })).toMatchObject({ id });
  const finalize = (idempotencyKey: string) =>
    request('functions/drafts/finalize.ts', 'POST', `${path}/finalize`, {
      id,
      idempotencyKey,
      prefer: 'wait',
    });
  expect(await finalize('draft four')).toMatchObject({ statusCode: 201, status: 'pending' });
  expect(await finalize('draft four')).toMatchObject({ statusCode: 201, status: 'pending' });
  expect(await finalize('draft five')).toMatchObject({ statusCode: 400 });
  const { id: second } = await create();
  const remove = (idempotencyKey: string) =>
    request('functions/drafts/delete.ts', 'DELETE', `/api/drafts/${second}`, { id: second, idempotencyKey });
  expect(await remove('draft six')).toMatchObject({ statusCode: 200 });
  expect(await remove('draft seven')).toMatchObject({ statusCode: 404 });

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const [behind, missing] = [await create(), await create()];
  const changed = await table.get(tableKeys.record(behind.id));
  if (changed) await table.put({ ...changed, status: 'deleted' });
  expect(await list()).toMatchObject({ pagination: { total: before.total + 1 } });
  await table.delete(tableKeys.record(missing.id));
  expect(await list()).toMatchObject({ pagination: { total: before.total } });
}
