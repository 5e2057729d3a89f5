/** Tests which checkout states may follow which, and what happens to the money and the invoice. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ApiError } from '../../../shared/base/errors.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { CheckoutOpenError } from '../../../shared/domain/invoices/open-checkout.ts';
import {
  cancelInvoice,
  createInvoice,
  makeOverdue,
  payInvoice,
  updateInvoice,
} from '../../../shared/domain/invoices/transitions.ts';
import { type Checkout, checkoutMs, requestOf } from '../../../shared/domain/payments/checkouts/checkout.ts';
import { providerReferenceId } from '../../../shared/domain/payments/checkouts/record.ts';
import { acceptPayment, returnPayment } from '../../../shared/domain/payments/checkouts/resolve-payment.ts';
import {
  abandonCheckout,
  awaitCheckout,
  completeCheckout,
  refuseCheckout,
  type SettledChanges,
} from '../../../shared/domain/payments/checkouts/settled-changes.ts';
import {
  isOfCheckout,
  markMismatch,
  noteBegun,
  openCheckout,
} from '../../../shared/domain/payments/checkouts/transitions.ts';
import { type Payment, showPayment } from '../../../shared/domain/payments/payment.ts';
import { beginCardPayment, recordOffline } from '../../../shared/domain/payments/transitions.ts';

const now = Date.UTC(2026, 10, 21);
const owner = { account: 'acct_0000000000000000', mode: 'live' } as const;
const identity = { ...owner, seq: 7, id: `pay_${'0'.repeat(26)}` };
const card = { brand: 'visa', last4: '4242' } as const;
const invoice: Invoice = createInvoice(
  {
    ...owner,
    seq: 3,
    id: `inv_${'0'.repeat(26)}`,
    filterKeys: ['#customer#hash'],
    paymentUrl: 'https://pay.example/inv',
  },
  { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Tea' },
  now - 1000,
).record;
const begin = {
  ...owner,
  id: `co_${'0'.repeat(26)}`,
  provider: 'stripe',
  returnUrl: 'https://pay.example/inv?checkout=co',
} as const;
const [opened, bound] = openCheckout(begin, invoice, now);
const checkout = opened.record;
const received = { reference: 'pi_1', card, amountMinor: 2500, refundedMinor: 0, fees: null } as const;
const name = providerReferenceId(owner, 'stripe', 'payment', 'pi_1');
const later = now + 60_000;
const receipt = { paymentId: 'pay_other', method: 'offline', card: null, reference: null } as const;

const complete = (state: Checkout, present: Invoice, amountMinor = 2500) =>
  requirePayment(
    completeCheckout(
      { checkout: state, invoice: present, payment: { identity } },
      { ...received, amountMinor },
      name,
      later,
    ),
  );
/** The payment and the checkout of changes that have both. */
function requirePayment([payment, changed, ended, named]: SettledChanges) {
  if (!payment || !ended) throw new Error('The payment or the checkout does not change.');
  return [payment, changed, ended, named] as const;
}
const typesOf = (change: { events: readonly { type: string }[] } | undefined) =>
  change?.events.map(({ type }) => type);

describe('a new checkout', () => {
  test('has what the provider needs, a timer, and binds the invoice without an event', () => {
    expect(requestOf(checkout)).toEqual({
      key: checkout.id,
      invoiceId: invoice.id,
      amountMinor: 2500,
      currency: 'USD',
      description: 'Tea',
      returnUrl: begin.returnUrl,
      createdAt: now,
      expiresAt: now + checkoutMs,
    });
    expect(opened.timers).toEqual([{ due: now + 30_000, kind: 'checkout', reference: checkout.id }]);
    expect([opened.indexEntry, opened.events, bound.indexEntry, bound.events]).toEqual([
      undefined,
      [],
      undefined,
      [],
    ]);
    expect(bound.record).toEqual({ ...invoice, version: 2, openCheckout: checkout.id });
  });

  test('is the only one of its invoice', () => {
    expect(() => openCheckout({ ...begin, id: 'co_other' }, bound.record, now)).toThrow(CheckoutOpenError);
  });

  test('takes the first answer of the provider, and no later one', () => {
    const begun = noteBegun(checkout, { reference: 'cs_1', redirectUrl: 'https://checkout.stripe.com/c' });
    expect(begun?.record).toMatchObject({ reference: 'cs_1', version: 2, status: 'open' });
    expect(
      noteBegun(begun?.record as Checkout, { reference: 'cs_2', redirectUrl: 'https://x' }),
    ).toBeUndefined();
    const voided = abandonCheckout(checkout, bound.record, 'voided', undefined, now)[2]?.record as Checkout;
    expect(noteBegun(voided, { reference: 'cs_1', redirectUrl: 'https://x' })).toBeUndefined();
  });
});

describe('an invoice with an open checkout', () => {
  const changes = {
    cancel: (present: Invoice) => cancelInvoice(present, later),
    update: (present: Invoice) => updateInvoice(present, { amount: 9 }, later),
    'offline payment': (present: Invoice) =>
      recordOffline(identity, present, { amount: undefined, reference: null }, later),
    'card payment': (present: Invoice) =>
      beginCardPayment(identity, present, { amount: undefined, card, pendingRequest: undefined }, later),
  };

  test.each(Object.entries(changes))('needs it to be voided before: %s', (_, change) => {
    expect(() => change(bound.record)).toThrow(CheckoutOpenError);
    expect(() => change(bound.record)).toThrow(expect.objectContaining({ code: 'payment_in_progress' }));
    expect(() =>
      change(abandonCheckout(checkout, bound.record, 'voided', undefined, now)[1]?.record as Invoice),
    ).not.toThrow();
  });

  test('needs no void for requests that are invalid or change nothing', () => {
    expect(updateInvoice(bound.record, { amount: 2500, description: 'Tea' }, later)).toBeUndefined();
    const details = { amount: 1, reference: null };
    expect(() => recordOffline(identity, bound.record, details, later)).toThrow(
      expect.objectContaining({ code: 'invalid_amount' }),
    );
    const paid = payInvoice(bound.record, receipt, later).record;
    expect(paid.openCheckout).toBeUndefined();
    expect(() => cancelInvoice({ ...paid, openCheckout: checkout.id }, later)).toThrow(
      expect.objectContaining({ code: 'invoice_already_paid' }),
    );
  });

  test('turns overdue, and is still paid by the checkout', () => {
    const overdue = makeOverdue(bound.record, bound.record.overdueAt)?.record as Invoice;
    expect(complete(checkout, overdue)[1]?.record.status).toBe('paid');
  });
});

describe('a checkout that is paid', () => {
  test('creates the payment, pays the invoice, and names the payment by its reference', () => {
    const [payment, paid, ended, named] = complete(checkout, bound.record);
    expect(showPayment(payment.record)).toMatchObject({
      status: 'completed',
      method: 'provider',
      amount: 2500,
      card,
      reference: 'pi_1',
      amountRefunded: 0,
    });
    expect([typesOf(payment), typesOf(paid)]).toEqual([['payment.completed'], ['invoice.paid']]);
    expect(paid?.record).toMatchObject({
      status: 'paid',
      receipt: { paymentId: identity.id, method: 'provider' },
    });
    expect(paid?.record.openCheckout).toBeUndefined();
    expect(ended.record).toMatchObject({ status: 'completed', paymentId: identity.id, description: '' });
    expect(named?.record).toMatchObject({ id: name, record: identity.id });
  });

  test('has its fees, or a timer that asks for them', () => {
    const target = { checkout, invoice: bound.record, payment: { identity } };
    const fees = { amountMinor: 103, taxMinor: 0, netMinor: 2397, currency: 'USD' };
    const known = completeCheckout(target, { ...received, fees }, name, later)[0];
    expect(showPayment(known?.record as Payment).fees).toEqual({
      amount: 103,
      tax: 0,
      net: 2397,
      currency: 'USD',
    });
    expect(known?.timers).toEqual([]);
    const [unknown, untold] = [undefined, null].map(
      (told) => completeCheckout(target, { ...received, fees: told }, name, later)[0],
    );
    expect([unknown, untold].map((change) => showPayment(change?.record as Payment).fees)).toEqual([
      null,
      null,
    ]);
    expect(unknown?.timers).toEqual([{ due: later + 60_000, kind: 'checkout', reference: identity.id }]);
    expect(untold?.timers).toEqual([]);
  });

  const unpayable: Record<string, Invoice> = {
    cancelled: { ...cancelInvoice(invoice, later).record, openCheckout: checkout.id },
    'paid otherwise': payInvoice(bound.record, receipt, later).record,
    changed: {
      ...(updateInvoice(invoice, { amount: 2600 }, later)?.record as Invoice),
      openCheckout: checkout.id,
    },
    'bound to another checkout': {
      ...(updateInvoice(invoice, { amount: 2600 }, later)?.record as Invoice),
      openCheckout: 'co_2',
    },
  };
  test.each(Object.entries(unpayable))('is refunded if the invoice is %s', (_, present) => {
    const [payment, released] = complete(checkout, present);
    expect(payment.record).toMatchObject({
      amount: 2500,
      amountReserved: 2500,
      pendingCompensation: 'refund',
    });
    expect(payment.timers).toEqual([{ due: later, kind: 'refund', reference: identity.id }]);
    expect(released?.events ?? []).toEqual([]);
    const own = present.openCheckout === checkout.id ? undefined : present.openCheckout;
    expect((released?.record ?? present).openCheckout).toBe(own);
    expect((released?.record ?? present).status).toBe(present.status);
  });

  test('after it had expired still makes a payment', () => {
    const [, released, expired] = abandonCheckout(checkout, bound.record, 'expired', undefined, now);
    const [payment, paid] = complete(expired?.record as Checkout, released?.record as Invoice);
    expect(payment.record.status).toBe('completed');
    expect(paid?.record.status).toBe('paid');
  });
});

test('only a payment with the currency and key of the checkout belongs to it', () => {
  fc.assert(
    fc.property(
      fc.record({
        key: fc.constantFrom(checkout.id, 'co_other', undefined),
        currency: fc.constantFrom('USD', 'usd', 'INR', ''),
      }),
      (reported) => {
        const same = reported.key === checkout.id && reported.currency === 'USD';
        expect(isOfCheckout(checkout, reported)).toBe(same);
      },
    ),
  );
});

describe('a payment of another amount', () => {
  const [held, waiting, open] = complete(checkout, bound.record, 2600);
  const heldInvoice = waiting?.record as Invoice;

  test('stays pending, and the invoice waits for the decision of the merchant', () => {
    expect(showPayment(held.record)).toMatchObject({
      status: 'pending',
      amount: 2600,
      pendingReason: 'amount_differs',
      amountOver: 0,
    });
    expect([typesOf(held), waiting?.events]).toEqual([['payment.held'], []]);
    expect(heldInvoice).toMatchObject({
      status: 'pending',
      paymentInProgress: identity.id,
      openCheckout: checkout.id,
    });
    expect(open.record).toMatchObject({ status: 'open', paymentId: identity.id });
    const again = { checkout: open.record, invoice: heldInvoice, payment: { pending: held.record } };
    expect(completeCheckout(again, { ...received, amountMinor: 2600 }, undefined, later + 1)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('completes if it is accepted, and keeps what is more than due', () => {
    const [payment, paid] = acceptPayment(held.record, heldInvoice, later);
    expect(showPayment(payment.record)).toMatchObject({ status: 'completed', amount: 2600, amountOver: 100 });
    expect([typesOf(payment), typesOf(paid)]).toEqual([['payment.completed'], ['invoice.paid']]);
    expect(payment.timers).toEqual([{ due: later, kind: 'checkout', reference: checkout.id }]);
    expect(() => acceptPayment(payment.record, paid.record, later)).toThrow(
      expect.objectContaining({ code: 'payment_not_resolvable' }),
    );
  });

  test('of less than due has nothing over', () => {
    const [less, invoiceOfLess] = complete(checkout, bound.record, 2400);
    const [payment] = acceptPayment(less.record, invoiceOfLess?.record as Invoice, later);
    expect(payment.record).toMatchObject({ status: 'completed', amount: 2400, amountOver: 0 });
    expect(payment.record.settle).toEqual({ writeOff: 100, reason: 'other' });
  });

  test.each([
    [2600, 50, { amountOver: 100 }, undefined],
    [2600, 300, { amountOver: 300 }, { amount: 2300, writtenOff: 200 }],
    [2400, 100, { amountOver: 100 }, { amount: 2300, writtenOff: 200 }],
  ])('of %i counts without what the provider has returned: %i', (amount, amountRefunded, over, part) => {
    const [other, invoiceOfOther] = complete(checkout, bound.record, amount);
    const returned = { ...other.record, amountRefunded, overRefunded: amountRefunded };
    const [payment, paid] = acceptPayment(returned, invoiceOfOther?.record as Invoice, later);
    expect(payment.record).toMatchObject(over);
    expect([paid.record.status, paid.record.parts?.[0]]).toEqual([
      'paid',
      part && { paymentId: identity.id, ...part },
    ]);
    const gone = { ...returned, amountRefunded: amount };
    expect(() => acceptPayment(gone, invoiceOfOther?.record as Invoice, later)).toThrow(
      'The payment provider has returned all of this payment.',
    );
  });

  test.each([
    [48, ['pending', undefined]],
    [49, 'payment_not_resolvable'],
  ])('of less than due of an invoice with %i parts writes nothing off: %j', (count, expected) => {
    const parts = Array.from({ length: count }, (_, part) => ({ paymentId: `pay_${part}`, amount: 10 }));
    const [less, invoiceOfLess] = complete(checkout, bound.record, 1000);
    const partly = { ...(invoiceOfLess?.record as Invoice), acceptPartial: true, parts } as const;
    const accept = () => {
      try {
        const { status, parts: counted } = acceptPayment(less.record, partly, later)[1].record;
        return [status, counted?.at(-1)?.writtenOff];
      } catch (error) {
        return (error as ApiError).code;
      }
    };
    expect(accept()).toEqual(expected);
  });

  test('fails if it is refunded, and the invoice is free', () => {
    const [payment, released] = returnPayment(held.record, heldInvoice, later);
    expect(payment.record).toMatchObject({
      status: 'failed',
      failureCode: 'amount_differs',
      amountReserved: 2600,
      pendingCompensation: 'refund',
    });
    expect(typesOf(payment)).toEqual(['payment.failed']);
    expect(released.record.openCheckout ?? released.record.paymentInProgress).toBeUndefined();
    expect(() => openCheckout({ ...begin, id: 'co_2' }, released.record, later)).not.toThrow();
  });

  test('is not accepted for an invoice that is paid otherwise, and is then refunded', () => {
    const paid = payInvoice(bound.record, receipt, later).record;
    expect(() => acceptPayment(held.record, paid, later)).toThrow(
      expect.objectContaining({ code: 'invoice_already_paid' }),
    );
    const target = { checkout: open.record, invoice: paid, payment: { pending: held.record } };
    const changes = completeCheckout(target, { ...received, amountMinor: 2600 }, undefined, later);
    expect(changes[0]?.record).toMatchObject({ status: 'completed', pendingCompensation: 'refund' });
  });

  test('that somebody has returned at the provider fails', () => {
    const [payment, released, ended] = abandonCheckout(
      open.record,
      heldInvoice,
      'expired',
      held.record,
      later,
    );
    expect(payment?.record).toMatchObject({ status: 'failed', failureCode: 'amount_differs' });
    expect(released?.record.paymentInProgress).toBeUndefined();
    expect(ended?.record).toMatchObject({ status: 'expired', paymentId: undefined });
  });
});

describe('a payment whose outcome takes days', () => {
  const target = { checkout, invoice: bound.record, payment: { identity } };
  const [pending, waiting, open] = requirePayment(awaitCheckout(target, 'processing', later));

  test('is pending without an event, and no other payment can begin', () => {
    expect(showPayment(pending.record)).toMatchObject({ status: 'pending', pendingReason: 'processing' });
    expect(pending.events).toEqual([]);
    expect(() => openCheckout({ ...begin, id: 'co_2' }, waiting?.record as Invoice, later)).toThrow(
      expect.objectContaining({ code: 'payment_in_progress' }),
    );
    expect(() => updateInvoice(waiting?.record as Invoice, { amount: 1 }, later)).toThrow(CheckoutOpenError);
  });

  test.each(['paid', 'refused'] as const)('is the same payment when it is %s', (outcome) => {
    const again = {
      checkout: open.record,
      invoice: waiting?.record as Invoice,
      payment: { pending: pending.record },
    };
    const [payment, changed, ended] = requirePayment(
      outcome === 'paid'
        ? completeCheckout(again, received, name, later)
        : refuseCheckout(again, 'processing_error', later),
    );
    expect(payment.record).toMatchObject({
      id: identity.id,
      status: outcome === 'paid' ? 'completed' : 'failed',
      objectVersion: 2,
      pendingReason: undefined,
    });
    expect(changed?.record.status).toBe(outcome === 'paid' ? 'paid' : 'pending');
    expect(changed?.record.paymentInProgress).toBeUndefined();
    expect(ended.record).toMatchObject({ status: 'completed', paymentId: identity.id });
  });
});

test('a mismatch marks the checkout once, and leaves it open', () => {
  const marked = markMismatch(checkout)?.record as Checkout;
  expect(marked).toMatchObject({ status: 'open', hasMismatch: true });
  expect(markMismatch(marked)).toBeUndefined();
});

test('a refused checkout makes a failed payment and releases the invoice', () => {
  const target = { checkout, invoice: bound.record, payment: { identity } };
  const [payment, released, ended] = requirePayment(refuseCheckout(target, 'card_declined', later));
  expect(showPayment(payment.record)).toMatchObject({
    status: 'failed',
    failureCode: 'card_declined',
    amount: 2500,
  });
  expect(typesOf(payment)).toEqual(['payment.failed']);
  expect(released?.record.openCheckout).toBeUndefined();
  expect(ended.record).toMatchObject({ status: 'completed', paymentId: identity.id });
});

/** The steps that workers and requests make, in any order, each on the records as they are then. */
const steps = ['open', 'paid', 'refused', 'expired', 'voided', 'cancel', 'update', 'offline'] as const;

test('in every order of steps, the invoice is paid at most once and other money is refunded', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 14, size: 'max' }), (order) => {
      let present = invoice;
      let state: Checkout | undefined;
      let opens = 0;
      let paidBy = 0;
      for (const step of order) {
        const at = later + opens;
        try {
          if (step === 'open') {
            opens += 1;
            const changes = openCheckout({ ...begin, id: `co_${opens}` }, present, at);
            [state, present] = [changes[0].record, changes[1].record];
          } else if (step === 'cancel') present = cancelInvoice(present, at).record;
          else if (step === 'update')
            present = updateInvoice(present, { amount: present.amount + 1 }, at)?.record ?? present;
          else if (step === 'offline') {
            present = recordOffline(identity, present, { amount: undefined, reference: null }, at)[1].record;
            paidBy += 1;
          } else if (state && state.status !== 'completed') {
            if (step === 'paid') {
              const target = { checkout: state, invoice: present, payment: { identity } };
              const changes = requirePayment(
                completeCheckout(target, { ...received, amountMinor: state.amount }, name, at),
              );
              const isReturned = changes[0].record.pendingCompensation === 'refund';
              if (!isReturned) paidBy += 1;
              expect(changes[1]?.record.payerNote?.unneededMinor ?? 0).toBeGreaterThan(isReturned ? 0 : -1);
              [present, state] = [changes[1]?.record ?? present, changes[2].record];
            } else if (step === 'refused') {
              if (state.status !== 'open') continue;
              const target = { checkout: state, invoice: present, payment: { identity } };
              const changes = requirePayment(refuseCheckout(target, 'card_declined', at));
              [present, state] = [changes[1]?.record ?? present, changes[2].record];
            } else {
              const changes = abandonCheckout(state, present, step, undefined, now);
              [state, present] = [changes[2]?.record ?? state, changes[1]?.record ?? present];
            }
          }
        } catch (error) {
          if (!(error instanceof Error && 'code' in error)) throw error;
        }
        if (state && state.status !== 'open') expect(present.openCheckout).not.toBe(state.id);
      }
      expect(paidBy).toBe(present.status === 'paid' ? 1 : 0);
    }),
  );
});
