/** Makes the calls of the function that reads what a customer owes. */
import { expect } from '@jest/globals';
import { newestApiVersion as apiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import type { ObservedFunctions } from './observed-calls.ts';

interface BalanceDriver extends Pick<ObservedFunctions, 'request'> {
  readonly table: TestTable;
}

/** Reads the balance of a customer with credit, and of one with an invoice that the index contains and that does not exist. */
export async function driveBalance({ request, table }: BalanceDriver): Promise<void> {
  const customerId = 'order:balance';
  const read = () => request('functions/balance/get.ts', 'GET', '/api/balance', { query: { customerId } });
  const send = async (file: 'invoices' | 'payments', body: object) => {
    const path = `functions/${file}/create.ts`;
    const { statusCode, id } = await request(path, 'POST', `/api/${file}`, { body, apiVersion });
    expect(statusCode).toBe(201);
    return id as string;
  };
  const invoice = { customerId, amount: 500, currency: 'BTN', description: 'Tea', acceptPartial: true };
  const id = await send('invoices', invoice);
  expect(await read()).toMatchObject({ currencies: [{ outstanding: 500, credit: 0 }] });
  const kept = await send('invoices', invoice);
  await send('payments', { invoiceId: kept, method: 'offline', amount: 200 });
  const cancellation = { id: kept, query: { payments: 'credit' }, apiVersion };
  await request('functions/invoices/cancel.ts', 'DELETE', `/api/invoices/${kept}`, cancellation);
  expect(await read()).toMatchObject({ currencies: [{ outstanding: 500, credit: 200 }] });
  await table.delete(tableKeys.record(id));
  expect(await read()).toMatchObject({ currencies: [{ outstanding: 0, credit: 200 }] });
}
