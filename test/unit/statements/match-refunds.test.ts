/** Tests which rows that went out are matched with refunds by themselves: in any order, and never twice. Takes 2 seconds. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hmacSha256 } from '../../../shared/base/hmac.ts';
import {
  formatPaymentReference,
  paymentReferenceOf,
  sequenceNumberOf,
} from '../../../shared/domain/invoices/payment-reference.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
import { identifyRows } from '../../../shared/domain/statements/identify-rows.ts';
import { matchRefunds, namesRefund } from '../../../shared/domain/statements/match-refunds.ts';
import type { NewRow } from '../../../shared/domain/statements/statement.ts';

const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const scope = { ...owner, idKey: new Uint8Array(32) };
const hash = (domain: string, value: string) =>
  hmacSha256(new Uint8Array(32), `${domain}:${value}`).toString('base64url');
const padded = (seq: number) => String(seq).padStart(26, '0');
const invoiceIdOf = (seq: number) => `inv_${padded(seq)}`;
const refundIdOf = (seq: number) => `ref_${padded(seq)}`;
const referenceOf = (seq: number) => paymentReferenceOf(scope, seq) ?? '';
const [lastInvoice, lastRefund] = [3, 5];

const refundOf = (seq: number, fields: Partial<Refund> = {}) =>
  ({
    id: refundIdOf(seq),
    invoiceId: invoiceIdOf(1 + (seq % lastInvoice)),
    amount: 500,
    currency: 'BTN',
    status: 'processed',
    ...fields,
  }) as Refund;
const statementOf = (rows: readonly NewRow[]) =>
  identifyRows(hash, { bank: 'Bank', currency: 'BTN', rows: [...rows] }, (reference) => {
    const seq = sequenceNumberOf(scope, reference);
    return seq >= 1 && seq <= lastInvoice ? invoiceIdOf(seq) : undefined;
  });
/** Matches the rows that name a refund and are not decided. Returns the pairs as texts. */
const match = (
  rows: readonly NewRow[],
  refunds: readonly Refund[],
  decided: ReadonlySet<string> = new Set(),
) =>
  matchRefunds(
    statementOf(rows).filter((row) => namesRefund(row) && !decided.has(row.id)),
    () => refunds,
    'BTN',
  ).map(({ row, refund }) => `${row.id} ${refund.id}`);
const row = (fields: Partial<NewRow> = {}): NewRow => ({ day: '2026-03-31', amount: -500, ...fields });

const anyRefunds = fc.tuple(
  ...Array.from({ length: lastRefund }, (_, index) =>
    fc
      .record({
        amount: fc.constantFrom(500, 700),
        status: fc.constantFrom('pending', 'processed', 'failed'),
        currency: fc.constantFrom('BTN', 'BTN', 'USD'),
        invoiceId: fc.integer({ min: 1, max: lastInvoice }).map(invoiceIdOf),
      })
      .map((fields) => refundOf(index + 1, fields as Partial<Refund>)),
  ),
);
const names = [
  ...Array.from({ length: lastRefund + 1 }, (_, index) => refundIdOf(index + 1)),
  ...Array.from({ length: lastInvoice + 1 }, (_, index) => referenceOf(index + 1)),
];
const anyRow = fc.record({
  day: fc.constantFrom('2026-03-30', '2026-03-31'),
  amount: fc.constantFrom(-500, -500, -700, 500),
  reference: fc.option(fc.constantFrom('FT 1', 'FT 2'), { nil: undefined }),
  text: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }).map((all) => all.join(' / ')),
});
const anyRows = fc.array(anyRow, { maxLength: 10 });
const inAnyOrder = <T>(values: readonly T[]) =>
  fc.shuffledSubarray([...values], { minLength: values.length });

describe('what is matched with refunds by itself', () => {
  test('does not depend on the order of rows and refunds', () => {
    const shuffled = fc
      .tuple(anyRows, anyRefunds)
      .chain(([rows, refunds]) =>
        fc.tuple(fc.constant({ rows, refunds }), inAnyOrder(rows), inAnyOrder(refunds)),
      );
    fc.assert(
      fc.property(shuffled, ([{ rows, refunds }, otherRows, otherRefunds]) => {
        expect(match(otherRows, otherRefunds)).toEqual(match(rows, refunds));
      }),
      { numRuns: 500 },
    );
  });

  test('does not depend on which matches a worker had stored when it crashed', () => {
    const begun = fc.tuple(anyRows, anyRefunds).chain(([rows, refunds]) => {
      const all = match(rows, refunds);
      return fc.tuple(fc.constant({ rows, refunds, all }), fc.subarray(all));
    });
    fc.assert(
      fc.property(begun, ([{ rows, refunds, all }, stored]) => {
        const pairs = stored.map((pair) => pair.split(' ') as [string, string]);
        const rowOf = new Map(pairs.map(([rowId, refundId]) => [refundId, rowId]));
        const shown = refunds.map((refund) => ({ ...refund, statementRow: rowOf.get(refund.id) }));
        const others = match(rows, shown, new Set(rowOf.values()));
        expect([...stored, ...others].sort()).toEqual(all.toSorted());
      }),
      { numRuns: 1_000 },
    );
  });

  test('is one refund of a row and one row of a refund, with exactly its amount and currency', () => {
    fc.assert(
      fc.property(anyRows, anyRefunds, (rows, refunds) => {
        const stored = statementOf(rows);
        const matches = matchRefunds(stored.filter(namesRefund), () => refunds, 'BTN');
        expect(new Set(matches.map((each) => each.row.id)).size).toBe(matches.length);
        expect(new Set(matches.map((each) => each.refund.id)).size).toBe(matches.length);
        for (const each of matches) {
          const { amount, currency, status, invoiceId, id } = each.refund;
          expect([amount, currency]).toEqual([-each.row.amount, 'BTN']);
          expect(status).not.toBe('failed');
          const isNamed = each.row.text?.includes(id) || each.row.invoices?.includes(invoiceId);
          expect(isNamed).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('needs the right check characters: one wrong character matches nothing', () => {
    const characters = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: lastInvoice }),
        fc.integer({ min: 0, max: 7 }),
        fc.constantFrom(...characters),
        (seq, position, character) => {
          const right = referenceOf(seq);
          const wrong = [...right].with(position, character).join('');
          fc.pre(wrong !== right);
          const refunds = [refundOf(1, { invoiceId: invoiceIdOf(seq) })];
          expect(match([row({ text: `TRF ${right}` })], refunds)).toHaveLength(1);
          for (const text of [wrong, formatPaymentReference(wrong), `UPI/${wrong.toLowerCase()}/DORJI`])
            expect(match([row({ text })], refunds)).toEqual([]);
        },
      ),
    );
  });

  test('is never a refund with another ID: one wrong character matches nothing, also beside the payment reference', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 29 }),
        fc.constantFrom(...'0123456789abcdefxyz'),
        (position, character) => {
          const right = refundIdOf(1);
          const wrong = [...right].with(position, character).join('');
          fc.pre(wrong !== right);
          const refunds = [refundOf(1, { invoiceId: invoiceIdOf(1) })];
          expect(match([row({ text: right })], refunds)).toHaveLength(1);
          expect(match([row({ text: wrong })], refunds)).toEqual([]);
          expect(match([row({ text: `${wrong} ${referenceOf(1)}` })], refunds)).toEqual([]);
        },
      ),
    );
  });
});
