/**
 * Puts operations into the outbox for the audit log, and builds their entries from the outbox items. The relay adds the entries.
 * So no other function writes to the audit log.
 */
import { randomUUID } from 'node:crypto';
import type { AuditAction, AuditOrigin, AuditOutcome, SettingChange } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import { auditedPrefix } from '../../store/commit/audited-change.ts';
import {
  committedAtOf,
  type EventDraft,
  type OutboxItem,
  toAuditOutboxItem,
} from '../../store/commit/outbox-item.ts';
import type { Key } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import type { TransactionItem } from '../../store/transactions.ts';
import { type AuditScope, deploymentOwner } from './audit-store.ts';
import { type AuditEntry, newAuditEntry } from './entry.ts';

/** What an operation did. */
interface AuditedOperation {
  readonly resource: string | null;
  readonly changes: readonly SettingChange[];
  readonly at: Instant;
  /** Default: `done`. */
  readonly outcome?: AuditOutcome;
}

/**
 * Returns the actions that put an operation into the outbox, for the transaction of the operation.
 * @param scopes the accounts and modes that the operation is about
 * @param origin who carries it out. Undefined: the audit log does not record it, and there is no action.
 */
export function entryActions(
  scopes: readonly AuditScope[],
  origin: AuditOrigin | undefined,
  { at, ...operation }: AuditedOperation,
): TransactionItem[] {
  if (!origin) return [];
  return scopes.map((scope) => {
    const owner = scope === 'deployment' ? deploymentOwner : scope;
    const Item = toAuditOutboxItem(owner, randomUUID(), at, { ...origin, ...operation });
    return { Put: { TableName: env.tableName(), Item } };
  });
}

/** Returns the entry, or undefined if the audit log does not record the change. The same item gives the same entry. */
export function auditEntryOf(item: OutboxItem): AuditEntry | undefined {
  const audited = auditedWithResource(item);
  if (!audited) return undefined;
  const { pk, sk } = item;
  const { actor, action, resource, requestId, source, changes, outcome = 'done' } = audited;
  const at = committedAtOf(item);
  return newAuditEntry(`${pk} ${sk}`, at, { actor, action, outcome, resource, requestId, source, changes });
}

/**
 * Returns the part of an outbox item from which only its entry in the audit log follows, under the same key, so that it gives the same
 * entry. Undefined if the audit log does not record the change.
 */
export function auditPartOf(item: OutboxItem): (Item & Key) | undefined {
  const audited = auditedWithResource(item);
  const { pk, sk } = item;
  return audited && { ...toAuditOutboxItem(item, sk, committedAtOf(item), audited), pk, sk };
}

const auditedWithResource = ({ audited, events }: OutboxItem) =>
  audited && { ...audited, resource: audited.resource ?? resourceIn(events, audited.action) };

/**
 * Returns the id of the resource of an operation, from the events that contain it. Texts of users in the body cannot match,
 * because JSON escapes their quotation marks.
 */
function resourceIn(events: readonly EventDraft[], action: AuditAction): string | null {
  const prefix = auditedPrefix(action);
  const found = events.map(({ body }) => new RegExp(`"id":"(${prefix}[0-9a-z]+)"`).exec(body)?.[1]);
  return found.find((id) => id !== undefined) ?? null;
}
