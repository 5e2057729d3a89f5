/** Creates the tables of the usual build by numbered migrations, as a team keeps them beside its code. */
import type { Pool } from 'pg';

const migrations: readonly string[] = [
  `CREATE TABLE accounts (
     id text PRIMARY KEY,
     name text NOT NULL,
     hourly_limit integer NOT NULL
   );
   CREATE TABLE api_keys (
     hash bytea PRIMARY KEY,
     account_id text NOT NULL REFERENCES accounts,
     mode text NOT NULL CHECK (mode IN ('test', 'live')),
     permissions text[] NOT NULL,
     expires_at timestamptz,
     revoked_at timestamptz
   );
   CREATE TABLE request_counts (
     account_id text NOT NULL,
     mode text NOT NULL,
     hour timestamptz NOT NULL,
     count integer NOT NULL,
     PRIMARY KEY (account_id, mode, hour)
   );`,
  `CREATE TABLE invoices (
     seq bigint GENERATED ALWAYS AS IDENTITY,
     id text PRIMARY KEY,
     account_id text NOT NULL REFERENCES accounts,
     mode text NOT NULL,
     customer_id text NOT NULL,
     amount bigint NOT NULL CHECK (amount > 0),
     currency text NOT NULL CHECK (currency IN ('BTN', 'USD', 'INR')),
     status text NOT NULL CHECK (status IN ('pending', 'paid', 'overdue', 'cancelled')),
     description text NOT NULL,
     due_date timestamptz NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   );
   CREATE INDEX invoices_newest ON invoices (account_id, mode, seq DESC);
   CREATE INDEX invoices_by_status ON invoices (account_id, mode, status, seq DESC);
   CREATE INDEX invoices_by_customer ON invoices (account_id, mode, customer_id, seq DESC);
   CREATE TABLE idempotency_keys (
     account_id text NOT NULL,
     mode text NOT NULL,
     key text NOT NULL,
     fingerprint bytea NOT NULL,
     status integer,
     body text,
     created_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (account_id, mode, key)
   );
   CREATE TABLE payments (
     seq bigint GENERATED ALWAYS AS IDENTITY,
     id text PRIMARY KEY,
     account_id text NOT NULL REFERENCES accounts,
     mode text NOT NULL,
     invoice_id text NOT NULL REFERENCES invoices,
     amount bigint NOT NULL,
     currency text NOT NULL,
     status text NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
     card_last4 text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   );
   CREATE UNIQUE INDEX payments_one_success ON payments (invoice_id) WHERE status IN ('pending', 'completed');
   CREATE INDEX payments_newest ON payments (account_id, mode, seq DESC);
   CREATE TABLE outbox (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     account_id text NOT NULL,
     mode text NOT NULL,
     type text NOT NULL,
     body text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   );`,
];

/** Applies the migrations that the database does not have yet. */
export async function migrate(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY)');
  const { rows } = await pool.query<{ number: number }>('SELECT number FROM migrations');
  const applied = new Set(rows.map(({ number }) => number));
  for (const [number, statements] of migrations.entries()) {
    if (applied.has(number)) continue;
    await pool.query(`BEGIN; ${statements} INSERT INTO migrations VALUES (${number}); COMMIT`);
  }
}
