/** Lists the statuses of each numbered resource. No other file lists them. */
import type { Resource } from './ids.ts';

/** In the order in which error messages and the API reference name them. */
export const statuses = {
  invoice: ['pending', 'paid', 'overdue', 'cancelled'],
  payment: ['pending', 'completed', 'failed'],
  refund: ['pending', 'processed', 'failed'],
  customer: ['active', 'deleted'],
  product: ['active', 'deleted'],
  draft: ['open', 'finalized', 'deleted'],
  statement: ['matching', 'ready'],
  // An open one is active or paused.
  schedule: ['open', 'ended'],
  export: ['running', 'completed', 'failed'],
} as const satisfies Record<Resource, readonly string[]>;

export type StatusOf<R extends Resource> = (typeof statuses)[R][number];
