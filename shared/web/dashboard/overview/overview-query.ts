/** Reads what the overview shows. Writes nothing. */
import type * as v from 'valibot';
import type { Clock } from '../../../base/clock.ts';
import type { Owner } from '../../../base/ids.ts';
import { type StatusOf, statuses } from '../../../base/statuses.ts';
import { InvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import type { eventSchema } from '../../../domain/events/event.ts';
import { listEventPage } from '../../../domain/events/listing.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import type { ShownInvoice } from '../../../domain/invoices/invoice.ts';
import { listInvoicePage, readInvoiceIndex } from '../../../domain/invoices/invoice-store.ts';
import type { Summary } from '../../../domain/journal/summary.ts';
import { readSummary } from '../../../domain/journal/summary-store.ts';
import type { ShownPayment } from '../../../domain/payments/payment.ts';
import { listPaymentPage, readPaymentIndex } from '../../../domain/payments/payment-store.ts';
import { type Decisions, findDecisions, readDecisions } from '../../../domain/search/decision-store.ts';
import { countWaitingRows } from '../../../domain/statements/waiting-statements.ts';
import { readWebhooks } from '../../../domain/webhooks/webhook-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { asOwnChain } from '../../../store/call-count.ts';
import { invoicesOf } from '../payments/payment-list.ts';
import { type EndpointState, isFailing, withHealth } from '../webhooks/webhook-queries.ts';
import { recordsOfDecisions } from './decision-card.ts';

export interface Overview {
  /** The exact number of invoices of each status. */
  readonly counts: Readonly<Record<StatusOf<'invoice'>, number>>;
  readonly invoices: readonly ShownInvoice[];
  readonly payments: readonly ShownPayment[];
  /** The names of the customers of the invoices and payments. */
  readonly names: CustomerNames;
  /** The numbers of the invoices of the payments, by the ids of the invoices. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly events: readonly v.InferOutput<typeof eventSchema>[];
  readonly failing: readonly EndpointState[];
  /** What the merchant must decide. */
  readonly decisions: Decisions;
  /** The last twelve months, and what is outstanding. */
  readonly summary: Summary;
  /** The number of all endpoints. */
  readonly endpoints: number;
  /** Requests allowed per clock hour, and requests in the present one. */
  readonly rateLimit: { readonly limit: number; readonly used: number };
}

const rows = 5;
const newest = { status: undefined, offset: 0, limit: rows, isReadOnly: true };

/** Reads the overview of an account and mode. Three calls in sequence. @param moment the present on both clocks */
export async function readOverview(owner: Owner, moment: Clock): Promise<Overview> {
  const query = { by: 'month', from: undefined, to: undefined, currency: undefined } as const;
  const [summary, latest] = await Promise.all([
    asOwnChain(() => readSummary(owner, query, moment.account)),
    asOwnChain(() => readLatest(owner, moment)),
  ]);
  return { ...latest, summary };
}

async function readLatest(owner: Owner, { real: now }: Clock): Promise<Omit<Overview, 'summary'>> {
  const query = { limit: rows, type: undefined, before: undefined, after: undefined };
  const [usage, invoiceView, paymentView, events, webhooks, decisionIds, waitingRows] = await Promise.all([
    readAccountUsage(owner, now),
    readInvoiceIndex(owner, {}),
    readPaymentIndex(owner, { invoiceId: undefined, customerId: undefined }),
    listEventPage(owner, query, now),
    readWebhooks(owner),
    findDecisions(owner),
    countWaitingRows(owner),
  ]);
  const { principal, limit, used } = usage;
  const [invoices, payments, endpoints, decisions] = await Promise.all([
    listInvoicePage(principal, invoiceView, newest),
    listPaymentPage(principal, paymentView, newest),
    withHealth(webhooks),
    readDecisions(owner, decisionIds, waitingRows),
  ]);
  const numbers = new InvoiceNumbers(owner);
  const [names, named, numberOf] = await Promise.all([
    readCustomerNames(owner, [...invoices.data, ...payments.data, ...recordsOfDecisions(decisions)]),
    numbers.addTo(invoices),
    numbers.of(invoicesOf(payments.data)),
  ]);
  const counts = statuses.invoice.map((status) => [status, invoiceView.select(status, 0, 0).total] as const);
  return {
    counts: Object.fromEntries(counts) as Overview['counts'],
    invoices: named.data,
    payments: payments.data,
    names,
    numbers: numberOf,
    decisions,
    events: events.data,
    failing: endpoints.filter(isFailing),
    endpoints: endpoints.length,
    rateLimit: { limit, used },
  };
}
