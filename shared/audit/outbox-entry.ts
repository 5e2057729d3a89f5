/** Builds the audit entry of a change from its outbox item. */
import type { AuditAction } from '../audit-origin.ts';
import { auditedPrefix } from '../store/commit/audited-change.ts';
import type { EventDraft, OutboxItem } from '../store/commit/outbox-item.ts';
import { type AuditEntry, newAuditEntry } from './entry.ts';

/** Returns the entry, or undefined if the audit log does not record the change. The same item gives the same entry. */
export function auditEntryOf(item: OutboxItem): AuditEntry | undefined {
  const { pk, sk, events, audited } = item;
  if (!audited) return undefined;
  const { actor, action, requestId, source, changes } = audited;
  const resource = audited.resource ?? resourceIn(events, action);
  const at = Number.parseInt(sk, 10);
  return newAuditEntry(`${pk} ${sk}`, at, {
    actor,
    action,
    outcome: 'done',
    resource,
    requestId,
    source,
    changes,
  });
}

/**
 * Returns the id of the resource of an operation, from the events that contain it. Texts of users in the body cannot match,
 * because JSON escapes their quotation marks.
 */
function resourceIn(events: readonly EventDraft[], action: AuditAction): string | null {
  const prefix = auditedPrefix(action);
  const found = events.map(({ body }) => new RegExp(`"id":"(${prefix}[0-9a-z]+)"`).exec(body)?.[1]);
  return found.find((id) => id !== undefined) ?? null;
}
