/** Creates bank statements for tests. */
import { type Api, invoiceBody } from './api.ts';
import type { TestTable } from './table.ts';

/** A random reference of a bank can contain a payment reference, which would name a second invoice. */
let rowsMade = 0;

/** The body of a statement with one row, which no other statement has. */
export const statementBody = (fields: object = {}, currency = String(invoiceBody().currency)) => ({
  bank: 'Bank of Bhutan',
  currency,
  rows: [{ day: '2026-03-31', amount: invoiceBody().amount, reference: `Row ${++rowsMade}`, ...fields }],
});

/** Creates a statement with one row. Returns the path of the statement and that of the row. */
export async function createStatement(
  api: Api,
  fields: object = {},
  currency?: string,
): Promise<{ path: string; row: string }> {
  const { json, status, text } = await api.post('/api/statements', statementBody(fields, currency));
  if (status !== 201) throw new Error(text);
  const path = `/api/statements/${json.id}`;
  const [row] = (await api.get(`${path}/rows`)).json.data;
  return { path, row: `${path}/rows/${row.id}` };
}

/** Returns the payment reference of an invoice, which only its page and its documents show. */
export async function readPaymentReference(table: TestTable, invoice: string): Promise<string> {
  const { tableKeys } = await import('../../shared/store/keys.ts');
  return String((await table.get(tableKeys.record(invoice)))?.paymentReference);
}
