/** Makes the calls of the functions of customers. */
import { expect } from '@jest/globals';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import type { FunctionCallOptions, ObservedFunctions } from './observed-calls.ts';

interface CustomerDriver extends Pick<ObservedFunctions, 'request'> {
  readonly table: TestTable;
}

/** Runs all code paths of the functions of customers. */
export async function driveCustomers({ request, table }: CustomerDriver): Promise<void> {
  const create = (call: FunctionCallOptions = {}) => {
    const body = { name: 'Dorji', email: 'dorji@example.bt' };
    return request('functions/customers/create.ts', 'POST', '/api/customers', { body, ...call });
  };
  const { pagination: before } = await request('functions/customers/list.ts', 'GET', '/api/customers', {});
  const others = before.total;
  const { id } = await create({ idempotencyKey: 'customer one' });
  expect(await create({ idempotencyKey: 'customer one' })).toMatchObject({ statusCode: 201, id });
  const [behind, missing] = [await create(), await create()];
  const path = `/api/customers/${id}`;
  const update = (body: object, idempotencyKey: string) =>
    request('functions/customers/update.ts', 'PATCH', path, { id, body, idempotencyKey });
  expect(await update({ email: 'pema@example.bt' }, 'customer two')).toMatchObject({ statusCode: 200 });
  expect(await update({ email: 'pema@example.bt' }, 'customer three')).toMatchObject({ statusCode: 200 });
  expect(await update({ name: 'Sonam Wangmo' }, 'customer named')).toMatchObject({ statusCode: 200 });
  expect(await request('functions/customers/get.ts', 'GET', path, { id })).toMatchObject({ id });
  const remove = (idempotencyKey: string) =>
    request('functions/customers/delete.ts', 'DELETE', path, { id, idempotencyKey });
  expect(await remove('customer four')).toMatchObject({ statusCode: 200 });
  expect(await remove('customer five')).toMatchObject({ statusCode: 404 });
  expect(await update({ name: 'x' }, 'customer six')).toMatchObject({ statusCode: 404 });

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const changed = await table.get(tableKeys.record(behind.id));
  if (changed) await table.put({ ...changed, status: 'deleted' });
  const list = (query: Record<string, string>) =>
    request('functions/customers/list.ts', 'GET', '/api/customers', { query });
  expect(await list({})).toMatchObject({ pagination: { total: others + 1 } });
  await table.delete(tableKeys.record(missing.id));
  expect(await list({})).toMatchObject({ pagination: { total: others } });
  expect(await list({ email: 'dorji@example.bt' })).toMatchObject({ pagination: { total: 0 } });
  expect(await list({ name: 'nobody' })).toMatchObject({ pagination: { total: 0 } });
}
