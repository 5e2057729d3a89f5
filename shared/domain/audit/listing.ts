/** Builds the pages of the audit log. */
import type * as v from 'valibot';
import type { Instant } from '../../base/time.ts';
import { type AuditScope, readAuditEntries } from './audit-store.ts';
import { type AuditEntry, type auditLogSchema, type ListAuditLog, showAuditEntry } from './entry.ts';

/** The entries that one request examines. So a filter costs at most as much as the largest page without one. */
const maxExamined = 100;

/**
 * Returns a page of the audit log, newest first. With a filter, a page can contain fewer entries than `limit` although
 * `hasMore` is true: there are entries that this request did not examine.
 */
export async function listAuditPage(
  scope: AuditScope,
  { limit, before, ...filter }: ListAuditLog,
  now: Instant,
): Promise<v.InferOutput<typeof auditLogSchema>> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const examined = isFiltered ? maxExamined : limit;
  const entries = await readAuditEntries(scope, before, examined + 1, now);
  const data: AuditEntry[] = [];
  let last: string | undefined;
  const page = (hasMore: boolean) => ({
    data: data.map(showAuditEntry),
    cursor: { hasMore, next: last ?? null },
  });
  for (const [index, entry] of entries.entries()) {
    if (data.length === limit || index === examined) return page(true);
    if (matches(entry, filter)) data.push(entry);
    last = entry.id;
  }
  return page(false);
}

function matches(
  entry: AuditEntry,
  { actor, action, resource }: Pick<ListAuditLog, 'actor' | 'action' | 'resource'>,
): boolean {
  return (
    (actor === undefined || entry.actor.id === actor) &&
    (action === undefined || entry.action === action) &&
    (resource === undefined || entry.resource === resource)
  );
}
