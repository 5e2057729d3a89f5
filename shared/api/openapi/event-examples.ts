/** Holds an example of each event. */

import type { EventType } from '../../domain/events/event.ts';
import { newestApiVersion } from '../../domain/versions/versions.ts';
import { documentExamples } from './document-field-texts.ts';
import {
  changedInvoice,
  declinedPaymentExample,
  delivery,
  disputedPayment,
  heldPayment,
  paidAt,
  payment,
  paymentWithFees,
  refund,
  refundedAt,
  voidedPayment,
} from './example-records.ts';
import { completedExport, failedExport } from './export-field-texts.ts';
import { claimExample, invoice } from './invoice-field-texts.ts';
import { bouncedMail } from './mail-field-texts.ts';
import type { Example } from './named-schemas.ts';
import { scheduleExamples, scheduleOfEvent } from './schedule-field-texts.ts';

const eventOf = (
  type: EventType,
  id: string,
  objectVersion: number,
  data: Example<'Invoice'> | Example<'Payment'> | Example<'Refund'>,
) =>
  ({
    id,
    type,
    timestamp: data.updatedAt,
    mode: 'test',
    objectVersion,
    data,
    apiVersion: newestApiVersion,
  }) as const;

const paidInvoice: Example<'Invoice'> = {
  ...invoice,
  status: 'paid',
  updatedAt: paidAt,
  amountPaid: invoice.amount,
  amountDue: 0,
};

/** An event of each type. */
export const eventExamples: Readonly<Record<EventType, Example<'Event'>>> = {
  'invoice.created': eventOf('invoice.created', 'evt_1c5k8rw0z3n6vd9h2xq7bt4mje', 1, invoice),
  'invoice.paid': eventOf('invoice.paid', delivery.eventId, 2, paidInvoice),
  'invoice.updated': {
    ...eventOf('invoice.updated', 'evt_5j0t3xn8c6zw1k9q4hd7vbm2re', 2, {
      ...changedInvoice,
      amount: 260_000,
      amountDue: 260_000,
    }),
    previous: { amount: invoice.amount },
  },
  'invoice.cancelled': eventOf('invoice.cancelled', 'evt_8b2m6qz0v4t9k1xw7chr3njd5e', 2, {
    ...changedInvoice,
    status: 'cancelled',
    amountDue: 0,
  }),
  'invoice.overdue': eventOf('invoice.overdue', 'evt_0x7d4hv9n2c5tz8k3qw6rbj1me', 2, {
    ...invoice,
    status: 'overdue',
    updatedAt: '2026-12-21T09:30:01.206Z',
  }),
  'invoice.claimed': eventOf('invoice.claimed', 'evt_4z8t1cn6x9k3wq0v5hr2dbj7me', 2, {
    ...invoice,
    claim: claimExample,
  }),
  'payment.completed': eventOf('payment.completed', 'evt_6r1z9cw4k7t2xq0n5vh8dbm3je', 2, payment),
  'payment.failed': eventOf('payment.failed', 'evt_3v8k0nt5q2z7xc4w9rh6bdj1me', 2, declinedPaymentExample),
  'payment.updated': eventOf('payment.updated', 'evt_2z6k0mt4x8w1qc5v9nr3hdbj7e', 2, paymentWithFees),
  'payment.disputed': eventOf('payment.disputed', 'evt_9q4t2mx7w0k5zc1n8vh3rdbj6e', 2, disputedPayment),
  'payment.held': eventOf('payment.held', 'evt_4m7x1cz9k3v6tq0w8hr5dbj2ne', 1, heldPayment),
  'payment.voided': eventOf('payment.voided', 'evt_8c3w6hz1v9k4tq2x7nr0mdbj5e', 2, voidedPayment),
  'refund.processed': eventOf('refund.processed', 'evt_2w9x5kz1c8v4tq7n0hr3dbj6me', 2, {
    ...refund,
    status: 'processed',
    updatedAt: refundedAt,
  }),
  'refund.failed': eventOf('refund.failed', 'evt_7n4c0zv6x1k8tq3w5hr9dbj2me', 2, {
    ...refund,
    status: 'failed',
    failureCode: 'refund_refused',
    updatedAt: refundedAt,
  }),
  'document.issued': {
    id: 'evt_2c8w4nz7x1k5tq9v3hr6dbj0me',
    type: 'document.issued',
    timestamp: documentExamples.summary.issuedAt,
    mode: 'test',
    objectVersion: 1,
    data: documentExamples.summary,
    apiVersion: newestApiVersion,
  },
  'mail.bounced': {
    id: 'evt_5v1k8nx4z7c2tq6w0h9r3dbj1m',
    type: 'mail.bounced',
    timestamp: bouncedMail.outcomeAt,
    mode: 'test',
    objectVersion: 4,
    data: bouncedMail,
    apiVersion: newestApiVersion,
  },
  'schedule.failed': {
    id: 'evt_1k8w5nz4x7c2tq6v0h9r3dbj5m',
    type: 'schedule.failed',
    timestamp: scheduleOfEvent.updatedAt,
    mode: 'test',
    objectVersion: 4,
    data: { ...scheduleOfEvent, failure: scheduleExamples.failure },
    apiVersion: newestApiVersion,
  },
  'schedule.ended': {
    id: 'evt_6x2c8wz1n5k4tq7v3h0r9dbj2m',
    type: 'schedule.ended',
    timestamp: scheduleOfEvent.updatedAt,
    mode: 'test',
    objectVersion: 25,
    data: { ...scheduleOfEvent, status: 'ended', next: null, made: 24 },
    apiVersion: newestApiVersion,
  },
  'export.completed': {
    id: 'evt_7k1v8nx4z5c2tq6w0h9r3dbj1m',
    type: 'export.completed',
    timestamp: completedExport.updatedAt,
    mode: 'test',
    objectVersion: 3,
    data: completedExport,
    apiVersion: newestApiVersion,
  },
  'export.failed': {
    id: 'evt_3t6w8nx4z5c2qq1v0h9r3dbj7k',
    type: 'export.failed',
    timestamp: failedExport.updatedAt,
    mode: 'test',
    objectVersion: 3,
    data: failedExport,
    apiVersion: newestApiVersion,
  },
};
