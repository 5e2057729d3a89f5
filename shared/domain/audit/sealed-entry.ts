/**
 * Defines what the log stores of an entry besides the entry itself: a number without gaps, and a seal. The head of a log has the
 * last number, with a seal of its own.
 */
import { isAuditSeal } from '../../platform/secrets/audit-secret.ts';
import type { Item } from '../../store/records.ts';
import type { AuditEntry } from './entry.ts';

/** What an operation is about, as the seals name it: `<account>#<mode>` or `deployment`. */
export type AuditScopeName = string;

/** An entry with its place in the log. */
export interface NumberedEntry extends AuditEntry {
  /** 1 for the first entry of the scope, and one more for each further entry. */
  readonly number: number;
  /** When the entry before it expires, in seconds since 1970. 0 if there is none. So a gap shows whether it is due to expiry. */
  readonly previousExpiry: number;
}

/** The last number of a log. */
export interface AuditHead {
  readonly last: number;
  /** When the last entry expires, in seconds since 1970. */
  readonly lastExpiry: number;
}

export const emptyHead: AuditHead = { last: 0, lastExpiry: 0 };

/** Returns the text that the seal of an entry covers: all of the entry, and where it is. */
export function sealedTextOf(scope: AuditScopeName, entry: NumberedEntry): string {
  const { id, number, previousExpiry, actor, action, outcome, resource, requestId, source, changes } = entry;
  const settings = changes.map(({ field, before, after }) => [field, before, after]);
  const origin = [actor?.type, actor?.id, action, outcome, resource, requestId, source];
  return JSON.stringify(['entry', scope, id, number, previousExpiry, ...origin, settings]);
}

/** Returns the text that the seal of a head covers. */
export const sealedTextOfHead = (scope: AuditScopeName, { last, lastExpiry }: AuditHead): string =>
  JSON.stringify(['head', scope, last, lastExpiry]);

/** Whether a stored entry is as it was sealed. */
export async function isSealedEntry(scope: AuditScopeName, stored: Item): Promise<boolean> {
  const { sk: id, seal, ...rest } = stored as unknown as NumberedEntry & { sk: string; seal: unknown };
  const isList = Array.isArray(rest.changes) && rest.changes.every((each) => each instanceof Object);
  if (!isList) return false;
  return isAuditSeal(seal, sealedTextOf(scope, { ...rest, id }));
}

/** Whether a stored head is as it was sealed. */
export const isSealedHead = (scope: AuditScopeName, stored: Item): Promise<boolean> =>
  isAuditSeal(stored.seal, sealedTextOfHead(scope, stored as unknown as AuditHead));
