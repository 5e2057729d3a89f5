/** Events: what a change announces. The body is frozen when the change commits; every delivery sends those bytes. */
import { eventId, type Owner } from '../ids.ts';
import type { EventDraft } from '../store/outbox.ts';
import { type Instant, toTimestamp } from '../time.ts';

export type EventType =
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.paid'
  | 'invoice.cancelled'
  | 'invoice.overdue'
  | 'payment.completed'
  | 'payment.failed'
  | 'refund.processed'
  | 'refund.failed';

/** The body of an event, as receivers see it. */
export interface EventBody {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly mode: Owner['mode'];
  /** Rises by one with each change of the resource. */
  readonly objectVersion: number;
  /** The resource as the API shows it. */
  readonly data: object;
}

/** The event that version `objectVersion` of record `id` announces; the same arguments give the same bytes. */
export function eventOf(
  type: EventType,
  { id, objectVersion, mode }: { id: string; objectVersion: number; mode: Owner['mode'] },
  at: Instant,
  data: object,
): EventDraft {
  const event = eventId(id, objectVersion, type);
  const body: EventBody = { id: event, type, timestamp: toTimestamp(at), mode, objectVersion, data };
  return { id: event, type, body: JSON.stringify(body) };
}
