/** Reads the rows of a statement of account: the movements of what a customer owes, by currency, each with the balance after it. */
import { now, toTimestamp } from '../../base/time.ts';
import { type MovementRow, toMovementRows } from '../../domain/account-statements/movement-row.ts';
import { accountStatementsOf } from '../../domain/account-statements/statement.ts';
import { readCustomerIndexes, readCustomerRecords } from '../../domain/account-statements/statement-store.ts';
import { InvoiceNumbers } from '../../domain/documents/invoice-number-store.ts';
import { readAccountUsage } from '../../store/account-usage-store.ts';
import { type RowScope, type RowSource, TooManyRecordsError } from './row-source.ts';

/**
 * The balance after a movement follows from all records before it. So a statement is read at once, as it is at that moment, and is one
 * file.
 */
export const statementSource: RowSource = {
  lastOf: async (_, { account }) => toTimestamp(account),
  async *read(scope, after, until) {
    if (after === undefined) yield { cursor: until, rows: await readStatement(scope), leftOut: 0 };
  },
};

async function readStatement({ owner, record, from, end }: RowScope): Promise<MovementRow[]> {
  const { customerId = '', currency } = record.filters ?? {};
  const [{ principal }, indexes] = await Promise.all([
    readAccountUsage(owner, now()),
    readCustomerIndexes(owner, customerId),
  ]);
  const numbers = new InvoiceNumbers(owner);
  const records = await readCustomerRecords(principal, indexes, numbers.onRead);
  if (!records) throw new TooManyRecordsError(`The customer ${customerId} has too many records.`);
  const statements = accountStatementsOf(records, { from, until: end }, record.timeZone);
  const named = await numbers.of(records.invoices.map(({ id }) => id));
  return statements
    .filter((statement) => currency === undefined || statement.currency === currency)
    .flatMap((statement) => toMovementRows(statement, { customerId, from, numbers: named }));
}
