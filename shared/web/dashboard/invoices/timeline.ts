/**
 * Builds the timeline of an invoice from its records. Pure.
 *
 * - The log of events has no order by invoice. So each moment names the id that its event must have, which follows from
 *   the record's version and time. The caller asks which of these events exist.
 * - A record shows its creation and its last change. Changes between them have no moment, and are only counted.
 */

import { eventId } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { EventType } from '../../../domain/events/event.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { isCredited } from '../../../domain/invoices/received-money.ts';
import type { Mail, MailState } from '../../../domain/mails/mail.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { movesOf } from '../../../domain/payments/payment-changes.ts';
import type { Refund } from '../../../domain/refunds/refund.ts';

/** What happened. The types without an event are not announced. */
export type MomentKind =
  | Exclude<EventType, `export.${string}`>
  | 'payment.created'
  | 'refund.created'
  | `mail.${MailState}`;

export interface Moment {
  readonly kind: MomentKind;
  readonly at: Instant;
  /** The record that changed. */
  readonly record: {
    readonly id: string;
    readonly amount?: number;
    /** The part of the amount that is more than was due. Undefined or 0: nothing. */
    readonly amountOver?: number | undefined;
  };
  /** The id that the event has if it exists. Undefined: the change is not announced. */
  readonly event: string | undefined;
  /** The mail, if the moment is about one. */
  readonly mail?: Pick<Mail, 'kind' | 'to' | 'state' | 'reason' | 'reminderDay' | 'about'>;
}

export interface InvoiceTimeline {
  /** Newest first. */
  readonly moments: readonly Moment[];
  /** How many changes of the invoice are not among the moments. */
  readonly unlisted: number;
}

/** Returns the timeline of an invoice with the given payments, refunds and mails. */
export function timelineOf(
  invoice: Invoice,
  payments: readonly Payment[],
  refunds: readonly Refund[],
  mails: readonly Mail[] = [],
): InvoiceTimeline {
  const ofInvoice = invoiceMoments(invoice);
  const moments = [
    ...ofInvoice,
    ...payments.flatMap((payment) => paymentMoments(payment, invoice)),
    ...refunds.flatMap(refundMoments),
    ...mails.map(mailMoment),
  ];
  // The order of causes, for moments of the same millisecond.
  const inOrder = moments.map((moment, index) => ({ moment, index }));
  inOrder.sort(
    (one, other) => other.moment.at - one.moment.at || orderOf(other.moment) - orderOf(one.moment),
  );
  return {
    moments: inOrder.map(({ moment }) => moment),
    unlisted: invoice.objectVersion - ofInvoice.length,
  };
}

const causes: readonly MomentKind[] = [
  'invoice.created',
  'invoice.updated',
  'invoice.claimed',
  'invoice.overdue',
  'payment.created',
  'payment.failed',
  'payment.completed',
  'invoice.paid',
  'invoice.cancelled',
  'payment.disputed',
  'payment.voided',
  'refund.created',
  'refund.failed',
  'refund.processed',
];

const orderOf = ({ kind }: Moment): number => causes.indexOf(kind);

function invoiceMoments(invoice: Invoice): Moment[] {
  const { id, objectVersion, createdAt, updatedAt, status } = invoice;
  const record = { id };
  const created = announced('invoice.created', record, 1, createdAt);
  if (objectVersion === 1) return [created];
  // A claim that is the last change has its event. The version of an earlier one is not known.
  const { claim } = invoice;
  if (claim?.claimedAt === updatedAt)
    return [created, announced('invoice.claimed', record, objectVersion, updatedAt)];
  const claimed: Moment[] = claim
    ? [{ kind: 'invoice.claimed', at: claim.claimedAt, record, event: undefined }]
    : [];
  const isUpdated = status === 'pending' || isCredited(invoice);
  const kind = isUpdated ? 'invoice.updated' : (`invoice.${status}` as const);
  return [created, ...claimed, announced(kind, record, objectVersion, updatedAt)];
}

function paymentMoments(payment: Payment, invoice: Invoice): Moment[] {
  const { id, amount, amountOver, status, method, createdAt, dispute } = payment;
  const record = { id, amount };
  const started: Moment = { kind: 'payment.created', at: createdAt, record, event: undefined };
  if (status === 'pending') return [started];
  // An offline payment is complete from the start, and so is most often a payment at a provider.
  const ownVersion = payment.objectVersion - movesOf(payment);
  const isImmediate =
    method === 'offline' || method === 'credit' || (method === 'provider' && ownVersion === 1);
  const ended = announced(
    `payment.${status}`,
    { ...record, amountOver },
    isImmediate ? 1 : 2,
    isImmediate ? createdAt : endOf(payment, invoice),
  );
  const disputed: Moment[] = dispute
    ? [{ kind: 'payment.disputed', at: dispute.openedAt, record, event: undefined }]
    : [];
  // A void is the last change of a payment.
  const voided =
    payment.voidedAt === undefined
      ? []
      : [announced('payment.voided', record, payment.objectVersion, payment.voidedAt)];
  return [...(isImmediate ? [] : [started]), ended, ...disputed, ...voided];
}

/**
 * When a payment got its outcome. A refund changes the payment later, but not the invoice that it paid. Of one that has moved to another
 * invoice only the beginning is known.
 */
function endOf(payment: Payment, { receipt, ...invoice }: Invoice): Instant {
  const { id, amountRefunded, createdAt, updatedAt } = payment;
  if (movesOf(payment) > 0) return createdAt;
  return amountRefunded > 0 && receipt?.paymentId === id ? invoice.updatedAt : updatedAt;
}

/** A processed refund can fail later, if the bank returns the money. A row of a bank statement changes a refund and is no moment of it. */
function refundMoments(refund: Refund): Moment[] {
  const { id, amount, amountOver, status, createdAt, updatedAt, objectVersion } = refund;
  const { processedAt, processedVersion, undoneAt = updatedAt } = refund;
  const record = { id, amount };
  const created: Moment = { kind: 'refund.created', at: createdAt, record, event: undefined };
  const processed =
    processedAt === undefined || processedVersion === undefined
      ? []
      : [announced('refund.processed', { ...record, amountOver }, processedVersion, processedAt)];
  const failed = status === 'failed' ? [announced('refund.failed', record, objectVersion, undoneAt)] : [];
  return [created, ...processed, ...failed];
}

/** A mail has one moment: its last state. */
function mailMoment(mail: Mail): Moment {
  const { id, state, kind, to, reason, reminderDay, about, createdAt, sentAt, outcomeAt, version } = mail;
  const at = outcomeAt ?? sentAt ?? createdAt;
  return {
    kind: `mail.${state}`,
    at,
    record: { id },
    event: state === 'bounced' ? eventId(id, version, 'mail.bounced', at) : undefined,
    mail: { kind, to, state, reason, reminderDay, about },
  };
}

function announced(
  kind: EventType & MomentKind,
  record: Moment['record'],
  version: number,
  at: Instant,
): Moment {
  return { kind, at, record, event: eventId(record.id, version, kind, at) };
}
