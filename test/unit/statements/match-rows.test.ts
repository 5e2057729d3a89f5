/** Tests which rows of a statement pay by themselves: in any order, and never with a wrong check character. Takes 2 seconds. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hmacSha256 } from '../../../shared/base/hmac.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import {
  formatPaymentReference,
  parsePaymentReference,
  paymentReferenceOf,
  sequenceNumberOf,
} from '../../../shared/domain/invoices/payment-reference.ts';
import { amountDueOf } from '../../../shared/domain/invoices/received-money.ts';
import { createInvoice } from '../../../shared/domain/invoices/transitions.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import { transferOf } from '../../../shared/domain/payments/transfer.ts';
import { recordOffline } from '../../../shared/domain/payments/transitions.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
import { identifyRows, referencesIn } from '../../../shared/domain/statements/identify-rows.ts';
import { matchRows } from '../../../shared/domain/statements/match-rows.ts';
import type { NewRow } from '../../../shared/domain/statements/statement.ts';
import {
  suggestInvoices,
  suggestRecorded,
  suggestRefunds,
} from '../../../shared/domain/statements/suggest.ts';

const now = Date.UTC(2026, 2, 1);
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const scope = { ...owner, idKey: new Uint8Array(32) };
const hash = (domain: string, value: string) =>
  hmacSha256(new Uint8Array(32), `${domain}:${value}`).toString('base64url');
const idOf = (seq: number) => `inv_${String(seq).padStart(26, '0')}`;
const referenceOf = (seq: number) => paymentReferenceOf(scope, seq) ?? '';
const last = 6;
const invoiceOf = (reference: string) => {
  const seq = sequenceNumberOf(scope, reference);
  return seq >= 1 && seq <= last ? idOf(seq) : undefined;
};

const newInvoice = (seq: number, amount: number, acceptPartial = false, buyer?: { name: string }): Invoice =>
  createInvoice(
    { ...owner, seq, id: idOf(seq), filterKeys: [], paymentUrl: 'https://pay.example/inv' },
    {
      customerId: 'cust_1',
      amount,
      currency: 'BTN',
      description: 'Tea',
      acceptPartial,
      ...(buyer && { buyer }),
    },
    now,
  ).record;
const statementOf = (rows: readonly NewRow[]) =>
  identifyRows(hash, { bank: 'Bank', currency: 'BTN', rows: [...rows] }, invoiceOf);
const transfer = ({ reference }: { readonly reference?: string | undefined }) => transferOf(hash, reference);
const row = (fields: Partial<NewRow> = {}): NewRow => ({ day: '2026-03-31', amount: 1000, ...fields });
const match = (rows: readonly NewRow[], invoices: readonly Invoice[]) =>
  matchRows(statementOf(rows), new Map(invoices.map((each) => [each.id, each])), 'BTN', transfer).map(
    ({ row: { id, amount }, invoiceId }) => `${id} ${amount} ${invoiceId}`,
  );

const anyInvoices = fc.tuple(
  ...Array.from({ length: last }, (_, index) =>
    fc
      .record({ amount: fc.constantFrom(500, 1000, 1500), acceptPartial: fc.boolean() })
      .map(({ amount, acceptPartial }) => newInvoice(index + 1, amount, acceptPartial)),
  ),
);
const anyRow = fc.record({
  day: fc.constantFrom('2026-03-29', '2026-03-30', '2026-03-31'),
  amount: fc.constantFrom(-1000, 250, 500, 1000, 1500, 2000),
  reference: fc.option(fc.constantFrom('FT 1', 'FT 2'), { nil: undefined }),
  text: fc.option(
    fc
      .array(fc.integer({ min: 1, max: last + 2 }), { maxLength: 2 })
      .map((seqs) => seqs.map(referenceOf).join('/')),
    { nil: undefined },
  ),
});
const anyRows = fc.array(anyRow, { maxLength: 12 });

describe('what matches by itself', () => {
  test('is also a row with a reference whose check characters are right by chance', () => {
    const invoice = newInvoice(1, 1000);
    const text = `${referenceOf(1)}/${referenceOf(2)}`;
    expect(match([row({ text })], [invoice])).toMatchObject([expect.stringContaining(idOf(1))]);
    expect(match([row({ text })], [invoice, newInvoice(2, 1000)])).toEqual([]);
  });

  test('does not depend on the order of rows and invoices', () => {
    const shuffled = anyRows.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    fc.assert(
      fc.property(shuffled, anyInvoices, ([rows, others], invoices) => {
        expect(match(others, invoices.toReversed())).toEqual(match(rows, invoices));
      }),
      { numRuns: 300 },
    );
  });

  test('never takes more than what is due, and takes a part only if the invoice accepts it', () => {
    fc.assert(
      fc.property(anyRows, anyInvoices, (rows, invoices) => {
        const taken = Map.groupBy(
          matchRows(statementOf(rows), new Map(invoices.map((each) => [each.id, each])), 'BTN', transfer),
          ({ invoiceId }) => invoiceId,
        );
        for (const invoice of invoices) {
          const amounts = (taken.get(invoice.id) ?? []).map(({ row: { amount } }) => amount);
          const sum = amounts.reduce((total, amount) => total + amount, 0);
          expect(sum).toBeLessThanOrEqual(amountDueOf(invoice));
          if (!invoice.acceptPartial)
            expect(amounts.filter((amount) => amount !== invoice.amount)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('needs the right check characters: one wrong character matches nothing', () => {
    const characters = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: last }),
        fc.integer({ min: 0, max: 7 }),
        fc.constantFrom(...characters),
        (seq, position, character) => {
          const right = referenceOf(seq);
          const wrong = [...right].with(position, character).join('');
          fc.pre(wrong !== right);
          for (const text of [wrong, formatPaymentReference(wrong), `UPI/${wrong.toLowerCase()}/DORJI`])
            expect([text, referencesIn({ text })]).toEqual([text, []]);
          expect(match([row({ text: wrong })], [newInvoice(seq, 1000)])).toEqual([]);
        },
      ),
    );
  });

  const invoice = newInvoice(1, 1000);
  const [own, other] = [referenceOf(1), referenceOf(2)];
  test.each([
    ['the whole amount', row({ text: own }), 1],
    ['the reference in the reference of the bank', row({ reference: formatPaymentReference(own) }), 1],
    ['the reference twice', row({ reference: own, text: `TRF ${formatPaymentReference(own)} OK` }), 1],
    ['less than what is due', row({ text: own, amount: 999 }), 0],
    ['more than what is due', row({ text: own, amount: 1001 }), 0],
    ['money that went out', row({ text: own, amount: -1000 }), 0],
    ['two references', row({ text: `${own} ${other}` }), 0],
    ['no reference', row({ text: 'Dorji' }), 0],
  ])('%s', (_, each, count) => {
    expect(match([each], [invoice, newInvoice(2, 1000)])).toHaveLength(count);
  });

  test('is the first of two rows, and parts in the order of their days', () => {
    const both = [row({ text: own, day: '2026-03-31' }), row({ text: own, day: '2026-03-30' })];
    const [first, ...others] = match(both, [invoice]);
    expect(others).toEqual([]);
    expect(first).toContain(statementOf(both)[1]?.id);
    const parts = [row({ text: own, amount: 700, day: '2026-03-31' }), row({ text: own, amount: 400 })];
    const accepting = newInvoice(1, 1000, true);
    const early = parts.with(1, row({ text: own, amount: 400, day: '2026-03-01' }));
    expect(match(early, [accepting])).toHaveLength(1);
    expect(match(early, [accepting])[0]).toContain(' 400 ');
  });

  /** The invoice with a part that a person has recorded, or that a row shows. */
  const withPart = (amount: number, reference: string | null, receivedOn?: string) =>
    recordOffline(
      { ...owner, seq: 1, id: 'pay_1' },
      newInvoice(1, 1000, true),
      {
        amount,
        reference,
        transfer: transferOf(hash, reference),
        ...(receivedOn !== undefined && { receivedOn, statementRow: 'row_1' }),
      },
      Date.UTC(2026, 2, 31),
    )[1].record;

  test.each([
    ['with the same amount', withPart(500, 'J 9'), row({ text: own, amount: 500 }), 0],
    [
      'with the same reference of a bank that is written in another way',
      withPart(490, 'j 123'),
      row({ text: own, amount: 500, reference: 'J123' }),
      0,
    ],
    ['with another amount and reference', withPart(400, 'J 9'), row({ text: own, amount: 500 }), 1],
    ['without a reference, as the row', withPart(400, null), row({ text: own, amount: 500 }), 1],
    [
      'with zeros in place of a reference, as the row',
      withPart(400, '000'),
      row({ text: own, amount: 500, reference: '000000' }),
      1,
    ],
    ['of a row of another day', withPart(500, null, '2026-03-30'), row({ text: own, amount: 500 }), 1],
    ['of a row of the day and amount', withPart(500, null, '2026-03-31'), row({ text: own, amount: 500 }), 0],
    [
      'of a row of the day and amount, with a reference',
      withPart(500, 'J 9', '2026-03-31'),
      row({ text: own, amount: 500 }),
      0,
    ],
    [
      'of a row with another reference',
      withPart(500, 'J 9', '2026-03-31'),
      row({ text: own, amount: 500, reference: 'J 10' }),
      1,
    ],
    [
      'of a row with the reference',
      withPart(490, 'J 9', '2026-03-30'),
      row({ text: own, amount: 500, reference: 'j9' }),
      0,
    ],
  ])('beside a recorded payment %s', (_, invoice, each, count) => {
    expect(match([each], [invoice])).toHaveLength(count);
  });

  test('has the currency of the invoice', () => {
    const rows = statementOf([row({ text: own })]);
    expect(matchRows(rows, new Map([[invoice.id, invoice]]), 'USD', transfer)).toEqual([]);
  });
});

describe('the id of a row', () => {
  test('is the same in a file that overlaps or has another order, and differs for each of two equal rows', () => {
    const equal = [row(), row(), row({ amount: 5 })];
    const [first, second, third] = statementOf(equal);
    expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
    const texts = [row({ text: 'b' }), row({ text: 'a' })];
    expect(statementOf(texts.toReversed()).reverse()).toEqual(statementOf(texts));
    const more = statementOf([row({ day: '2026-03-01' }), ...equal, row({ day: '2026-04-01' })]);
    expect(more.slice(1, 4)).toEqual([first, second, third]);
    expect(statementOf([row({ text: 'shorter', name: 'D' })])[0]?.id).toBe(first?.id);
    expect(statementOf([row({ reference: ' ft 1' })])[0]?.id).toBe(
      statementOf([row({ reference: 'FT1' })])[0]?.id,
    );
  });

  test('is that of its own payment reference, in a file of noon and in one of the evening', () => {
    const noon = row({ text: `Z ${referenceOf(1)}` });
    const evening = [row({ text: `A ${referenceOf(2)}` }), noon];
    for (const reference of [undefined, '000']) {
      const [first] = statementOf([{ ...noon, reference }]);
      const [added, same] = statementOf(evening.map((each) => ({ ...each, reference })));
      expect([same?.id, added?.id === first?.id]).toEqual([first?.id, false]);
    }
  });

  test('sorts by day', () => {
    const days = ['1999-12-31', '2026-03-01', '2026-03-31', '2099-01-01'];
    const ids = statementOf(days.map((day) => row({ day }))).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('suggestions', () => {
  const [stored] = statementOf([row({ text: 'TRF FROM PEMA LHAMO' })]);
  const nameOf = ({ buyer, customerId }: Invoice) => buyer?.name ?? { cust_2: 'Pema Lhamo' }[customerId];
  const suggest = (invoices: readonly Invoice[], left = 1000) =>
    stored
      ? suggestInvoices(stored, left, invoices, 'BTN', nameOf).map(({ invoiceId, reason }) => [
          invoiceId,
          reason,
        ])
      : [];
  const pema = newInvoice(1, 1000, false, { name: 'Pema Lhamo' });
  const dorji = newInvoice(2, 1000, false, { name: 'Dorji Pema' });

  test('have the strongest reason first', () => {
    expect(suggest([dorji, pema])).toEqual([
      [pema.id, 'amount_and_name'],
      [dorji.id, 'amount_and_date'],
    ]);
  });

  test('compare the name of the customer, if the invoice itself names no buyer', () => {
    const own = { ...newInvoice(4, 1000), customerId: 'cust_2' };
    expect(suggest([own])).toEqual([[own.id, 'amount_and_name']]);
    expect(suggest([{ ...dorji, customerId: 'cust_2' }])).toEqual([[dorji.id, 'amount_and_date']]);
  });

  test('leave out invoices that are paid, of another amount, or from another time', () => {
    expect(suggest([{ ...pema, status: 'paid' }, newInvoice(3, 999)])).toEqual([]);
    expect(suggest([{ ...dorji, createdAt: Date.UTC(2026, 3, 1) }])).toEqual([]);
    expect(suggest([{ ...dorji, overdueAt: Date.UTC(2026, 0, 1) }])).toEqual([]);
    expect(suggest([pema], 0)).toEqual([]);
  });

  test('have an invoice that the row names, also if the amount differs', () => {
    const [named] = statementOf([row({ text: referenceOf(3), amount: 5 })]);
    if (!named) throw new Error('There is no row.');
    expect(suggestInvoices(named, 5, [newInvoice(3, 999)], 'BTN', nameOf)).toMatchObject([
      { reason: 'payment_reference', amountDue: 999 },
    ]);
  });

  test('have a paid invoice that the row names last, unless the money is recorded or another invoice replaces it', () => {
    const [named] = statementOf([row({ text: `PEMA LHAMO ${referenceOf(3)}` })]);
    if (!named) throw new Error('There is no row.');
    const paid: Invoice = { ...newInvoice(3, 2500), status: 'paid' };
    const reasonsOf = (invoices: readonly Invoice[]) =>
      suggestInvoices(named, 1000, invoices, 'BTN', nameOf).map(({ invoiceId, reason, amountDue }) => [
        invoiceId,
        reason,
        amountDue,
      ]);
    expect(reasonsOf([paid, pema])).toEqual([
      [pema.id, 'amount_and_name', 1000],
      [paid.id, 'payment_reference', 0],
    ]);
    expect(reasonsOf([{ ...paid, replacedBy: pema.id }])).toEqual([]);
    expect(reasonsOf([{ ...paid, status: 'cancelled' }])).toEqual([]);
    expect(reasonsOf([{ ...paid, currency: 'USD' }])).toEqual([]);
  });
});

test('recorded payments are suggested by reference, payment reference, or amount and day, and first those that no row shows', () => {
  const [stored] = statementOf([row({ reference: 'FT 9' })]);
  if (!stored) throw new Error('There is no row.');
  const day = Date.UTC(2026, 2, 31);
  const recorded = (id: string, fields: Partial<Payment> = {}) =>
    ({
      id,
      invoiceId: idOf(1),
      amount: 1000,
      currency: 'BTN',
      method: 'offline',
      status: 'completed',
      reference: null,
      createdAt: day,
      ...fields,
    }) as Payment;
  const candidates = [
    recorded('pay_3', { receivedOn: '2026-03-30' }),
    recorded('pay_4'),
    recorded('pay_2', { invoiceId: idOf(2) }),
    recorded('pay_1', { amount: 900, reference: 'ft9' }),
    recorded('pay_5', { receivedOn: '2026-01-30' }),
    recorded('pay_6', { statementRow: 'row_1', reference: 'FT 9' }),
    recorded('pay_a', { statementRow: 'row_2', receivedOn: '2026-03-30' }),
    recorded('pay_b', { statementRow: stored.id }),
    recorded('pay_7', { voidedAt: day }),
    recorded('pay_8', { method: 'card' }),
    recorded('pay_9', { currency: 'USD' }),
    recorded('pay_0', { amount: 1001, reference: 'FT 9' }),
  ];
  const named = { ...stored, invoices: [idOf(2)] };
  expect(
    suggestRecorded(named, 1000, candidates, 'BTN').map(({ paymentId, reason }) => [paymentId, reason]),
  ).toEqual([
    ['pay_1', 'reference'],
    ['pay_2', 'payment_reference'],
    ['pay_4', 'amount_and_date'],
  ]);
  expect(suggestRecorded(named, 0, candidates, 'BTN')).toEqual([]);
});

test('money that went out is suggested to refunds of its amount, currency and time, the nearest first', () => {
  const [out] = statementOf([row({ amount: -1000 })]);
  if (!out) throw new Error('There is no row.');
  const day = Date.UTC(2026, 2, 31);
  const refund = (id: string, fields: Partial<Refund> = {}) =>
    ({
      id,
      paymentId: 'pay_1',
      amount: 1000,
      currency: 'BTN',
      status: 'processed',
      createdAt: day,
      ...fields,
    }) as Refund;
  const candidates = [
    refund('ref_2', { createdAt: day - 864e5 }),
    refund('ref_1', { status: 'pending' }),
    refund('ref_3', { status: 'failed' }),
    refund('ref_4', { currency: 'USD' }),
    refund('ref_5', { amount: 999 }),
    refund('ref_6', { createdAt: day + 32 * 864e5 }),
  ];
  expect(suggestRefunds(out, candidates, 'BTN').map(({ refundId }) => refundId)).toEqual(['ref_1', 'ref_2']);
});

test('references are read as people and banks write them', () => {
  const reference = referenceOf(1);
  const formatted = formatPaymentReference(reference);
  for (const text of [
    reference,
    formatted,
    formatted.replace('-', ' '),
    `REF:${formatted}.`,
    `a ${reference.toLowerCase()} b`,
  ])
    expect([text, referencesIn({ text })]).toEqual([text, [parsePaymentReference(reference)]]);
  expect(referencesIn({ text: `X${reference}` })).toEqual([]);
});
