/**
 * Verifies the audit log: that each entry is as it was sealed, and that no number is missing.
 *
 * - The head of the log says which number is the last one. It is read before and after the entries, because entries are added
 *   meanwhile.
 * - DynamoDB deletes an entry that has expired. The entry after it says when it expired, so this is no gap.
 */
import { createHash } from 'node:crypto';
import { auditEntryIdPrefix } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import type { Item } from '../../store/records.ts';
import { toHead } from './audit-log.ts';
import {
  type AuditScope,
  auditRetentionMs,
  monthsFrom,
  nameOfScope,
  readAuditHeadItem,
  readStoredEntries,
} from './audit-store.ts';
import type { AuditRule } from './rules.ts';
import { isSealedEntry, isSealedHead } from './sealed-entry.ts';

export interface AuditFault {
  readonly rule: AuditRule;
  /** The number that is missing, or that the entry has. 0: it has none. */
  readonly number: number;
  /** The id of the entry. Null: it is missing, or the fault is that of the head. */
  readonly id: string | null;
}

export interface AuditVerification {
  /** How many entries were verified. */
  readonly entries: number;
  readonly faults: readonly AuditFault[];
}

const dayMs = 24 * 60 * 60 * 1000;
/** The days between two complete verifications of a log, as a part of the daily reconciliation. */
const periodDays = 28;
/** How far back the others look. Longer than a day, so that a late one misses nothing. */
const recentMs = 3 * dayMs;
/** More faults than this have one cause. */
const maxFaults = 100;
/** An entry has the time of another machine's clock, which can be ahead. */
const clockSkewMs = 60 * 60 * 1000;

/**
 * Verifies the entries of the last three days, and on one day of each 28 days all entries. A number that is missing among the last
 * ones also leads to the verification of all entries, because a late entry has an early time.
 */
export async function verifyRecentEntries(scope: AuditScope, now: Instant): Promise<AuditVerification> {
  const offset = createHash('sha256').update(nameOfScope(scope)).digest().readUInt32BE() % periodDays;
  if (Math.floor(now / dayMs) % periodDays === offset) return verifyAuditLog(scope, now);
  const recent = await verifySince(scope, { since: now - recentMs, isComplete: false }, now);
  return recent.faults.length === 0 ? recent : verifyAuditLog(scope, now);
}

/** Verifies all entries of a log. */
export function verifyAuditLog(scope: AuditScope, now: Instant): Promise<AuditVerification> {
  return verifySince(scope, { since: now - auditRetentionMs - 31 * dayMs, isComplete: true }, now);
}

/** The numbers of the entries that were read. */
interface Numbers {
  /** When the entry before each number expires, in seconds, by number. */
  readonly expiries: ReadonlyMap<number, number>;
  /** The numbers of entries that are not as they were sealed. They are not missing. */
  readonly altered: ReadonlySet<number>;
}

/** @param since the verification begins with the entries of this time. `isComplete`: no entry is older */
async function verifySince(
  scope: AuditScope,
  { since, isComplete }: { readonly since: Instant; readonly isComplete: boolean },
  now: Instant,
): Promise<AuditVerification> {
  const before = await readHead(scope);
  const faults: AuditFault[] = [...before.faults];
  const expiries = new Map<number, number>();
  const altered = new Set<number>();
  let entries = 0;
  for (const month of monthsFrom(now + clockSkewMs, since)) {
    for await (const items of readStoredEntries(scope, month, auditEntryIdPrefix(since))) {
      entries += items.length;
      for (const { number, previousExpiry, id, isIntact } of await Promise.all(items.map(checkIn(scope)))) {
        if (isIntact && !expiries.has(number)) expiries.set(number, previousExpiry);
        else {
          altered.add(number);
          faults.push({ rule: 'audit_entry_altered', number, id });
        }
      }
    }
  }
  const after = await readHead(scope);
  if ([...expiries.keys()].some((number) => number > after.last))
    faults.push({ rule: 'audit_head_altered', number: after.last, id: null });
  const isLastRead = isComplete || before.lastExpiry * 1000 - auditRetentionMs >= since;
  const first = isComplete
    ? 1
    : lowest([...expiries.keys(), ...altered], isLastRead ? before.last : undefined);
  faults.push(...missingNumbers({ expiries, altered }, first, before.last, toSeconds(now)));
  return { entries, faults: faults.slice(0, maxFaults) };
}

const lowest = (numbers: readonly number[], other = Number.POSITIVE_INFINITY): number =>
  numbers.reduce((one, each) => Math.min(one, each), other);

async function readHead(scope: AuditScope) {
  const item = await readAuditHeadItem(scope);
  const isIntact = !item || (await isSealedHead(nameOfScope(scope), item));
  // The head can have another form, if it is not as it was sealed.
  const { last, lastExpiry } = isIntact
    ? toHead(item)
    : { last: Number(item?.last) || 0, lastExpiry: Number(item?.lastExpiry) || 0 };
  const faults: AuditFault[] = isIntact ? [] : [{ rule: 'audit_head_altered', number: last, id: null }];
  return { last, lastExpiry, faults };
}

const checkIn = (scope: AuditScope) => async (item: Item) => {
  const { sk: id, number, previousExpiry } = item;
  return {
    id: String(id),
    number: Number.isSafeInteger(number) ? (number as number) : 0,
    previousExpiry: Number(previousExpiry),
    isIntact: await isSealedEntry(nameOfScope(scope), item),
  };
};

/**
 * Returns the numbers from `first` to `last` that no entry has, and that have not expired. If an entry has expired, so have all
 * before it.
 * @param now in seconds since 1970
 */
export function missingNumbers(
  { expiries, altered }: Numbers,
  first: number,
  last: number,
  now: number,
): AuditFault[] {
  const missing: AuditFault[] = [];
  for (let number = last; number >= first && missing.length < maxFaults; number--) {
    const expiry = expiries.get(number + 1);
    if (expiries.has(number) || altered.has(number)) continue;
    if (expiry !== undefined && expiry <= now) break;
    missing.push({ rule: 'audit_entry_missing', number, id: null });
  }
  return missing.reverse();
}
