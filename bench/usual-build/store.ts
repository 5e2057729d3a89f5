/** The statements of the usual build. Each has a name, so PostgreSQL parses and plans it once for each connection. */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** The account and mode of an API key, and its use in this hour. */
export interface Caller {
  readonly account_id: string;
  readonly mode: string;
  readonly permissions: readonly string[];
  readonly hourly_limit: number;
  readonly count: number;
}

export interface NewInvoice {
  readonly customerId: string;
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly dueDate?: string | null;
}

export interface InvoiceFilter {
  readonly status?: string;
  readonly customerId?: string;
  readonly limit: number;
  readonly offset: number;
}

interface InvoiceRow {
  readonly id: string;
  readonly customer_id: string;
  /** PostgreSQL returns a `bigint` as text. */
  readonly amount: string;
  readonly currency: string;
  readonly status: string;
  readonly description: string;
  readonly due_date: Date;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The answer to a request with an idempotency key. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;
const columns = 'id, customer_id, amount, currency, status, description, due_date, created_at, updated_at';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Finds the API key and counts the request, in one statement. Returns undefined if the key cannot be used. */
export async function authorize(pool: Pool, apiKey: string): Promise<Caller | undefined> {
  const { rows } = await pool.query<Caller>({
    name: 'authorize',
    text: `WITH caller AS (
             SELECT k.account_id, k.mode, k.permissions, a.hourly_limit
             FROM api_keys k JOIN accounts a ON a.id = k.account_id
             WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
           ), counted AS (
             INSERT INTO request_counts (account_id, mode, hour, count)
             SELECT account_id, mode, date_trunc('hour', now()), 1 FROM caller
             ON CONFLICT (account_id, mode, hour) DO UPDATE SET count = request_counts.count + 1
             RETURNING count
           )
           SELECT caller.*, counted.count FROM caller, counted`,
    values: [sha256(apiKey)],
  });
  return rows[0];
}

/** Reads an invoice of the caller. */
export async function findInvoice(pool: Pool, { account_id, mode }: Caller, id: string, payUrlBase: string) {
  const { rows } = await pool.query<InvoiceRow>({
    name: 'find-invoice',
    text: `SELECT ${columns} FROM invoices WHERE id = $1 AND account_id = $2 AND mode = $3`,
    values: [id, account_id, mode],
  });
  return rows[0] && showInvoice(rows[0], payUrlBase);
}

/** Reads one page of the caller's invoices, newest first, and the number of all that match. */
export async function listInvoices(
  pool: Pool,
  { account_id, mode }: Caller,
  { status, customerId, limit, offset }: InvoiceFilter,
  payUrlBase: string,
) {
  const filters: string[] = ['account_id = $1', 'mode = $2'];
  const values: (string | number)[] = [account_id, mode];
  if (status !== undefined) filters.push(`status = $${values.push(status)}`);
  if (customerId !== undefined) filters.push(`customer_id = $${values.push(customerId)}`);
  const where = filters.join(' AND ');
  const name = `${status === undefined ? '' : ' status'}${customerId === undefined ? '' : ' customer'}`;
  const [counted, page] = await Promise.all([
    pool.query<{ total: string }>({
      name: `count${name}`,
      text: `SELECT count(*) AS total FROM invoices WHERE ${where}`,
      values,
    }),
    pool.query<InvoiceRow>({
      name: `list${name}`,
      text: `SELECT ${columns} FROM invoices WHERE ${where} ORDER BY seq DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
      values: [...values, limit, offset],
    }),
  ]);
  const total = Number(counted.rows[0]?.total ?? 0);
  return {
    data: page.rows.map((row) => showInvoice(row, payUrlBase)),
    pagination: { total, limit, offset, hasMore: offset + page.rows.length < total },
  };
}

/**
 * Creates an invoice and its outbox row in one transaction. With an idempotency key, the answer is stored in the same
 * transaction. A second request with the key waits for the first one, and gets its answer.
 * @returns the answer, or undefined if the key belongs to another request
 */
export async function createInvoice(
  pool: Pool,
  caller: Caller,
  invoice: NewInvoice,
  idempotencyKey: string | undefined,
  payUrlBase: string,
): Promise<StoredAnswer | undefined> {
  return inTransaction(pool, (client) =>
    createInTransaction(client, caller, invoice, idempotencyKey, payUrlBase),
  );
}

/** Commits what `work` writes, or nothing if it throws. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function createInTransaction(
  client: PoolClient,
  { account_id, mode }: Caller,
  { customerId, amount, currency, description, dueDate }: NewInvoice,
  key: string | undefined,
  payUrlBase: string,
): Promise<StoredAnswer | undefined> {
  if (key !== undefined) {
    const fingerprint = sha256(JSON.stringify([customerId, amount, currency, description, dueDate]));
    const stored = await claimKey(client, [account_id, mode, key], fingerprint);
    if (stored) return typeof stored === 'string' ? undefined : stored;
  }
  const id = `inv_${randomBytes(12).toString('hex')}`;
  const due = dueDate ?? new Date(Date.now() + 30 * dayMs).toISOString();
  const { rows } = await client.query<InvoiceRow>({
    name: 'create-invoice',
    text: `INSERT INTO invoices (id, account_id, mode, customer_id, amount, currency, status, description, due_date)
           VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $8) RETURNING ${columns}`,
    values: [id, account_id, mode, customerId, amount, currency, description, due],
  });
  if (!rows[0]) throw new Error('The invoice was not stored.');
  const body = JSON.stringify(showInvoice(rows[0], payUrlBase));
  await client.query({
    name: 'add-outbox',
    text: `INSERT INTO outbox (account_id, mode, type, body) VALUES ($1, $2, 'invoice.created', $3)`,
    values: [account_id, mode, body],
  });
  if (key !== undefined) {
    await storeAnswer(client, [account_id, mode, key], body);
  }
  return { status: 201, body, replayed: false };
}

/** The account, the mode and the idempotency key of a request. */
type OwnedKey = readonly [account: string, mode: string, key: string];

/** Stores the answer of the request that has claimed a key. */
export async function storeAnswer(client: PoolClient, owned: OwnedKey, body: string): Promise<void> {
  await client.query({
    name: 'store-answer',
    text: 'UPDATE idempotency_keys SET status = 201, body = $4 WHERE account_id = $1 AND mode = $2 AND key = $3',
    values: [...owned, body],
  });
}

/** Claims an idempotency key. Returns the stored answer if an earlier request has claimed it. */
export async function claimKey(
  client: PoolClient,
  owner: OwnedKey,
  fingerprint: Buffer,
): Promise<StoredAnswer | 'other request' | 'in progress' | undefined> {
  const claimed = await client.query({
    name: 'claim-key',
    text: `INSERT INTO idempotency_keys (account_id, mode, key, fingerprint) VALUES ($1, $2, $3, $4)
           ON CONFLICT (account_id, mode, key) DO UPDATE SET fingerprint = $4, status = NULL, body = NULL, created_at = now()
           WHERE idempotency_keys.created_at < now() - interval '24 hours'
           RETURNING 1`,
    values: [...owner, fingerprint],
  });
  if (claimed.rowCount === 1) return undefined;
  const find: QueryConfig = {
    name: 'find-answer',
    text: 'SELECT fingerprint, status, body FROM idempotency_keys WHERE account_id = $1 AND mode = $2 AND key = $3',
    values: [...owner],
  };
  const { rows } = await client.query<{ fingerprint: Buffer; status: number; body: string | null }>(find);
  if (!rows[0]?.fingerprint.equals(fingerprint)) return 'other request';
  const { status, body } = rows[0];
  return body === null ? 'in progress' : { status, body, replayed: true };
}

function showInvoice(row: InvoiceRow, payUrlBase: string) {
  return {
    id: row.id,
    customerId: row.customer_id,
    amount: Number(row.amount),
    currency: row.currency,
    status: row.status,
    description: row.description,
    dueDate: row.due_date.toISOString(),
    paymentUrl: `${payUrlBase}/${row.id}`,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
