/** Fills the usual build with the invoices of a ledger, so that both builds list the same number of rows. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TemporaryPostgres } from './postgres.ts';
import { migrate } from './schema.ts';
import { sha256 } from './store.ts';

/** One account of the usual build. */
export interface UsualAccount {
  readonly apiKey: string;
  /** The id of one of its invoices. */
  readonly invoiceId: string;
}

export interface SeededInvoices {
  readonly count: number;
  readonly customers: number;
  /** The texts before and after the number in the id of each customer. */
  readonly customerId: readonly [before: string, after: string];
}

/** Creates the tables. */
export async function createTables(connection: TemporaryPostgres['connection']): Promise<void> {
  const pool = new pg.Pool({ ...connection, max: 1 });
  await migrate(pool);
  await pool.end();
}

/** Creates an account with invoices, 80 % paid, 10 % pending, 5 % overdue and 5 % cancelled. */
export async function seedAccount(
  connection: TemporaryPostgres['connection'],
  { count, customers, customerId }: SeededInvoices,
): Promise<UsualAccount> {
  const pool = new pg.Pool({ ...connection, max: 1 });
  const account = `acct_${randomBytes(8).toString('hex')}`;
  const apiKey = `sk_test_${randomBytes(24).toString('hex')}`;
  await pool.query(`INSERT INTO accounts VALUES ($1, 'Bench', 5000)`, [account]);
  await pool.query(
    `INSERT INTO api_keys VALUES ($1, $2, 'test', '{invoices:read,invoices:write,payments:write}')`,
    [sha256(apiKey), account],
  );
  await pool.query(
    `INSERT INTO invoices (id, account_id, mode, customer_id, amount, currency, status, description, due_date)
     SELECT 'inv_' || md5($1 || number), $1, 'test', $4 || floor($3 * random() ^ 2) || $5, 2500, 'USD',
            CASE WHEN share < 0.8 THEN 'paid' WHEN share < 0.85 THEN 'cancelled' WHEN share < 0.9 THEN 'overdue' ELSE 'pending' END,
            repeat('d', 100), now() + interval '30 days'
     FROM (SELECT number, random() AS share FROM generate_series(1, $2::integer) AS number) AS numbers`,
    [account, count, customers, ...customerId],
  );
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM invoices WHERE account_id = $1 LIMIT 1', [
    account,
  ]);
  await pool.end();
  return { apiKey, invoiceId: rows[0]?.id ?? '' };
}
