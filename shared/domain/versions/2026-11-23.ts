/**
 * Says what version 2026-11-23 adds. To add a field or a query parameter, add one line here.
 *
 * Every function contains these tables, so they stay small.
 */
import { plainCharges, plainLines, plainTotals } from '../charges/plain-charges.ts';
import { Derived, type VersionChange } from './version-change.ts';

/** A list of statuses is a new value of a parameter that the first version has. */
const listFilters = {
  status: (value: unknown) => typeof value === 'string' && value.includes(','),
  currency: true,
  createdFrom: true,
  createdTo: true,
} as const;

const withoutInquiry = (dispute: unknown) => {
  if (typeof dispute !== 'object' || dispute === null) return dispute;
  const { respondBy: _, status, ...others } = dispute as Readonly<Record<string, unknown>>;
  return { status: status === 'inquiry' ? 'open' : status === 'closed' ? 'won' : status, ...others };
};

const isOpen = new Set<unknown>(['pending', 'overdue']);
const laterPaymentFailures = new Set<unknown>(['amount_differs', 'outcome_unknown']);
const laterRefundFailures = new Set<unknown>(['insufficient_balance', 'refund_unconfirmed']);

export const change20261123 = {
  version: '2026-11-23',
  // An invoice without a buyer needs a customer, and one without lines needs an amount. An endpoint without a target needs a URL.
  requiredBefore: { invoices: ['customerId', 'amount'], webhooks: ['url'] },
  earlierValues: {
    payments: {
      dispute: withoutInquiry,
      // An earlier version knows no other way in which no card and no provider received the money.
      method: (method) => (method === 'credit' ? 'offline' : method),
      failureCode: (code) => (laterPaymentFailures.has(code) ? 'processing_error' : code),
      // An earlier version knows no other way in which a completed payment does not count.
      amountRefunded: (refunded, { voidedAt, amount }) => (voidedAt == null ? refunded : amount),
    },
    refunds: { failureCode: (code) => (laterRefundFailures.has(code) ? 'refund_refused' : code) },
    // An earlier version knows no other place to which events go.
    webhooks: { url: (url, { target }) => url ?? target },
  },
  fields: {
    invoices: {
      number: new Derived(() => null),
      reference: null,
      locale: null,
      replaces: null,
      replacedBy: null,
      buyer: null,
      gst: null,
      metadata: {},
      ...plainCharges,
      lines: new Derived(({ amount, description }) => plainLines(Number(amount), String(description))),
      totals: new Derived(({ amount }) => plainTotals(Number(amount))),
      send: undefined,
      acceptPartial: new Derived(() => false),
      amountPaid: new Derived(({ status, amount }) => (status === 'paid' ? amount : 0)),
      amountDue: new Derived(({ status, amount }) => (isOpen.has(status) ? amount : 0)),
      amountWrittenOff: new Derived(() => 0),
      reminders: new Derived(() => null),
      scheduleId: new Derived(() => null),
      period: new Derived(() => null),
      claim: new Derived(() => null),
      useCredit: undefined,
    },
    payments: {
      pendingReason: null,
      amountOver: 0,
      fees: null,
      metadata: {},
      receivedOn: null,
      bank: null,
      note: null,
      settle: null,
      voidedAt: null,
      voidReason: null,
      statementRow: null,
      claim: null,
      allowDuplicateReference: undefined,
      acceptOver: undefined,
      amountCredited: 0,
      creditFrom: null,
    },
    refunds: { metadata: {}, source: 'remit', method: 'provider', amountOver: 0, statementRow: null },
    webhooks: { apiVersion: '2026-11-21', metadata: {}, filters: [], type: 'url', target: null },
    keys: { apiVersion: '2026-11-21' },
    // Each version names itself, so that a receiver knows the form of an event.
    events: { apiVersion: '2026-11-23', previous: undefined },
  },
  parameters: {
    invoices: { ...listFilters, reference: true, amount: true },
    payments: { ...listFilters, amount: true, reference: true, method: true, receivedOn: true },
    refunds: listFilters,
    webhooks: {},
    keys: {},
    events: {},
  },
} as const satisfies VersionChange;
