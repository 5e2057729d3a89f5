/** Appends events and audit entries to their logs without the changes that they are about. */
import type { Owner } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import type { AuditScope } from '../../shared/domain/audit/audit-store.ts';
import type { AuditEntry } from '../../shared/domain/audit/entry.ts';
import type { EventDraft } from '../../shared/store/commit/outbox-item.ts';

/** Appends those events that are not in the log yet. */
export async function appendEvents(owner: Owner, events: readonly EventDraft[]): Promise<void> {
  const { EventLog } = await import('../../shared/domain/events/event-log.ts');
  const { appendToLogs } = await import('../../shared/store/append-to-logs.ts');
  // Without the cursor, the first attempt is refused and shows it.
  const log = await EventLog.open(owner, now(), undefined);
  for (let start = 0; start < events.length; start += eventsPerTransaction) {
    log.add(events.slice(start, start + eventsPerTransaction).map((event) => ({ event })));
    await appendToLogs([log]);
  }
}

/** A transaction has at most 100 actions: one for the cursor, and two for each event. */
const eventsPerTransaction = 49;

/** Appends those entries that are not in the log yet, in one transaction. */
export async function appendAuditEntries(scope: AuditScope, entries: readonly AuditEntry[]): Promise<void> {
  const { AuditLog } = await import('../../shared/domain/audit/audit-log.ts');
  const { appendToLogs } = await import('../../shared/store/append-to-logs.ts');
  const log = await AuditLog.open(scope, undefined);
  log.add(entries);
  await appendToLogs([log]);
}
