/** Tests claims of payers: who can decide about them, once, and what an invoice shows. Costs no table. */
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { ApiError } from '../../../shared/base/errors.ts';
import { claimFields, openClaimOf } from '../../../shared/domain/invoices/claim.ts';
import { type Invoice, showWholeInvoice } from '../../../shared/domain/invoices/invoice.ts';
import {
  cancelInvoice,
  claimInvoice,
  contentVersionOf,
  createInvoice,
  makeOverdue,
  rejectClaim,
} from '../../../shared/domain/invoices/transitions.ts';
import { recordOffline } from '../../../shared/domain/payments/transitions.ts';

const now = Date.UTC(2026, 10, 21);
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const claim = {
  id: `clm_${'0'.repeat(26)}`,
  bank: 'Bank of Bhutan',
  reference: '1204',
  paidOn: '2026-11-20',
  amount: 1000,
};
const reason = 'No such transfer has arrived';

const invoice: Invoice = createInvoice(
  { ...owner, seq: 3, id: `inv_${'0'.repeat(26)}`, filterKeys: [], paymentUrl: 'https://pay.example/inv' },
  { customerId: 'cust_1', amount: 1000, currency: 'BTN', description: 'Tea', acceptPartial: true },
  now - 1000,
).record;
const claimed = claimInvoice(invoice, claim, now).record;
const identity = { ...owner, seq: 1, id: `pay_${'1'.padStart(26, '0')}` };
const pay = (of: Invoice, amount = 1000, id: string | undefined = claim.id) =>
  recordOffline(identity, of, { amount, reference: null, claim: id }, now + 5);

function codeOf(decide: () => unknown): string | undefined {
  try {
    decide();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return undefined;
}

describe('a claim', () => {
  test('is announced, and leaves the invoice payable as the payer saw it', () => {
    const change = claimInvoice(invoice, claim, now);
    expect(change.events.map(({ type }) => type)).toEqual(['invoice.claimed']);
    expect(change.record).toMatchObject({ status: 'pending', claim: { ...claim, status: 'open' } });
    expect(contentVersionOf(change.record)).toBe(contentVersionOf(invoice));
    expect(showWholeInvoice(invoice).claim).toBeNull();
    expect(showWholeInvoice(change.record).claim).toMatchObject({
      id: claim.id,
      status: 'open',
      reason: null,
    });
    expect(
      openClaimOf(makeOverdue({ ...claimed, overdueAt: now }, now + 1)?.record as Invoice),
    ).toBeDefined();
  });

  test('is refused while another one is open, on a paid or cancelled invoice, and for a wrong day', () => {
    expect(codeOf(() => claimInvoice(claimed, { ...claim, id: 'clm_2' }, now))).toBe('invalid_claim');
    expect(codeOf(() => claimInvoice(invoice, { ...claim, paidOn: '2026-11-23' }, now))).toBe(
      'invalid_claim',
    );
    // The invoice is of 20 November 2026. A payer can have paid in advance, but not in another century.
    expect(codeOf(() => claimInvoice(invoice, { ...claim, paidOn: '2025-11-19' }, now))).toBeUndefined();
    for (const paidOn of ['2025-11-18', '1999-01-01'])
      expect(codeOf(() => claimInvoice(invoice, { ...claim, paidOn }, now))).toBe('invalid_claim');
    expect(codeOf(() => claimInvoice(pay(claimed)[1].record, claim, now))).toBe('invoice_already_paid');
    const cancelled = cancelInvoice(invoice, now).record;
    expect(codeOf(() => claimInvoice(cancelled, claim, now))).toBe('invoice_already_cancelled');
  });

  test('is confirmed by one payment, of all or of a part', () => {
    const [payment, paid] = pay(claimed);
    expect(payment.record).toMatchObject({ claim: claim.id, amount: 1000 });
    expect(paid.record).toMatchObject({ status: 'paid', claim: { status: 'confirmed' } });
    const [, partly] = pay(claimed, 400);
    expect(partly.record).toMatchObject({ status: 'pending', claim: { status: 'confirmed' } });
    expect(JSON.parse(partly.events[0]?.body ?? '')).toMatchObject({
      previous: { claim: { status: 'open' } },
    });
    expect(codeOf(() => pay(partly.record, 600))).toBe('invalid_claim');
    // Nobody is asked for another amount, because no amount would do.
    expect(codeOf(() => pay(partly.record, 1000))).toBe('invalid_claim');
    expect(codeOf(() => pay(paid.record, 1000))).toBe('invalid_claim');
    expect(codeOf(() => pay(claimed, 1001))).toBe('invalid_amount');
    expect(codeOf(() => rejectClaim(partly.record, { claimId: claim.id, reason }, now))).toBe(
      'invalid_claim',
    );
  });

  test('is rejected once, with a reason, and can be made again', () => {
    const change = rejectClaim(claimed, { claimId: claim.id, reason }, now + 1);
    expect(change.record.claim).toMatchObject({ status: 'rejected', reason });
    expect(change.events.map(({ type }) => type)).toEqual(['invoice.updated']);
    expect(codeOf(() => rejectClaim(change.record, { claimId: claim.id, reason }, now))).toBe(
      'invalid_claim',
    );
    expect(codeOf(() => pay(change.record))).toBe('invalid_claim');
    const again = claimInvoice(change.record, { ...claim, id: 'clm_2' }, now + 2).record;
    expect(again.claim).toMatchObject({ id: 'clm_2', status: 'open' });
    // A decision about the former claim never decides about the new one.
    expect(codeOf(() => pay(again))).toBe('invalid_claim');
    expect(codeOf(() => rejectClaim(again, { claimId: claim.id, reason }, now))).toBe('invalid_claim');
  });

  test('is closed if other money pays the invoice, or if it is cancelled', () => {
    const paid = recordOffline(identity, claimed, { amount: 1000, reference: null }, now + 5)[1].record;
    for (const each of [paid, cancelInvoice(claimed, now).record]) {
      expect(showWholeInvoice(each).claim?.status).toBe('closed');
      expect(codeOf(() => rejectClaim(each, { claimId: claim.id, reason }, now))).toBe('invalid_claim');
    }
  });
});

test.each([
  ['bank', '4242 4242 4242 4242'],
  ['bank', 'x'.repeat(101)],
  ['bank', 'a\u202eb'],
  ['bank', 'a\nb'],
  ['reference', '4242424242424242'],
  ['reference', ' '],
  ['paidOn', '2026-02-30'],
  ['paidOn', 'yesterday'],
  ['amount', 0],
])('a claim with the %s %j is refused', (field, value) => {
  const { id: _, ...sent } = claim;
  const result = v.safeParse(claimFields, { ...sent, [field]: value });
  expect(result.issues?.[0]?.path?.[0]?.key).toBe(field);
});
