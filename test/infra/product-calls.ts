/** Makes the calls of the functions of products, and of those that read the products of lines. */
import { expect } from '@jest/globals';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import type { TestTable } from '../support/table.ts';
import type { FunctionCallOptions, ObservedFunctions } from './observed-calls.ts';

interface ProductDriver extends Pick<ObservedFunctions, 'request'> {
  readonly table: TestTable;
}

/** Runs all code paths of the functions of products. */
export async function driveProducts({ request, table }: ProductDriver): Promise<void> {
  const create = (call: FunctionCallOptions = {}) => {
    const body = { name: 'Tea', unitAmounts: { BTN: 5000 } };
    return request('functions/products/create.ts', 'POST', '/api/products', { body, ...call });
  };
  const { id } = await create({ idempotencyKey: 'product one' });
  expect(await create({ idempotencyKey: 'product one' })).toMatchObject({ statusCode: 201, id });
  const [behind, missing] = [await create(), await create()];
  const path = `/api/products/${id}`;
  const update = (body: object, idempotencyKey: string) =>
    request('functions/products/update.ts', 'PATCH', path, { id, body, idempotencyKey });
  expect(await update({ name: 'Green tea' }, 'product two')).toMatchObject({ statusCode: 200 });
  expect(await update({ name: 'Green tea' }, 'product three')).toMatchObject({ statusCode: 200 });
  expect(await request('functions/products/get.ts', 'GET', path, { id })).toMatchObject({ id });
  await driveLines({ request, table }, id);
  const remove = (idempotencyKey: string) =>
    request('functions/products/delete.ts', 'DELETE', path, { id, idempotencyKey });
  expect(await remove('product four')).toMatchObject({ statusCode: 200 });
  expect(await remove('product five')).toMatchObject({ statusCode: 404 });
  expect(await update({ name: 'x' }, 'product six')).toMatchObject({ statusCode: 404 });

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const changed = await table.get(tableKeys.record(behind.id));
  if (changed) await table.put({ ...changed, status: 'deleted' });
  const list = () => request('functions/products/list.ts', 'GET', '/api/products', {});
  expect(await list()).toMatchObject({ pagination: { total: 1 } });
  await table.delete(tableKeys.record(missing.id));
  expect(await list()).toMatchObject({ pagination: { total: 0 } });
}

async function driveLines({ request }: ProductDriver, product: string): Promise<void> {
  const apiVersion = newestApiVersion;
  const lines = [{ quantity: '2', product }];
  const customerId = `cust_${'0'.repeat(26)}`;
  const body = { ...invoiceBody(), customerId, amount: undefined, currency: 'BTN', lines };
  const { id } = await request('functions/invoices/create.ts', 'POST', '/api/invoices', { body, apiVersion });
  const path = `/api/invoices/${id}`;
  const change = { id, apiVersion, body: { lines: [{ quantity: '3', product }] } };
  expect(await request('functions/invoices/update.ts', 'PATCH', path, change)).toMatchObject({
    amount: 15_000,
  });
  const replaced = await request('functions/invoices/replace.ts', 'POST', `${path}/replace`, {
    ...change,
    body: { lines },
  });
  expect(replaced).toMatchObject({ amount: 10_000 });
  const draft = await request('functions/drafts/create.ts', 'POST', '/api/drafts', {
    body: { currency: 'BTN', lines },
  });
  expect(draft).toMatchObject({ statusCode: 201 });
  const drafted = { id: draft.id, body: { lines: [{ quantity: '4', product }] } };
  const updated = await request('functions/drafts/update.ts', 'PATCH', `/api/drafts/${draft.id}`, drafted);
  expect(updated).toMatchObject({ statusCode: 200 });
}
