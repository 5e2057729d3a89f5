/** Defines the entries of the audit log: who did what, when, from where, through which request, and with which outcome. */
import * as v from 'valibot';
import {
  type AuditOrigin,
  type AuditOutcome,
  actorTypes,
  auditActions,
  auditOutcomes,
  type SettingChange,
} from '../../base/audit-origin.ts';
import { auditEntryId, idPatternOf, timeOfAuditEntry } from '../../base/ids.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import { unlessRepeated } from '../../store/lists/filters/list-filters.ts';

export interface AuditEntry extends AuditOrigin {
  /** Contains the time of the operation. */
  readonly id: string;
  readonly outcome: AuditOutcome;
  /** The id of the resource that the operation is about. */
  readonly resource: string | null;
  /** The settings that the operation changed. */
  readonly changes: readonly SettingChange[];
}

/** Returns an entry. @param operation names the operation, so recording it twice makes one entry */
export function newAuditEntry(operation: string, at: Instant, entry: Omit<AuditEntry, 'id'>): AuditEntry {
  return { id: auditEntryId(operation, at), ...entry };
}

/** Returns the value that an operation gave to a setting. Empty: it did not set it. */
export const valueAfter = ({ changes }: Pick<AuditEntry, 'changes'>, name: string): string =>
  changes.find(({ field }) => field === name)?.after ?? '';

const beforeMessage = 'before must be the ID of an entry of the audit log, in the form aud_….';
const actionMessage = `action must be one of ${auditActions.join(', ')}.`;
const actorMessage = 'actor must be sent only once and must not be empty.';
const resourceMessage = 'resource must be sent only once and must not be empty.';

const notEmpty = (message: string) => v.optional(v.pipe(v.string(message), v.nonEmpty(message)));

/** The query of the audit log, newest first. */
export const listAuditLogQuery = v.strictObject({
  limit: paginationQuery.limit,
  before: v.optional(v.pipe(v.string(beforeMessage), v.regex(idPatternOf('auditEntry'), beforeMessage))),
  actor: notEmpty(actorMessage),
  action: v.optional(v.picklist(auditActions, unlessRepeated('action', actionMessage))),
  resource: notEmpty(resourceMessage),
});

export type ListAuditLog = v.InferOutput<typeof listAuditLogQuery>;

export const actorSchema = v.strictObject({ type: v.picklist(actorTypes), id: v.nullable(v.string()) });

export const settingChangeSchema = v.strictObject({
  field: v.string(),
  before: v.nullable(v.string()),
  after: v.nullable(v.string()),
});

export const auditEntrySchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('auditEntry'))),
  timestamp: timestampSchema,
  actor: actorSchema,
  action: v.picklist(auditActions),
  outcome: v.picklist(auditOutcomes),
  resource: v.nullable(v.string()),
  requestId: v.nullable(v.string()),
  source: v.nullable(v.string()),
  changes: v.array(settingChangeSchema),
});

/** A page of the audit log. `next` is the value of `before` for the next page, or null if there is none. */
export const auditLogSchema = v.strictObject({ data: v.array(auditEntrySchema), cursor: cursorSchema });

export type ShownAuditEntry = v.InferOutput<typeof auditEntrySchema>;

/** Returns an entry as the API shows it. */
export function showAuditEntry({ id, changes, ...entry }: AuditEntry): ShownAuditEntry {
  return { id, timestamp: toTimestamp(timeOfAuditEntry(id)), ...entry, changes: [...changes] };
}
