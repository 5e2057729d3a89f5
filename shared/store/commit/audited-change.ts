/**
 * Stores what the audit log records of a change, in the outbox item of the change. So the entry exists if and only if the
 * change does, and costs the request no write of its own.
 *
 * - An outbox item of 1 KB costs two write units, and most creates are almost as large. So the attributes have one-letter
 *   names, the name of the item is the id of the request, and what the events contain is not repeated.
 */
import type {
  Actor,
  AuditAction,
  AuditOrigin,
  AuditOutcome,
  SettingChange,
} from '../../base/audit-origin.ts';
import { idPrefixes } from '../../base/ids.ts';
import { arrayOf, nullable, objectOf, text } from '../stored-fields.ts';

export interface AuditedChange extends AuditOrigin {
  /** The id of the resource that the operation is about. Null: the events of the change contain it. */
  readonly resource: string | null;
  readonly changes: readonly SettingChange[];
  /** Default: `done`. */
  readonly outcome?: AuditOutcome | undefined;
}

/** The attributes in an outbox item. */
export interface StoredAuditedChange {
  /** The id of the actor. */
  readonly a: string | null;
  /** The type of the actor. Absent: an API key. */
  readonly t?: Actor['type'];
  /** The name of the operation. */
  readonly n: AuditAction;
  /** The hash of the address. */
  readonly s?: string | null;
  /** The id of the request, if it is not the name of the outbox item. */
  readonly r?: string | null | undefined;
  /** The id of the resource. */
  readonly o?: string | null;
  readonly c?: readonly SettingChange[];
  /** The outcome. Absent: `done`. */
  readonly u?: AuditOutcome;
}

/** How an item stores the settings that an operation changed. */
export const settingChanges = arrayOf(
  objectOf<SettingChange>({ field: text, before: nullable(text), after: nullable(text) }),
);

/** Returns the beginning of the ids of the resource that an operation is about, for example `inv_`. */
export function auditedPrefix(action: AuditAction): string | undefined {
  const [resource = ''] = action.split('.');
  const prefix = (idPrefixes as Readonly<Record<string, string>>)[resource];
  return prefix && `${prefix}_`;
}

/**
 * @param isInEvents whether the events of the change contain the resource
 * @param hasName whether the name of the outbox item is the id of the request
 */
export function toStoredAuditedChange(
  change: AuditedChange,
  { isInEvents, hasName }: { readonly isInEvents: boolean; readonly hasName: boolean },
): StoredAuditedChange {
  const { actor, action, source, requestId, resource, changes, outcome = 'done' } = change;
  return {
    a: actor.id,
    ...(actor.type !== 'key' && { t: actor.type }),
    n: action,
    ...(source !== null && { s: source }),
    ...(!hasName && { r: requestId }),
    ...(!isInEvents && resource !== null && { o: resource }),
    ...(changes.length > 0 && { c: changes }),
    ...(outcome !== 'done' && { u: outcome }),
  };
}

/** @param sk the sort key of the outbox item */
export function fromStoredAuditedChange(
  { a, t = 'key', n, s = null, r, o = null, c = [], u = 'done' }: StoredAuditedChange,
  sk: string,
): AuditedChange {
  const requestId = r === undefined ? uuidIn(sk) : r;
  return { actor: { type: t, id: a }, action: n, requestId, source: s, resource: o, changes: c, outcome: u };
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the name of the outbox item of a request: its id, in 22 characters. Undefined if the id is not a UUID. */
export function outboxName(change: AuditedChange | undefined): string | undefined {
  const id = change?.requestId;
  if (!id || !uuidPattern.test(id)) return undefined;
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function uuidIn(sk: string): string {
  const hex = Buffer.from(sk.slice(sk.indexOf('#') + 1), 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
