/**
 * Card payments of the usual build: one transaction before the call to the provider, and one after it. So a payment whose
 * process ends during the call is found later, as `pending`.
 */
import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { type Caller, claimKey, inTransaction, type StoredAnswer, sha256, storeAnswer } from './store.ts';

export interface NewPayment {
  readonly invoiceId: string;
  readonly method: 'card';
  readonly card: {
    readonly number: string;
    readonly expMonth: number;
    readonly expYear: number;
    readonly cvc: string;
  };
}

interface PaymentRow {
  readonly id: string;
  readonly invoice_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: string;
  readonly card_last4: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A refusal of the request, with the code of its error. */
export interface Refusal {
  readonly refused:
    | 'idempotency_key_reused'
    | 'invoice_not_found'
    | 'invoice_not_payable'
    | 'payment_in_progress';
}

const columns = 'id, invoice_id, amount, currency, status, card_last4, created_at, updated_at';

/** Pays an invoice by card. The answer is stored in the transaction of the outcome. */
export async function payWithCard(
  pool: Pool,
  caller: Caller,
  payment: NewPayment,
  key: string | undefined,
): Promise<StoredAnswer | Refusal> {
  const begun = await inTransaction(pool, (client) => begin(client, caller, payment, key));
  if (!('started' in begun)) return begun;
  const isCaptured = await capture(payment.card, begun.started);
  return inTransaction(pool, (client) => complete(client, caller, begun.started, isCaptured, key));
}

async function begin(
  client: PoolClient,
  { account_id, mode }: Caller,
  { invoiceId, card }: NewPayment,
  key: string | undefined,
): Promise<StoredAnswer | Refusal | { readonly started: PaymentRow }> {
  if (key !== undefined) {
    const stored = await claimKey(client, [account_id, mode, key], sha256(JSON.stringify([invoiceId, card])));
    if (stored === 'other request') return { refused: 'idempotency_key_reused' };
    if (stored === 'in progress') return { refused: 'payment_in_progress' };
    if (stored) return stored;
  }
  const { rows } = await client.query<{ amount: string; currency: string; status: string }>({
    name: 'lock-invoice',
    text: 'SELECT amount, currency, status FROM invoices WHERE id = $1 AND account_id = $2 AND mode = $3 FOR UPDATE',
    values: [invoiceId, account_id, mode],
  });
  const [invoice] = rows;
  if (!invoice) return { refused: 'invoice_not_found' };
  if (!['pending', 'overdue'].includes(invoice.status)) return { refused: 'invoice_not_payable' };
  const inserted = await client.query<PaymentRow>({
    name: 'create-payment',
    text: `INSERT INTO payments (id, account_id, mode, invoice_id, amount, currency, status, card_last4)
           VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7)
           ON CONFLICT (invoice_id) WHERE status IN ('pending', 'completed') DO NOTHING RETURNING ${columns}`,
    values: [
      `pay_${randomBytes(12).toString('hex')}`,
      ...[account_id, mode, invoiceId, invoice.amount, invoice.currency],
      card.number.slice(-4),
    ],
  });
  return inserted.rows[0] ? { started: inserted.rows[0] } : { refused: 'payment_in_progress' };
}

/** The provider of test mode: it declines one card, and captures all others. */
async function capture({ number }: NewPayment['card'], _payment: PaymentRow): Promise<boolean> {
  return number !== '4000000000000002';
}

async function complete(
  client: PoolClient,
  { account_id, mode }: Caller,
  { id, invoice_id }: PaymentRow,
  isCaptured: boolean,
  key: string | undefined,
): Promise<StoredAnswer> {
  const { rows } = await client.query<PaymentRow>({
    name: 'complete-payment',
    text: `UPDATE payments SET status = $2, updated_at = now() WHERE id = $1 RETURNING ${columns}`,
    values: [id, isCaptured ? 'completed' : 'failed'],
  });
  if (!rows[0]) throw new Error('The payment does not exist.');
  const body = JSON.stringify(showPayment(rows[0]));
  const events = [isCaptured ? 'payment.completed' : 'payment.failed'];
  if (isCaptured) {
    await client.query({
      name: 'pay-invoice',
      text: `UPDATE invoices SET status = 'paid', updated_at = now() WHERE id = $1`,
      values: [invoice_id],
    });
    events.push('invoice.paid');
  }
  await client.query({
    name: `add-outbox-${events.length}`,
    text: `INSERT INTO outbox (account_id, mode, type, body) SELECT $1, $2, type, $4 FROM unnest($3::text[]) AS type`,
    values: [account_id, mode, events, body],
  });
  if (key !== undefined) await storeAnswer(client, [account_id, mode, key], body);
  return { status: 201, body, replayed: false };
}

function showPayment(row: PaymentRow) {
  return {
    id: row.id,
    invoiceId: row.invoice_id,
    amount: Number(row.amount),
    currency: row.currency,
    status: row.status,
    method: 'card',
    card: { last4: row.card_last4 },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
